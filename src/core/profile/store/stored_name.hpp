// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commmap {

/// The parts of a profile's file name in a store, `<id>-np<ranks>[.<run>].commmap[.partial]`
/// (docs/user/profile-store.md). The name alone says for which program and number of ranks a file
/// is, so that a search need not open files.
struct StoredName {
    std::string application_id;
    std::size_t num_ranks = 0;
    /// run_name() of one run; empty: the file holds several runs (published, merged, or written by
    /// an early commmap).
    std::string run;
    bool partial = false;
    bool operator==(const StoredName&) const = default;
};

/// Writes the file name. Letters, digits, '-', '_', '.' and '+' of the identity stay, other
/// characters become %XX. The name is never longer than NAME_MAX, and has no '/'.
[[nodiscard]] std::string file_name_of(const StoredName& name);

/// Returns the profile key: the part of a file's name up to the number of ranks. All files of an
/// identity on so many ranks share the key.
[[nodiscard]] std::string profile_key(std::string_view application_id, std::size_t num_ranks);
/// Returns the profile key of a file name that parse_stored_name() accepts.
[[nodiscard]] std::string_view profile_key_of(std::string_view file_name);
/// Tells whether such a file is of this identity, with any number of ranks.
[[nodiscard]] bool is_of(std::string_view file_name, std::string_view application_id);

/// Reads a file name; nullopt when it is no name of a profile. An identity of more than 140 letters
/// comes back cut.
[[nodiscard]] std::optional<StoredName> parse_stored_name(std::string_view file_name);

/// Sorts files into reading order: runs, the last one first, then files of several runs, then
/// partial ones.
[[nodiscard]] bool is_read_before(const StoredName& one, const StoredName& other);

/// Names a run: "20261123T063105Z-1234.0-1a2b3c4d". Names sort in the order of recording, and two
/// runs have different names.
/// @param job  0: the run was no job step, and the name has no job
[[nodiscard]] std::string run_name(std::uint64_t recorded_unix_s, std::uint32_t job,
                                   std::uint32_t step, std::string_view content);

/// Tells whether this is the name of a run of that job step.
[[nodiscard]] bool is_run_of(std::string_view run, std::uint32_t job, std::uint32_t step);

}  // namespace commmap
