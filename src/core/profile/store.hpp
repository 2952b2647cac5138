#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// The profile file format, version 1: a fixed header (magic, version, payload length, XXH3-64 of
/// the payload) and a FlatBuffers payload that is verified before it is read
/// (docs/profile-format.md). Nothing else knows the format. encode_profile expects at most
/// max_profile_bytes of result (write_profile_file checks that first). What decode allocates is
/// bounded by a small multiple of the content's length. Errors of decode: corrupt (truncated,
/// checksum, verifier, an index out of range), not_supported (newer version).
inline constexpr std::uint32_t profile_format_version = 1;
/// Larger files are neither written nor read.
inline constexpr std::uint64_t max_profile_bytes = std::uint64_t{1} << 30;
[[nodiscard]] std::string encode_profile(const Profile& profile);
[[nodiscard]] Result<Profile> decode_profile(std::string_view content);

/// Reads and checks one file; errors name the file and what to do.
[[nodiscard]] Result<Profile> read_profile_file(const std::string& path);
/// Atomic replace; makes the directory (0700) when it is missing.
[[nodiscard]] Status write_profile_file(const std::string& path, const Profile& profile);

/// A user's profiles: one file per executable identity and number of ranks,
/// `DIR/<id>-np<ranks>.commmap`.
class ProfileStore {
public:
    explicit ProfileStore(std::string directory) : directory_(std::move(directory)) {}

    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string path_of(std::string_view application_id, std::size_t num_ranks) const;
    /// Of a run that ended early, beside the complete one.
    [[nodiscard]] std::string partial_path_of(std::string_view application_id,
                                              std::size_t num_ranks) const;
    /// The complete profile, else the partial one when that has all ranks. not_found when there is
    /// none; its message names a partial one with ranks missing, and lists the rank counts that
    /// exist for this executable.
    /// @param program  what people call it, for that message; empty: its identity
    [[nodiscard]] Result<Profile> load(std::string_view application_id, std::size_t num_ranks,
                                       std::string_view program = {}) const;
    /// Complete or partial, each under its own name; a complete one removes the partial one.
    [[nodiscard]] Status save(const Profile& profile) const;

    struct Entry {
        std::string path;
        std::string application_id;
        std::size_t num_ranks;
        std::uint64_t size_bytes;
        bool partial;  ///< of a run that ended early
    };
    /// Files of the right name, sorted by name; an absent directory is an empty store.
    [[nodiscard]] Result<std::vector<Entry>> list() const;
    /// Those of one executable, partial ones only where there is no complete one.
    [[nodiscard]] Result<std::vector<Entry>> list_of(std::string_view application_id) const;

private:
    std::string directory_;
};

}  // namespace commmap
