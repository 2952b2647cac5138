#pragma once

#include <string>

#include "core/config/options.hpp"
#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/launch_actions.hpp"
#include "spank_commmap/srun/report_request.hpp"

namespace commmap::spank {

/// Tells the user what becomes of a launch: in lines on standard error, and in the report where one
/// is wanted.
class LaunchMessages {
public:
    explicit LaunchMessages(LaunchActions& actions) : actions_(actions) {}

    /// @param speaks      false: nobody said --commmap or COMMMAP. A site's default (plugstack
    ///                    mode=auto) is not worth a line in every srun that it cannot help.
    /// @param plans_only  nothing is launched, so no line may say that something is
    void set_up(bool speaks, bool plans_only);
    void tell(const std::string& line);
    /// The launch stays as it is: tells why, and notes why for the report.
    void decline(const std::string& reason);

    [[nodiscard]] ReportRequest& report() { return report_; }
    /// Where the report goes, as far as is known by now.
    /// @param args  srun's command line; nullptr: it cannot be read
    /// @param job   its number; empty: there is no job yet
    void start_report(const Options& options, const SrunArgs* args, const std::string& job);
    /// The number of the job that srun has made is a part of the report's name.
    void name_report(const Options& options, const std::string& job);
    /// In the second srun: the planner wrote that file for the first one.
    void take_over_report(const std::string& file, const Options& options);
    /// Adds the report's last part, by the program that writes it.
    /// @param layout  nullptr: there is no step
    void complete_report(const std::string& step, const StepLayout* layout);

private:
    LaunchActions& actions_;
    ReportRequest report_;
    bool speaks_ = true;
    bool plans_only_ = false;
};

}  // namespace commmap::spank
