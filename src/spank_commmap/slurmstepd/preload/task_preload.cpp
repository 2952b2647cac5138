// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/task_preload.hpp"

#include <string_view>

#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/preload/preload_list.hpp"

namespace commmap::spank {
namespace {

constexpr std::string_view any_link_order = "verify_asan_link_order=0";

}  // namespace

void preload(spank_t spank, const std::vector<std::string>& libraries) {
    std::string list = task_variable(spank, "LD_PRELOAD").value_or("");
    for (auto library = libraries.rbegin(); library != libraries.rend(); ++library)
        list = with_entry(list, *library);
    set_task_variable(spank, "LD_PRELOAD", list);
    // gcc's AddressSanitizer ends a program if a library was loaded before its runtime. Nobody can
    // see whether such a program is behind a script. The user's own words come after ours, and win.
    const std::string sanitizer = task_variable(spank, "ASAN_OPTIONS").value_or("");
    if (sanitizer.starts_with(any_link_order)) return;  // set for a step around this one
    set_task_variable(spank, "ASAN_OPTIONS",
                      std::string(any_link_order) + (sanitizer.empty() ? "" : ":" + sanitizer));
}

void forget_link_order(spank_t spank) {
    const std::string sanitizer = task_variable(spank, "ASAN_OPTIONS").value_or("");
    if (!sanitizer.starts_with(any_link_order)) return;
    if (sanitizer == any_link_order) return unset_task_variable(spank, "ASAN_OPTIONS");
    set_task_variable(spank, "ASAN_OPTIONS", sanitizer.substr(any_link_order.size() + 1));
}

void forget_preloaded(spank_t spank, std::initializer_list<const char*> files) {
    const auto list = task_variable(spank, "LD_PRELOAD");
    if (!list) return;
    std::string rest = *list;
    for (const char* file : files) rest = without_file(rest, file);
    if (rest.empty()) {
        unset_task_variable(spank, "LD_PRELOAD");
    } else {
        set_task_variable(spank, "LD_PRELOAD", rest);
    }
}

std::string directory_of_hooks(const Options& options) {
    return options.hooks.empty() ? library_directory() : options.hooks;
}

}  // namespace commmap::spank
