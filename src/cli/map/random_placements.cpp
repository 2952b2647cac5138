// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/map/random_placements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "core/base/cost_order.hpp"
#include "core/base/random.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {

RandomPlacements::RandomPlacements(const Scenario& scenario, const Prediction& prediction,
                                   std::uint32_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<PuId> pus = scenario.candidate_pus;
    for (std::uint32_t i = 0; i < count; ++i) {
        shuffle(std::span(pus), random);
        const std::span placement(pus.data(), scenario.graph.num_ranks());
        times_s_.push_back(prediction.run_time_s(scenario.run->parts_of(placement)));
    }
    std::sort(times_s_.begin(), times_s_.end());
}

std::string RandomPlacements::text(const std::vector<Candidate>& rows) const {
    std::string text =
        fmt::format("of {} random placements, by costs: best {}, median {}, worst {}\n",
                    times_s_.size(), format_seconds(times_s_.front()),
                    format_seconds(times_s_[times_s_.size() / 2]), format_seconds(times_s_.back()));
    for (const Candidate& row : rows)
        text += fmt::format("{} is faster than {:.1f} % of them\n", row.name,
                            slower_percent(row.by_costs_s));
    return text;
}

nlohmann::json RandomPlacements::json(const Candidate& row) const {
    return {{"count", times_s_.size()},
            {"best_s", times_s_.front()},
            {"median_s", times_s_[times_s_.size() / 2]},
            {"worst_s", times_s_.back()},
            {"slower_percent", slower_percent(row.by_costs_s)}};
}

double RandomPlacements::slower_percent(double time_s) const {
    const auto slower = times_s_.end() - std::upper_bound(times_s_.begin(), times_s_.end(),
                                                          time_s * (1.0 + same_cost));
    return 100.0 * static_cast<double>(slower) / static_cast<double>(times_s_.size());
}

}  // namespace commmap::cli
