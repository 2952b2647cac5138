// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

#include "core/config/options.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"
#include "spank_commmap/srun/request/user_choices.hpp"

namespace commmap::spank {

/// Decides whether a srun outside an allocation may be planned. If a user has no profile at all,
/// nothing of the launch is changed.
class StandaloneChoice {
public:
    /// Returns why the launch is left alone; with an empty reason it may be planned.
    /// Cost: one look into the directory of profiles, a second at most, at the first call only.
    [[nodiscard]] Refusal refusal(const SrunArgs& args, const Options& options);

private:
    struct Look {
        std::string directory;
        std::optional<bool> has_profiles;  ///< none: the directory did not answer in time
    };
    /// Result of the first look; two hooks before the launch need it.
    std::optional<Look> look_;
};

}  // namespace commmap::spank
