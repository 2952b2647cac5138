// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/launch_messages.hpp"

#include <utility>

#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/srun/placed_launch.hpp"
#include "spank_commmap/srun/process/working_directory.hpp"
#include "spank_commmap/srun/request/step_request.hpp"

namespace commmap::spank {
namespace {

ReportRequest report_in(std::string file, const Options& options) {
    return {std::move(file), program_of(options), options};
}

}  // namespace

void LaunchMessages::set_up(bool speaks, bool plans_only) {
    speaks_ = speaks;
    plans_only_ = plans_only;
}

void LaunchMessages::tell(const std::string& line) {
    const std::string tail = left_alone("");
    const bool cut = plans_only_ && line.ends_with(tail);
    if (speaks_) actions_.print_line(cut ? line.substr(0, line.size() - tail.size()) : line);
}

void LaunchMessages::decline(const std::string& reason) {
    report_.note_declined(reason);
    tell(left_alone(reason));
}

void LaunchMessages::start_report(const Options& options, const SrunArgs* args,
                                  const std::string& job) {
    if (options.report.empty()) return;
    report_ = report_in(report_path(options.report, working_directory(), job), options);
    if (args != nullptr && !args->command.empty())
        report_.note_command(planned_words(args->command).front());
}

void LaunchMessages::name_report(const Options& options, const std::string& job) {
    if (report_.wanted()) report_.set_file(report_path(options.report, working_directory(), job));
}

void LaunchMessages::take_over_report(const std::string& file, const Options& options) {
    report_ = report_in(file, options);
    report_.note_written();
}

void LaunchMessages::complete_report(const std::string& step, const StepLayout* layout) {
    if (const std::string failed = report_.complete(step, layout, actions_.program_runner());
        !failed.empty())
        actions_.print_line(failed);
}

}  // namespace commmap::spank
