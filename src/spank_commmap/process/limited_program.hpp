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

/// What a program that is run here may use.
struct ProgramLimits {
    std::uint64_t seconds = 10;       ///< wall clock and CPU time
    std::uint64_t memory_mib = 2048;  ///< address space
    std::size_t output_bytes = std::size_t{8} << 20;
    /// Whether what it has printed is all that is wanted of it: then its time limit and a signal
    /// that ends it do not make it fail. nullptr: only a program that has ended has answered.
    bool (*is_complete)(std::string_view printed) = nullptr;
    /// What it gets of this process's environment: all but what program_environment() leaves out,
    /// or PATH, LANG, LC_ALL, TZ and HWLOC_* alone.
    bool whole_environment = true;
};

/// Who a program is run as by root, and what it gets beside its streams. It never has more rights
/// than that user, starts no process, and can be ended like any other where memory is short.
struct ProgramUser {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;
    std::vector<int> descriptors;  ///< open in it too, under the same numbers; ascending
};

struct ProgramResult {
    enum class End {
        answered,     ///< exit code 0 within its limits, or complete; `output` is what it printed
        interrupted,  ///< a signal came for this process: the program was ended
        failed,       ///< `reason` says how
    };
    End end = End::failed;
    int signal = 0;  ///< with interrupted; it is still to be dealt with
    std::string output;
    std::string reason;    ///< one line: "took longer than 1 s", "was killed by signal 11
                           ///< (Segmentation fault)"
    bool refused = false;  ///< failed, for others than root can change the program
};

/// Runs `argv[0]` (an absolute path; PATH is never searched; by root only what
/// open_trusted_program() opens) and waits for it, at most
/// `limits.seconds` (half a second more for one that not even SIGKILL ends; it is left behind).
///
/// The child is the effective user (or `as`) for good, a process group of its own, and dies with
/// this process; its standard input is `input` (/dev/null where that is empty), standard error is
/// kept for the reason (first line), every other descriptor (but `as`'s) is closed, signals are as
/// in a fresh program, no core file. Its environment is this process's without LD_* and
/// GLIBC_TUNABLES (a user's LIBRARY_PATH for the job must not put other libraries under the
/// planner) and without COMMMAP* (all options are on its command line). A signal that would end
/// srun (INT, TERM, QUIT, HUP) ends the wait at once: it is blocked in every thread, is seen
/// pending and stays so; with `taken`, what that says happens.
[[nodiscard]] ProgramResult run_limited(const std::vector<std::string>& argv,
                                        const ProgramLimits& limits,
                                        const EndingSignals* taken = nullptr,
                                        std::string_view input = {},
                                        const ProgramUser* as = nullptr);

/// Runs a program as run_limited() does, with `input` as its standard input. Who only needs a
/// program's answer takes such a value, and a test answers in the program's place.
using RunProgram = std::function<ProgramResult(
    const std::vector<std::string>& argv, const ProgramLimits& limits, std::string_view input)>;

/// A word of a command line, which Linux limits to 128 KiB: what is longer goes to the program's
/// standard input, and the word is "-".
struct LongWord {
    std::string word;
    std::string input;
};
[[nodiscard]] LongWord long_word(std::string text);

/// The environment that run_limited gives.
/// @param whole  false: only the few variables of ProgramLimits::whole_environment
[[nodiscard]] std::vector<std::string> program_environment(bool whole = true);

}  // namespace commmap::spank
