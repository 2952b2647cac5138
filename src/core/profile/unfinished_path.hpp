#pragma once

#include <cstdint>
#include <string>

namespace commmap {

/// In a directory of profiles, with a directory for each job step.
[[nodiscard]] inline std::string unfinished_directory(const std::string& profiles) {
    return profiles + "/.unfinished";
}

/// In the name of every run of a job step.
[[nodiscard]] inline std::string step_mark(std::uint32_t job, std::uint32_t step) {
    return "-" + std::to_string(job) + "." + std::to_string(step) + "-";
}

/// Where what the nodes of a job step kept waits to become a profile (UnfinishedRun). Both
/// are here apart, for who only looks whether there is anything.
[[nodiscard]] inline std::string unfinished_path(const std::string& profiles, std::uint32_t job,
                                                 std::uint32_t step) {
    return unfinished_directory(profiles) + "/" + std::to_string(job) + "." + std::to_string(step);
}

}  // namespace commmap
