// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"

namespace commmap::spank {

/// The --commmap of a step, as this node knows it. slurmstepd keeps the value as it came, and
/// compares only its first letters.
/// A task reads all of it, when the task has become the user.
class StepOption {
public:
    using Arguments = std::vector<std::string_view>;  ///< the plugin's arguments in plugstack.conf

    /// Keeps the value. nullptr and a value of more than 1 MiB count as no value.
    void keep(const char* value);
    /// Returns srun's decision for the step, from its option or a variable, for
    /// parse_placed_value(). Empty when srun placed nothing.
    [[nodiscard]] std::string placed_text(spank_t spank) const;
    /// Returns whether the step may be one of profile mode; the tasks find out.
    [[nodiscard]] bool may_record(spank_t spank, const Arguments& plugstack) const;
    /// Returns all options that count for a task, read as the user.
    /// @param decided  the mode that srun says counts, where that is not the option's mode
    [[nodiscard]] Options of_task(spank_t spank, const Arguments& plugstack,
                                  const std::optional<std::string>& decided) const;

private:
    std::string value_;
};

/// Returns the options that the admin has set in plugstack.conf.
[[nodiscard]] Options options_of_admin(const StepOption::Arguments& plugstack);

}  // namespace commmap::spank
