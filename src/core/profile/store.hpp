#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/profile_codec.hpp"
#include "core/profile/profile_file.hpp"

namespace commmap {

/// Reads and checks one file; errors name the file and what to do.
[[nodiscard]] Result<ProfileFile> open_profile_file(const std::string& path);
/// All of it.
[[nodiscard]] Result<Profile> read_profile_file(const std::string& path);
/// Atomic replace; makes the directory (0700) when it is missing. @param compress  null: nothing is
[[nodiscard]] Status write_profile_file(const std::string& path, const Profile& profile,
                                        Compress compress = nullptr);

/// A user's profiles: one file per executable identity and number of ranks,
/// `DIR/<id>-np<ranks>.commmap`.
class ProfileStore {
public:
    /// @param compress  for what is saved; null: nothing is compressed
    explicit ProfileStore(std::string directory, Compress compress = nullptr)
        : directory_(std::move(directory)), compress_(compress) {}

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
    Compress compress_;
};

}  // namespace commmap
