#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commmap {

/// The name of a profile's file in a store, `<id>-np<ranks>[.<run>].commmap[.partial]`
/// (docs/user/profile-store.md).
struct StoredName {
    std::string application_id;
    std::size_t num_ranks = 0;
    /// run_name() of one run; empty: of several (published, merged, or by an early commmap).
    std::string run;
    bool partial = false;
    bool operator==(const StoredName&) const = default;
};

/// Letters, digits, '-', '_', '.' and '+' of the identity stay as they are, the rest becomes %XX;
/// never longer than NAME_MAX, nor with a '/'.
[[nodiscard]] std::string file_name_of(const StoredName& name);

/// What stands for all files of an identity on so many ranks: the file's name up to the ranks.
[[nodiscard]] std::string profile_key(std::string_view application_id, std::size_t num_ranks);
/// The same of a file's name that parse_stored_name() takes.
[[nodiscard]] std::string_view profile_key_of(std::string_view file_name);
/// Whether such a file is of that identity, whatever its number of ranks.
[[nodiscard]] bool is_of(std::string_view file_name, std::string_view application_id);

/// Nothing where it is none. An identity of more than 140 letters comes back cut.
[[nodiscard]] std::optional<StoredName> parse_stored_name(std::string_view file_name);

/// Runs, the last first, then what is of several, then what is partial.
[[nodiscard]] bool is_read_before(const StoredName& one, const StoredName& other);

/// "20261123T063105Z-1234.0-1a2b3c4d": names in order are in the order of recording, and two runs
/// have two. @param job  0: not of a job step, which the name then lacks
[[nodiscard]] std::string run_name(std::uint64_t recorded_unix_s, std::uint32_t job,
                                   std::uint32_t step, std::string_view content);

/// Whether it is the name of a run of that step.
[[nodiscard]] bool is_run_of(std::string_view run, std::uint32_t job, std::uint32_t step);

}  // namespace commmap
