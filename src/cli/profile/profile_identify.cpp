// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_identify.hpp"

#include <memory>

#include "cli/job_arguments.hpp"

namespace commmap::cli {
namespace {

Status identify(const JobArguments& arguments, const Options& options) {
    const auto choice = choose_profile(arguments, options);
    if (!choice) return choice.error();
    return write_output("", choice.value().application_id + '\n');
}

}  // namespace

void add_profile_identify(CLI::App& profile, Context& context) {
    auto arguments = std::make_shared<JobArguments>();
    CLI::App* command = profile.add_subcommand(
        "identify", "print the identity of a program's profile; exit 1 if there is none");
    add_table_options(*command, context, {"profile-dir", "site-profiles", "tag"});
    add_command_arguments(*command, *arguments);
    command->get_option("--command")->required();
    command->get_option("--ntasks")->required()->description("number of ranks");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return identify(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
