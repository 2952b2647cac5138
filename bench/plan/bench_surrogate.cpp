// How often the surrogate cost, by which searches above 128 ranks choose, chooses otherwise than
// the exact one, and what that costs: profiles of real programs on a cluster.
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../measure.hpp"
#include "core/estimate/cost_order.hpp"
#include "core/estimate/port_cost_state.hpp"
#include "core/mapping/random.hpp"
#include "core/plan/planner.hpp"
#include "core/plan/prediction.hpp"
#include "core/profile/store.hpp"
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

    /// Chosen by the surrogate, and for each choice what the exact time would have chosen.
    nlohmann::json row() {
        PortCostState state(scenario_.run, time_, scenario_.hct, start_,
                            PortCostState::Detail::additive);
        std::vector<PuId> now = start_;
        double now_s = exact_s(now);
        std::uint64_t wanted = 0;
        std::uint64_t differ = 0;
        for (const Exchange& one : exchanges_) {
            const double before_s = state.objective().time_s;
            const bool surrogate = clearly_cheaper(state.try_swap(one.a, one.b).time_s, before_s);
            std::swap(now[one.a], now[one.b]);
            const double then_s = exact_s(now);
            const bool exact = clearly_cheaper(then_s, now_s);
            wanted += surrogate || exact ? 1 : 0;
            differ += surrogate != exact ? 1 : 0;
            if (surrogate) {
                state.apply();
                now_s = then_s;
            } else {
                std::swap(now[one.a], now[one.b]);
            }
        }
        return {{"tries", exchanges_.size()},
                {"either_takes", wanted},
                {"differ", differ},
                {"time_over_exact", now_s / time_by_exact_s()}};
    }

private:
    [[nodiscard]] double exact_s(const std::vector<PuId>& placement) const {
        return time_.of(scenario_.run->parts_of(placement).data());
    }
    [[nodiscard]] double time_by_exact_s() const {
        std::vector<PuId> now = start_;
        double now_s = exact_s(now);
        for (const Exchange& one : exchanges_) {
            std::swap(now[one.a], now[one.b]);
            const double then_s = exact_s(now);
            if (clearly_cheaper(then_s, now_s))
                now_s = then_s;
            else
                std::swap(now[one.a], now[one.b]);
        }
        return now_s;
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
