// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/planner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/base/cost_order.hpp"
#include "core/estimate/estimator.hpp"
#include "core/estimate/hop_bytes.hpp"
#include "core/estimate/process_time.hpp"
#include "core/mapping/construction/linear.hpp"
#include "core/mapping/improvement/equal_placements.hpp"
#include "core/mapping/improvement/local_search.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/candidates.hpp"
#include "core/plan/exceptions_to_errors.hpp"
#include "core/plan/prediction.hpp"

namespace commmap {
namespace {

bool cheaper(const Candidate& a, const Candidate& b) {
    for (const auto& [x, y] :
         {std::pair(a.by_costs_s, b.by_costs_s), std::pair(a.port_cost.cost_s, b.port_cost.cost_s)})
        if (clearly_differ(x, y)) return x < y;
    return a.hop_bytes < b.hop_bytes;
}

Mapping mapping_of(const EarlierPlan::Tried& tried) {
    Mapping mapping{tried.pu_of_rank, {}, {}, tried.cut_short};
    mapping.linear_instead = tried.linear_instead;
    return mapping;
}

/// Makes a candidate with the costs that the planner compares. The process time stays 0, because
/// the planner does not compare process times.
Result<Candidate> compared(std::string name, Mapping mapping, const Scenario& scenario) {
    if (const Status fits = check_placement(scenario.graph, scenario.hct, mapping.pu_of_rank);
        !fits)
        return fits.error();
    const PortTable& ports = scenario.run->whole();
    PortCost port = mapping.port_cost ? *mapping.port_cost : port_cost(ports, mapping.pu_of_rank);
    std::vector<double> parts_s = scenario.run->parts_of(mapping.pu_of_rank, port.cost_s);
    port.cost_s = cost_of(parts_s);
    const double hops = hop_bytes(scenario.graph, ports, mapping.pu_of_rank);
    return Candidate{.name = std::move(name),
                     .pu_of_rank = std::move(mapping.pu_of_rank),
                     .port_cost = port,
                     .parts_s = std::move(parts_s),
                     .hop_bytes = hops,
                     .cut_short = mapping.cut_short,
                     .linear_instead = mapping.linear_instead};
}

/// Collects the candidates of one plan. The plan is valid after each candidate. A placement that
/// comes again is not estimated again.
class Candidates final : public CandidateSink {
public:
    /// @param plan  has no candidates yet
    Candidates(const Scenario& scenario, const Prediction& prediction,
               const PlannerOptions& options, Plan& plan)
        : scenario_(scenario), prediction_(prediction), options_(options), plan_(plan) {}

    Status take(NamedPlacement placement) override {
        Mapping mapping{std::move(placement.pu_of_rank), {}, {}};
        mapping.linear_instead = placement.linear_instead;
        return add(std::move(placement.name), std::move(mapping));
    }
    Status add(std::string name, Mapping mapping) {
        for (const Candidate& known : plan_.candidates) {
            if (known.pu_of_rank != mapping.pu_of_rank) continue;
            Candidate same = known;
            same.name = std::move(name);
            same.cut_short = mapping.cut_short;
            same.linear_instead = mapping.linear_instead;
            append(std::move(same));
            return Ok{};
        }
        auto candidate = compared(std::move(name), std::move(mapping), scenario_);
        if (!candidate) return candidate.error();
        append(std::move(candidate).value());
        return Ok{};
    }
    /// Adds the earlier candidates that were not made again, because the deadline passed.
    void add_missing(const std::vector<EarlierPlan::Tried>& tried) {
        for (const EarlierPlan::Tried& one : tried) {
            if (find(one.name) == nullptr) static_cast<void>(add(one.name, mapping_of(one)));
        }
    }
    void append(Candidate candidate) {
        candidate.by_costs_s = candidate.predicted_s = prediction_.run_time_s(candidate.parts_s);
        plan_.candidates.push_back(std::move(candidate));
        const std::size_t last = plan_.candidates.size() - 1;
        const bool is_best = last == 0 || cheaper(plan_.candidates[last], best());
        if (is_best) take_as_best(last);
        // Also tells of the first candidate beside Slurm's own, which shows that mappers ran.
        if (options_.on_better && (is_best || last == 1)) options_.on_better(plan_);
    }
    /// Simulates the run in Slurm's placement and in the cheapest others.
    void simulate() {
        if (!scenario_.script || scenario_.collectives_missing || options_.deadline.passed())
            return;
        std::vector<std::size_t> judged;
        for (std::size_t i = 1; i < plan_.candidates.size(); ++i) {
            const Candidate& candidate = plan_.candidates[i];
            const bool is_first = std::ranges::none_of(
                std::span(plan_.candidates).first(i),
                [&](const Candidate& other) { return other.pu_of_rank == candidate.pu_of_rank; });
            if (is_first && candidate.by_costs_s < most_dearer * plan_.candidates[0].by_costs_s)
                judged.push_back(i);
        }
        if (judged.empty()) return;
        std::stable_sort(judged.begin(), judged.end(), [&](std::size_t a, std::size_t b) {
            return cheaper(plan_.candidates[a], plan_.candidates[b]);
        });
        judged.resize(std::min(judged.size(), most_simulated));
        if (!prediction_.simulate(plan_.candidates[0])) return;
        std::size_t fastest = 0;
        bool any = false;
        for (const std::size_t i : judged) {
            if (options_.deadline.passed() || !prediction_.simulate(plan_.candidates[i])) continue;
            any = true;
            if (plan_.candidates[i].predicted_s <
                simulated_alike * plan_.candidates[fastest].predicted_s)
                fastest = i;
        }
        if (!any) {  // there is nothing to compare Slurm's placement with
            plan_.candidates[0].simulated = false;
            plan_.candidates[0].predicted_s = plan_.candidates[0].by_costs_s;
            return;
        }
        take_as_best(fastest);
    }
    [[nodiscard]] const Candidate* find(std::string_view name) const {
        const auto known = std::find_if(plan_.candidates.begin(), plan_.candidates.end(),
                                        [&](const Candidate& c) { return c.name == name; });
        return known == plan_.candidates.end() ? nullptr : &*known;
    }
    void note(const std::string& text) override {
        // A mapper and its refined form fail with the same text.
        if (std::find(plan_.notes.begin(), plan_.notes.end(), text) == plan_.notes.end())
            plan_.notes.push_back(text);
    }
    void leave_out(std::string_view name, const Error& error) override {
        if (error.code == Errc::timed_out) {
            plan_.ended_by_deadline = true;
            return;
        }
        plan_.left_out = plan_.left_out || error.code == Errc::internal;
        note(fmt::format("the mapper {} failed ({}); its placement is not among the candidates",
                         name, error.message));
    }

private:
    /// How many placements beside Slurm's are simulated. Costs miss some gains, so placements up to
    /// 3 % dearer than Slurm's are simulated too.
    static constexpr std::size_t most_simulated = 2;
    static constexpr double most_dearer = 1.03;
    /// A placement replaces Slurm's, or a cheaper placement, only if its simulated time is below
    /// this share of the other's. A simulation is off by as much, so that the least of several
    /// times would be too low.
    static constexpr double simulated_alike = 0.97;

    void take_as_best(std::size_t candidate) {
        plan_.best = candidate;
        const double before = plan_.candidates[0].predicted_s;
        if (before > 0.0) plan_.gain_percent = 100.0 * (before - best().predicted_s) / before;
        plan_.gain = best().simulated
                         ? simulated_gain(before, best().predicted_s)
                         : gain_of(prediction_.time(), plan_.candidates[0].parts_s, best().parts_s);
        if (options_.past_gains && plan_.best != 0)
            plan_.gain_in_runs = range_of_gains(plan_.gain, *options_.past_gains);
        plan_.keep_default = scenario_.collectives_missing || plan_.best == 0 ||
                             plan_.gain.low <= 1.0 ||
                             plan_.gain_percent < options_.threshold_percent;
    }
    [[nodiscard]] const Candidate& best() const { return plan_.candidates[plan_.best]; }

    const Scenario& scenario_;
    const Prediction& prediction_;
    const PlannerOptions& options_;
    Plan& plan_;
};

/// Drops placements that do not fit. A plan that was kept by hand, or of another job, may hold
/// anything.
void drop_what_does_not_fit(EarlierPlan& earlier, const Scenario& scenario, NodeId rank0_node) {
    std::erase_if(earlier.tried, [&](const EarlierPlan::Tried& one) {
        std::vector<PuId> pus = one.pu_of_rank;
        std::sort(pus.begin(), pus.end());
        return pus.size() != scenario.default_placement.size() ||
               std::adjacent_find(pus.begin(), pus.end()) != pus.end() ||
               !std::includes(scenario.candidate_pus.begin(), scenario.candidate_pus.end(),
                              pus.begin(), pus.end()) ||
               (rank0_node != no_id && scenario.hct.pu(one.pu_of_rank.front()).node != rank0_node);
    });
}

/// Tries the mappers one by one. A mapper that fails costs only its own candidate.
class MapperTrials {
public:
    /// @param earlier  has only placements that fit
    MapperTrials(const Scenario& scenario, const RunTime& time, const PlannerOptions& options,
                 const EarlierPlan& earlier, Candidates& candidates)
        : options_(options),
          earlier_(earlier),
          candidates_(candidates),
          problem_(mapping_problem(scenario, time, options.rank0_free)) {}

    void run() {
        std::vector<const MapperInfo*> searches;
        for (const MapperInfo& mapper : options_.mappers) {
            if (problem_.graph.num_ranks() > mapper.candidate_up_to_ranks) continue;
            if (!mapper.refines.empty()) {
                if (candidates_.find(mapper.refines) != nullptr)  // else that mapper failed
                    searches.push_back(&mapper);
                continue;
            }
            if (const EarlierPlan::Tried* known = earlier_.find(mapper.name)) {
                attempt(mapper, [&] { return Result<Mapping>(mapping_of(*known)); });
            } else if (!options_.deadline.passed()) {
                attempt(mapper, [&] { return mapped(mapper); });
            }
            if (mapper.name == "linear") remember_linear_cost();
        }
        search(std::move(searches));
    }

private:
    static constexpr std::ptrdiff_t most_searches = 2;

    /// Searches from the cheapest placements, and not twice from equal placements.
    void search(std::vector<const MapperInfo*> searches) {
        std::stable_sort(
            searches.begin(), searches.end(), [&](const MapperInfo* a, const MapperInfo* b) {
                return cheaper(*candidates_.find(a->refines), *candidates_.find(b->refines));
            });
        // A single search needs neither list.
        std::optional<SearchedPlacements> starts;
        std::optional<SearchedPlacements> ends;
        if (searches.size() > 1) {
            starts.emplace(problem_);
            ends.emplace(problem_);
        }
        std::ptrdiff_t num_new = most_searches;
        for (const MapperInfo* mapper : searches) {
            if (earlier_.find(mapper->name) == nullptr) continue;
            --num_new;
            if (starts) starts->add(candidates_.find(mapper->refines)->pu_of_rank);
        }
        for (const MapperInfo* mapper : searches) {
            const bool ends_now = options_.deadline.passed();
            if (const EarlierPlan::Tried* known = earlier_.find(mapper->name)) {
                if (ends_now || !known->cut_short || !go_on(*mapper, *known))
                    attempt(*mapper, [&] { return Result<Mapping>(mapping_of(*known)); });
                continue;
            }
            const Candidate start = *candidates_.find(mapper->refines);
            if (num_new <= 0 || ends_now || (starts && !starts->add(start.pu_of_rank))) continue;
            --num_new;
            attempt(*mapper, [&]() -> Result<Mapping> {
                return refine_mapping(problem_, mapper_options_,
                                      {start.pu_of_rank, {}, whole_cost(start)},
                                      ends ? &*ends : nullptr);
            });
        }
    }

    bool go_on(const MapperInfo& mapper, const EarlierPlan::Tried& from) {
        MapperOptions options = mapper_options_;
        options.seed += 1 + earlier_.times_continued;  // not the same kicks again
        return attempt(mapper, [&]() -> Result<Mapping> {
            return refine_mapping(problem_, options, {from.pu_of_rank, {}, {}});
        });
    }

    Result<Mapping> mapped(const MapperInfo& mapper) {
        auto mapping = mapper.map(problem_, mapper_options_);
        if (mapping && mapper.or_linear_in_plans) fall_back_to_linear(problem_, mapping.value());
        return mapping;
    }

    /// Adds the candidate of a mapper. False: the mapper is left out.
    template <class Map>
    bool attempt(const MapperInfo& mapper, Map&& map) {
        const Status tried = exceptions_to_errors([&]() -> Status {
            auto mapping = map();
            if (!mapping) return mapping.error();
            for (const std::string& note : mapping.value().notes) candidates_.note(note);
            return candidates_.add(std::string(mapper.name), std::move(mapping).value());
        });
        if (!tried) candidates_.leave_out(mapper.name, tried.error());
        return static_cast<bool>(tried);
    }

    void remember_linear_cost() {
        if (const Candidate* linear = candidates_.find("linear"))
            problem_.linear_cost = whole_cost(*linear);
    }

    static PortCost whole_cost(const Candidate& candidate) {
        return {candidate.parts_s.back(), candidate.port_cost.bottleneck};
    }

    const PlannerOptions& options_;
    const EarlierPlan& earlier_;
    Candidates& candidates_;
    MappingProblem problem_;
    MapperOptions mapper_options_{
        .seed = options_.seed, .deadline = options_.deadline, .threads = options_.threads};
};

}  // namespace

NodeId rank0_node(const Scenario& scenario, bool rank0_free) {
    return rank0_free ? no_id : scenario.hct.pu(scenario.default_placement.front()).node;
}

MappingProblem mapping_problem(const Scenario& scenario, const RunTime& time, bool rank0_free) {
    return {
        scenario.graph, scenario.hct, scenario.candidate_pus, rank0_node(scenario, rank0_free), {},
        scenario.run,   time};
}

Result<Candidate> evaluate(std::string name, std::vector<PuId> pu_of_rank,
                           const Scenario& scenario) {
    const auto process = process_time(scenario.graph, scenario.hct, pu_of_rank);
    if (!process) return process.error();
    auto candidate = compared(std::move(name), {std::move(pu_of_rank), {}, {}}, scenario);
    if (candidate) candidate.value().process_time_s = process.value();
    return candidate;
}

Result<Plan> make_plan(const Scenario& scenario, const Profile& profile, const Cluster& cluster,
                       const PlannerOptions& options) {
    Plan plan;
    plan.notes = scenario.notes;
    if (scenario.collectives_missing)
        plan.notes.push_back(
            "without the collectives no gain can be predicted: Slurm's own placement is kept");
    auto by_slurm = compared("slurm", {scenario.default_placement, {}, {}}, scenario);
    if (!by_slurm) return by_slurm.error();
    const Prediction prediction(profile, scenario, cluster);
    plan.share_in_mpi = prediction.share_in_mpi();
    if (!prediction.share_known()) {
        plan.notes.emplace_back(
            "the profile has no times (imported, or COMMMAP_RECORD_TIME=0): the prediction assumes "
            "that the whole run is communication");
    }
    plan.profiled_placement_known = prediction.profiled_placement_known();

    EarlierPlan earlier = options.earlier != nullptr ? *options.earlier : EarlierPlan{};
    drop_what_does_not_fit(earlier, scenario, rank0_node(scenario, options.rank0_free));
    Candidates candidates(scenario, prediction, options, plan);
    candidates.append(std::move(by_slurm).value());
    if (options.keep == LayoutConstraint::none) {
        MapperTrials(scenario, prediction.time(), options, earlier, candidates).run();
    } else if (const Status ok =
                   candidate_placements(scenario, prediction.time(), options, earlier, candidates);
               !ok) {
        return ok.error();
    }
    candidates.add_missing(earlier.tried);
    candidates.simulate();
    for (const std::string& note : earlier.notes) candidates.note(note);
    plan.ended_by_deadline = plan.ended_by_deadline || options.deadline.passed();
    plan.cut_short = plan.ended_by_deadline ||
                     std::any_of(plan.candidates.begin(), plan.candidates.end(),
                                 [](const Candidate& candidate) { return candidate.cut_short; });
    return plan;
}

}  // namespace commmap
