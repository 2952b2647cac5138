// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "spank_commmap/process/ending_signals.hpp"

namespace commmap::spank {

/// Limits of a program that run_limited() runs.
struct ProgramLimits {
    std::uint64_t seconds = 10;       ///< wall clock and CPU time
    std::uint64_t memory_mib = 2048;  ///< address space
    std::size_t output_bytes = std::size_t{8} << 20;
    /// Returns whether the output so far is the program's whole answer. Then neither the time limit
    /// nor a signal that ends the program makes it fail.
    /// nullptr: only a program that has ended has answered.
    bool (*is_complete)(std::string_view printed) = nullptr;
    /// true: the program gets this process's environment, but for what program_environment() leaves
    /// out. false: only PATH, LANG, LC_ALL, TZ and HWLOC_*.
    bool whole_environment = true;
};

/// User as which root runs a program, and the descriptors that the program gets beside its streams.
/// The program never has more rights than this user, and starts no process. It can be ended like
/// any other where memory is short.
struct ProgramUser {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;
    std::vector<int> descriptors;  ///< also open in the program, under the same numbers; ascending
};

struct ProgramResult {
    enum class End {
        answered,     ///< exit code 0 within its limits, or complete; see `output`
        interrupted,  ///< a signal came for this process, and the program was ended
        failed,       ///< see `reason`
    };
    End end = End::failed;
    int signal = 0;  ///< set with `interrupted`; the caller still has to act on it
    std::string output;
    std::string reason;    ///< one line: "took longer than 1 s", "was killed by signal 11
                           ///< (Segmentation fault)"
    bool refused = false;  ///< failed, because others than root can change the program
};

/// Runs `argv[0]`, an absolute path, and waits for it. PATH is never searched. Root runs only
/// programs that open_trusted_program() opens.
/// Waits at most `limits.seconds`, and half a second more for a program that not even SIGKILL ends;
/// such a program is left behind.
///
/// The child
/// - is the effective user (or `as`) for good;
/// - is a process group of its own, and dies with this process;
/// - reads `input` on its standard input (/dev/null if that is empty); its standard error's first
///   line is kept as the reason;
/// - has no other descriptor, but for those of `as`;
/// - has signals as in a fresh program, and leaves no core file;
/// - has this process's environment without LD_*, GLIBC_TUNABLES and COMMMAP*.
/// A user's LIBRARY_PATH for the job must not put other libraries under the planner. All options of
/// commmap are on the command line.
///
/// A signal that would end srun (INT, TERM, QUIT, HUP) ends the wait at once.
/// Such signals are blocked in every thread, so this function only sees them pending, and leaves
/// them so.
/// If `taken` is given, that object decides about signals instead.
[[nodiscard]] ProgramResult run_limited(const std::vector<std::string>& argv,
                                        const ProgramLimits& limits,
                                        const EndingSignals* taken = nullptr,
                                        std::string_view input = {},
                                        const ProgramUser* as = nullptr);

/// Runs a program as run_limited() does, with `input` as its standard input.
/// Code that needs nothing but a program's answer takes a value of this type. A test passes a
/// function that answers in the program's place.
using RunProgram = std::function<ProgramResult(
    const std::vector<std::string>& argv, const ProgramLimits& limits, std::string_view input)>;

/// A word of a command line, which Linux limits to 128 KiB. A longer text goes to the program's
/// standard input, and the word is "-".
struct LongWord {
    std::string word;
    std::string input;
};
[[nodiscard]] LongWord long_word(std::string text);

/// Returns the environment that run_limited() gives to a program.
/// @param whole  false: only the few variables of ProgramLimits::whole_environment
[[nodiscard]] std::vector<std::string> program_environment(bool whole = true);

}  // namespace commmap::spank
