// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "core/config/options.hpp"
#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/launch_actions.hpp"
#include "spank_commmap/srun/report_request.hpp"

namespace commmap::spank {

/// Tells the user what becomes of a launch: in lines on standard error, and in the report if the
/// user wants one.
class LaunchMessages {
public:
    explicit LaunchMessages(LaunchActions& actions) : actions_(actions) {}

    /// @param speaks      false: nobody gave --commmap or COMMMAP. A site's default (plugstack
    ///                    mode=auto) is not worth a line in every srun that it cannot help.
    /// @param plans_only  nothing is launched, so no line may say that something is launched
    void set_up(bool speaks, bool plans_only);
    void tell(const std::string& line);
    /// Tells why the launch stays as it is, and notes the reason for the report.
    void decline(const std::string& reason);

    [[nodiscard]] ReportRequest& report() { return report_; }
    /// Sets the report's file, as far as its name is known by now.
    /// @param args  srun's command line; nullptr: it cannot be read
    /// @param job   number of the job; empty: there is no job yet
    void start_report(const Options& options, const SrunArgs* args, const std::string& job);
    /// Completes the report's name with the number of the job that srun has made.
    void name_report(const Options& options, const std::string& job);
    /// Takes over the report, in the second srun: the planner wrote that file for the first srun.
    void take_over_report(const std::string& file, const Options& options);
    /// Lets the program add the report's last part.
    /// @param layout  nullptr: there is no step
    void complete_report(const std::string& step, const StepLayout* layout);

private:
    LaunchActions& actions_;
    ReportRequest report_;
    bool speaks_ = true;
    bool plans_only_ = false;
};

}  // namespace commmap::spank
