#pragma once

#include <slurm/spank.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"

namespace commmap::spank {

/// What this node knows of a step's --commmap. slurmstepd keeps the value as it came, and compares
/// only its first letters. A task reads all of it, when the task has become the user.
class StepOption {
public:
    using Arguments = std::vector<std::string_view>;  ///< of the plugin in plugstack.conf

    /// Keeps the value. nullptr and a value of more than 1 MiB count as none.
    void keep(const char* value);
    /// What srun decided for the step, in its option or beside it; parse_placed_value() reads it.
    /// Empty: srun placed nothing.
    [[nodiscard]] std::string placed_text(spank_t spank) const;
    /// Whether the step may be one of profile mode; the tasks find out.
    [[nodiscard]] bool may_record(spank_t spank, const Arguments& plugstack) const;
    /// All options that count for a task, read as the user.
    /// @param decided  the mode that srun says counts, where it is not the option's
    [[nodiscard]] Options of_task(spank_t spank, const Arguments& plugstack,
                                  const std::optional<std::string>& decided) const;

private:
    std::string value_;
};

/// The options that the admin has set in plugstack.conf.
[[nodiscard]] Options options_of_admin(const StepOption::Arguments& plugstack);

}  // namespace commmap::spank
