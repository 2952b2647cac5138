#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace commmap::spank {

/// A program to run for a plan, and what it may use.
struct PlannerLimits {
    std::uint64_t seconds = 10;       ///< wall clock and CPU time
    std::uint64_t memory_mib = 2048;  ///< address space
    std::size_t output_bytes = std::size_t{8} << 20;
};

struct PlannerResult {
    enum class End {
        answered,     ///< exit code 0 within its limits; `output` is what it printed
        interrupted,  ///< a signal for this process is pending: the planner was ended, the signal
                      ///< is left pending
        failed,       ///< `reason` says how
    };
    End end = End::failed;
    std::string output;
    std::string reason;  ///< one line: "took longer than 10 s", "was killed by signal 11
                         ///< (Segmentation fault)"
};

/// Runs `argv[0]` (an absolute path; PATH is never searched) and waits for it, at most
/// `limits.seconds`.
///
/// The child is a process group of its own and dies with this process; its standard input is
/// /dev/null, standard error is kept for the reason (first line), every other descriptor is closed,
/// signals are as in a fresh program, no core file. Its environment is this process's without LD_*
/// and GLIBC_TUNABLES (a user's LIBRARY_PATH for the job must not put other libraries under the
/// planner) and without COMMMAP* (all options are on its command line). A blocked signal that would
/// end srun (INT, TERM, QUIT, HUP) ends the wait at once and stays pending.
[[nodiscard]] PlannerResult run_planner(const std::vector<std::string>& argv,
                                        const PlannerLimits& limits);

/// The environment that run_planner gives.
[[nodiscard]] std::vector<std::string> planner_environment();

/// Ends this process by a pending TERM, HUP or QUIT; returns when none is pending. Left to srun,
/// which has no step yet, such a signal is taken while the step is being made: the tasks may never
/// start and srun still ends with 0.
void end_by_pending_signal();

}  // namespace commmap::spank
