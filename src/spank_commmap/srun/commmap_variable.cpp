// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/commmap_variable.hpp"

#include <cstdlib>

#include "core/config/options.hpp"
#include "core/config/sources.hpp"
#include "spank_commmap/handover/option_value.hpp"

namespace commmap::spank {

bool variable_wins(const Result<SrunArgs>& args) {
    const auto variable = own_variable("COMMMAP");
    Options scratch;
    if (!variable || variable->empty() || !set_mode(scratch, *variable, scope_environment))
        return false;
    if (!args || args.value().has("commmap")) return false;
    ::setenv(mode_variable, variable->c_str(), 1);
    return true;
}

bool variable_says_off() {
    Options scratch;
    scratch.mode = Mode::automatic;
    const auto variable = own_variable("COMMMAP");
    return variable && set_mode(scratch, *variable, scope_environment) && scratch.mode == Mode::off;
}

}  // namespace commmap::spank
