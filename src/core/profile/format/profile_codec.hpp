#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/profile/format/zstd.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

// The profile file format (docs/formats/profile-format.md): a fixed header, an index and sections,
// each with a checksum, each a FlatBuffers buffer that is verified before it is read. Version 3 is
// written, 2 and 3 are read. Nothing outside of this folder's profile_*.cpp knows the format.

inline constexpr std::uint32_t profile_format_version = 3;
inline constexpr std::uint32_t oldest_profile_format_version = 2;
/// Larger files are neither written nor read.
inline constexpr std::uint64_t max_profile_bytes = std::uint64_t{8} << 30;
/// Nor are larger sections, before they are compressed.
inline constexpr std::uint64_t max_section_bytes = std::uint64_t{1} << 29;
inline constexpr std::size_t max_profile_ranks = std::size_t{1} << 24;
inline constexpr std::size_t max_profile_phases = 256;
inline constexpr std::uint32_t max_profile_runs = 1U << 16;
inline constexpr std::size_t max_cpus_letters = std::size_t{1} << 16;  ///< of one rank

/// The first 32 bytes of a file, of any version.
struct ProfileHeader {
    static constexpr char magic_letters[8] = {'C', 'O', 'M', 'M', 'M', 'A', 'P', '\n'};

    char magic[8];
    std::uint32_t version;
    std::uint32_t reserved;     ///< 0
    std::uint64_t index_bytes;  ///< what follows
    std::uint64_t index_xxh3;   ///< XXH3-64 of that
};
static_assert(sizeof(ProfileHeader) == 32);

/// That no section would be larger than can be read. Errors: out_of_range.
[[nodiscard]] Status check_section_sizes(const Profile& profile);
/// Of a profile that passes check_section_sizes(). @param compress  null: nothing is compressed
[[nodiscard]] std::string encode_profile(const Profile& profile, Compress compress = nullptr);
/// Of a whole file. What it allocates is bounded by the file's own sizes of its sections. Errors:
/// corrupt (truncated, checksum, verifier, an index out of range, a version that is read no
/// longer), not_supported (newer version).
[[nodiscard]] Result<Profile> decode_profile(std::string_view content);

}  // namespace commmap
