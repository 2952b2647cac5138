#pragma once

#include <optional>
#include <string>

#include "core/config/options.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/request/user_choices.hpp"

namespace commmap::spank {

/// Decides whether a srun outside an allocation may be planned. A user for whom nothing at all is
/// recorded has nothing of a launch touched.
class StandaloneChoice {
public:
    /// Why the launch is left alone; an empty reason: it may be planned.
    /// Cost: one look into the directory of profiles, a second at most, for the first call alone.
    [[nodiscard]] Refusal refusal(const SrunArgs& args, const Options& options);

private:
    struct Look {
        std::string directory;
        std::optional<bool> has_profiles;  ///< none: the directory did not answer in time
    };
    /// The first look counts: two hooks before the launch ask for it.
    std::optional<Look> look_;
};

}  // namespace commmap::spank
