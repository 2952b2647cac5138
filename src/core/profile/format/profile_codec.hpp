// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/profile/format/zstd.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

// Encodes profiles to bytes and decodes them (docs/formats/profile-format.md). A file is a fixed
// header, an index and sections. Each has a checksum, and each is a FlatBuffers buffer that is
// verified before it is read. Version 3 is written; versions 2 and 3 are read. No code outside of
// this folder's profile_*.cpp knows the format.

inline constexpr std::uint32_t profile_format_version = 3;
inline constexpr std::uint32_t oldest_profile_format_version = 2;
/// Larger files are neither written nor read.
inline constexpr std::uint64_t max_profile_bytes = std::uint64_t{8} << 30;
/// Larger sections, counted before compression, are neither written nor read.
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
    std::uint64_t index_bytes;  ///< size of the index, which follows
    std::uint64_t index_xxh3;   ///< XXH3-64 of the index
};
static_assert(sizeof(ProfileHeader) == 32);

/// Checks that no section would be larger than max_section_bytes. Errors: out_of_range.
[[nodiscard]] Status check_section_sizes(const Profile& profile);
/// Encodes a profile.
/// @param compress  nullptr: sections are not compressed
/// @pre check_section_sizes() holds
[[nodiscard]] std::string encode_profile(const Profile& profile, Compress compress = nullptr);
/// Decodes a whole file. The memory that it takes is bounded by the sizes of the file's own
/// sections.
/// Errors: corrupt for a truncated file, a wrong checksum, a buffer that the verifier refuses, or
/// an index out of range. corrupt also for a version that is no longer read; not_supported for a
/// newer version.
[[nodiscard]] Result<Profile> decode_profile(std::string_view content);

}  // namespace commmap
