// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/known_profiles.hpp"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "core/profile/store/unfinished_path.hpp"

namespace commmap::spank {
namespace {

template <class IsIt>
bool has_file(const std::string& directory, IsIt&& is_it) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error))
        if (is_it(entry->path().filename().string())) return true;
    return false;
}

}  // namespace

bool has_profile_of_step(const std::string& directory, std::uint32_t job, std::uint32_t step) {
    const std::string mark = step_mark(job, step);
    return has_file(directory,
                    [&](const std::string& name) { return name.find(mark) != std::string::npos; });
}

bool has_profiles(const std::string& directory) {
    return has_file(directory, [](const std::string& name) {
        return name.ends_with(".commmap") || name.ends_with(".commmap.partial");
    });
}

std::string identity_with_profile(const LocatedCommand& command, const std::string& program,
                                  const Options& options, const std::string& profiles,
                                  std::uint32_t num_ranks, const RunProgram& run) {
    std::vector<std::string> question = {program, "profile", "identify"};
    const auto add = [&](const char* name, std::string value) {
        if (value.empty()) return;
        question.emplace_back(name);
        question.push_back(std::move(value));
    };
    add("--profile-dir", profiles);
    add("--site-profiles", options.site_profiles);
    add("--tag", options.tag);
    add("--ntasks", std::to_string(num_ranks));
    const ProgramResult done =
        run(command.asked_about(std::move(question)), {.output_bytes = 4096}, {});
    if (done.end != ProgramResult::End::answered) return "";
    return done.output.substr(0, done.output.find('\n'));
}

}  // namespace commmap::spank
