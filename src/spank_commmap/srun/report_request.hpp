// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/slurm/slurm.hpp"

namespace commmap::spank {

/// A user's request for a report, --commmap=auto,report=FILE. srun itself writes none of the
/// report.
/// The program that plans writes it: while it plans, and once more when it is known what became of
/// the launch.
class ReportRequest {
public:
    /// Variable that hands the file on to the second srun.
    static constexpr const char* variable = "COMMMAP_ASIDE_REPORT";

    ReportRequest() = default;  ///< no report was asked for
    /// @param file     absolute
    /// @param program  `commmap`, absolute
    /// @param options  settings for the program
    ReportRequest(std::string file, std::string program, const Options& options)
        : file_(std::move(file)), program_(std::move(program)), options_(options) {}

    [[nodiscard]] bool wanted() const { return !file_.empty(); }
    [[nodiscard]] const std::string& file() const { return file_; }
    void set_file(std::string file) { file_ = std::move(file); }

    /// Notes that the planner has written its part.
    void note_written() { written_ = true; }
    [[nodiscard]] bool written() const { return written_; }
    void note_command(std::string command) { command_ = std::move(command); }
    void note_declined(std::string reason) { declined_ = std::move(reason); }

    /// Runs the program if there is something to add: that the launch was declined here, or how
    /// Slurm laid the step out.
    /// Only the first call does something. Returns why the program failed, in one line, or nothing.
    /// @param layout  nullptr: there is no step
    /// @param run     runs the program
    [[nodiscard]] std::string complete(const std::string& step, const StepLayout* layout,
                                       const RunProgram& run);

private:
    [[nodiscard]] std::vector<std::string> completion(const std::string& step,
                                                      const StepLayout* layout,
                                                      const std::string& node_runs) const;

    std::string file_;
    std::string program_;
    Options options_;
    std::string command_;
    std::string declined_;
    bool written_ = false;
    bool completed_ = false;
};

/// Returns the absolute path of the report, with the job's number for %j and % for %%. %j stays as
/// it is while there is no job.
[[nodiscard]] std::string report_path(std::string_view name, const std::string& directory,
                                      std::string_view job);

}  // namespace commmap::spank
