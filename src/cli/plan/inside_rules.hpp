// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "core/estimate/estimator.hpp"
#include "core/inside/choose_rules.hpp"
#include "core/inside/collective_times.hpp"
#include "core/topology/hct.hpp"

namespace commmap::cli {

/// What runs inside the tasks of a launch, for the answer to srun.
struct InsideRules {
    std::string rules;                       ///< inside::Choices; empty: all calls are native
    std::vector<std::string> lines;          ///< for a user with verbose
    std::vector<inside::ChosenRule> chosen;  ///< what the rules and lines say
};

/// The file of times on which a plan depends, where the options ask for collectives inside.
struct TimesFile {
    std::string path;   ///< empty: there is no file that can be read
    std::string state;  ///< whether there is one: a part of the plan's question
};
[[nodiscard]] TimesFile times_file(const Options& options);

/// Chooses what runs inside the tasks of a launch, by the measured times that the options name.
class InsideRulesMaker {
public:
    /// Reads the times where the options ask for collectives inside the tasks.
    explicit InsideRulesMaker(const Options& options);

    /// Returns why all calls stay native, whatever the placement is; empty where nothing speaks
    /// against others. Every user who asks for collectives inside is told.
    [[nodiscard]] const std::string& why_native() const { return why_native_; }

    /// Returns the rules for the ranks' nodes in a placement; none where nothing was asked for.
    /// @param library  the MPI library of the profile; empty: unknown
    [[nodiscard]] InsideRules make(const Hct& hct, Placement placement,
                                   std::string_view library) const;

private:
    std::optional<inside::CollectiveTimes> times_;
    std::string why_native_;
};

}  // namespace commmap::cli
