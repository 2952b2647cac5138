// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// How often the surrogate cost, by which searches above 128 ranks choose, chooses otherwise than
// the exact one, and what that costs: profiles of real programs on a cluster.
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../measure.hpp"
#include "core/base/cost_order.hpp"
#include "core/base/random.hpp"
#include "core/estimate/port_cost_state.hpp"
#include "core/plan/planner.hpp"
#include "core/plan/prediction.hpp"
#include "core/profile/store/store.hpp"
#include "rows_of_profiles.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t num_tries = 2'000;
constexpr std::uint64_t seed = 1;

struct Exchange {
    RankId a;
    RankId b;
};

/// The same exchanges from the same random placement, kept where they make the run faster.
class Walks {
public:
    Walks(const Scenario& scenario, const RunTime& time) : scenario_(scenario), time_(time) {
        Random random(seed);
        start_ = scenario.default_placement;
        shuffle(std::span(start_), random);
        for (std::uint64_t i = 0; i < num_tries; ++i) {
            const auto a = static_cast<RankId>(random.below(start_.size()));
            const auto b = static_cast<RankId>(random.below(start_.size() - 1));
            exchanges_.push_back({a, b < a ? b : b + 1});
        }
    }

    nlohmann::json row() const {
        const Walk by_surrogate = walk(true);
        return {{"tries", exchanges_.size()},
                {"either_takes", by_surrogate.either_takes},
                {"differ", by_surrogate.differ},
                {"time_over_exact", by_surrogate.end_s / walk(false).end_s}};
    }

private:
    struct Walk {
        double end_s = 0.0;  ///< exact
        std::uint64_t either_takes = 0;
        std::uint64_t differ = 0;
    };
    /// Both costs say what they would take; one of them decides.
    [[nodiscard]] Walk walk(bool surrogate_decides) const {
        PortCostState state(scenario_.run, time_, scenario_.hct, start_,
                            PortCostState::Detail::additive);
        std::vector<PuId> now = start_;
        Walk walk{.end_s = exact_s(now)};
        for (const Exchange& one : exchanges_) {
            const double before_s = state.objective().time_s;
            const bool surrogate = clearly_cheaper(state.try_swap(one.a, one.b).time_s, before_s);
            std::swap(now[one.a], now[one.b]);
            const double then_s = exact_s(now);
            const bool exact = clearly_cheaper(then_s, walk.end_s);
            walk.either_takes += surrogate || exact ? 1 : 0;
            walk.differ += surrogate != exact ? 1 : 0;
            if (surrogate_decides ? surrogate : exact) {
                state.apply();
                walk.end_s = then_s;
            } else {
                std::swap(now[one.a], now[one.b]);
            }
        }
        return walk;
    }
    [[nodiscard]] double exact_s(const std::vector<PuId>& placement) const {
        return time_.of(scenario_.run->parts_of(placement).data());
    }

    const Scenario& scenario_;
    const RunTime& time_;
    std::vector<PuId> start_;
    std::vector<Exchange> exchanges_;
};

nlohmann::json row(const std::string& path, const Cluster& cluster) {
    const Profile profile = must(read_profile_file(path));
    const auto ranks = static_cast<std::uint32_t>(profile.num_ranks());
    const Scenario scenario = must(make_scenario(profile, cluster, whole_cluster(cluster), ranks));
    const Prediction prediction(profile, scenario, cluster);
    nlohmann::json found = Walks(scenario, prediction.time()).row();
    found["profile"] = path.substr(path.rfind('/') + 1);
    found["ranks"] = ranks;
    return found;
}

}  // namespace
}  // namespace commmap

int main(int argc, char** argv) { return commmap::rows_of_profiles(argc, argv, commmap::row); }
