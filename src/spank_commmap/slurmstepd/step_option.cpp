// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/step_option.hpp"

#include <cstddef>

#include "core/config/sources.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/slurm/spank_api.hpp"

namespace commmap::spank {
namespace {

constexpr std::size_t longest_value = std::size_t{1} << 20;

}  // namespace

void StepOption::keep(const char* value) {
    const std::string_view text = value == nullptr ? "" : value;
    value_ = text.size() <= longest_value ? text : "";
}

std::string StepOption::placed_text(spank_t spank) const {
    if (is_placed_value(value_)) return value_;
    auto handed = task_variable(spank, placed_variable);
    return handed && is_placed_value(*handed) && handed->size() <= longest_value ? *handed : "";
}

bool StepOption::may_record(spank_t spank, const Arguments& plugstack) const {
    constexpr std::string_view profile = "profile";
    const Options admin = options_of_admin(plugstack);
    if (admin.disabled) return false;
    if (task_variable(spank, "SLURM_HET_SIZE")) return false;  // nodes of two parts have one number
    for (const char* name : {mode_variable, "COMMMAP"}) {
        if (task_variable(spank, name).value_or("").starts_with(profile)) return true;
    }
    return value_.starts_with(profile) || admin.mode == Mode::profile;
}

Options StepOption::of_task(spank_t spank, const Arguments& plugstack,
                            const std::optional<std::string>& decided) const {
    // srun has shown the errors already.
    Options options = options_of_admin(plugstack);
    static_cast<void>(read_environment(options, environment_of_task(spank)));
    if (decided) {
        static_cast<void>(set_mode(options, *decided));
    } else if (!value_.empty()) {
        static_cast<void>(set_mode(options, value_));
    }
    if (options.disabled) options.mode = Mode::off;
    return options;
}

Options options_of_admin(const StepOption::Arguments& plugstack) {
    Options options;
    static_cast<void>(read_plugstack_arguments(options, plugstack));
    return options;
}

}  // namespace commmap::spank
