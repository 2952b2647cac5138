// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/choose_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/inside/comm_needs.hpp"

namespace commmap::inside {
namespace {

/// What was measured of one algorithm with one number of bytes, in the orders of ranks.
using InOrders = std::map<RankOrder, MeasuredCall>;

/// Candidates for calls of one operation with one number of bytes.
struct Candidate {
    Algorithm algorithm;
    InOrders measured;
};
using Candidates = std::map<std::uint64_t, std::vector<Candidate>>;  // by bytes

/// Algorithms of operations.
using Named = std::pair<CollectiveOp, Algorithm>;

Candidates candidates_of(const MeasuredLayout& layout, CollectiveOp op,
                         const std::vector<Named>& left_out) {
    Candidates candidates;
    for (const MeasuredAlgorithm& measured : layout.algorithms) {
        const bool is_left_out = std::find(left_out.begin(), left_out.end(),
                                           Named(op, measured.algorithm)) != left_out.end();
        if (measured.op != op || is_left_out) continue;
        for (const MeasuredCall& call : measured.calls) {
            std::vector<Candidate>& known = candidates[call.bytes];
            auto found = std::find_if(known.begin(), known.end(), [&](const Candidate& other) {
                return other.algorithm == measured.algorithm;
            });
            if (found == known.end()) {
                known.push_back({measured.algorithm, {}});
                found = std::prev(known.end());
            }
            found->measured[measured.order] = call;
        }
    }
    return candidates;
}

double gain_of(const MeasuredCall& call) { return call.native_us / call.algorithm_us; }

/// What a candidate gains in a step; nullopt: not enough, or nobody knows.
std::optional<ChosenRule> judge(const Candidate& candidate, std::optional<RankOrder> order) {
    ChosenRule found;
    found.rule.algorithm = candidate.algorithm;
    bool is_known = false;
    bool is_short = false;
    bool is_high_in_all = candidate.measured.size() == 2;
    for (const auto& [measured_order, call] : candidate.measured) {
        is_high_in_all = is_high_in_all && call.least_gain >= least_gain_of_short_calls;
        if (order && *order != measured_order) continue;
        is_short = is_short || call.native_us < short_call_us;
        found.gain = is_known ? std::min(found.gain, gain_of(call)) : gain_of(call);
        found.least_gain = is_known ? std::min(found.least_gain, call.least_gain) : call.least_gain;
        is_known = true;
    }
    if (!order && candidate.measured.size() < 2) return std::nullopt;
    if (!is_known || found.least_gain < least_gain_chosen) return std::nullopt;
    if (is_short && !is_high_in_all) return std::nullopt;
    return found;
}

std::optional<ChosenRule> best_of(const std::vector<Candidate>& candidates,
                                  std::optional<RankOrder> order) {
    std::optional<ChosenRule> best;
    for (const Candidate& candidate : candidates) {
        auto one = judge(candidate, order);
        if (one && (!best || one->gain > best->gain)) best = one;
    }
    return best;
}

std::vector<ChosenRule> rules_of(const MeasuredLayout& measured, CollectiveOp op,
                                 std::optional<RankOrder> order,
                                 const std::vector<Named>& left_out) {
    std::vector<ChosenRule> chosen;
    Algorithm running;  // of the last rule; native before the first
    std::uint64_t last_bytes = 0;
    const auto add = [&](ChosenRule rule, std::uint64_t from_bytes) {
        running = rule.rule.algorithm;
        rule.rule.op = op;
        rule.rule.ranks = measured.nodes * measured.ranks_per_node;
        rule.rule.from_bytes = from_bytes;
        chosen.push_back(rule);
    };
    for (const auto& [bytes, candidates] : candidates_of(measured, op, left_out)) {
        const auto best = best_of(candidates, order);
        if (best) {
            add(*best, bytes);
        } else if (running.kind != AlgorithmKind::native) {
            add(ChosenRule{}, last_bytes + 1);
        }
        last_bytes = bytes;
    }
    return chosen;
}

/// Whether a communicator of the program needs no more communicators beside it than it may have.
bool fit(const std::vector<ChosenRule>& chosen) {
    CommNeeds needs;
    return std::all_of(chosen.begin(), chosen.end(), [&](const ChosenRule& one) {
        return one.rule.algorithm.kind == AlgorithmKind::native ||
               needs.number_for(one.rule.op, one.rule.algorithm).has_value();
    });
}

double log_gain_of(const std::vector<ChosenRule>& rules) {
    double sum = 0.0;
    for (const ChosenRule& rule : rules) sum += std::log(rule.gain);
    return sum;
}

/// Returns the algorithms of coll/tuned by operation, each once.
std::map<CollectiveOp, std::vector<Algorithm>> tuned_in(const std::vector<ChosenRule>& chosen) {
    std::map<CollectiveOp, std::vector<Algorithm>> found;
    for (const ChosenRule& one : chosen) {
        if (one.rule.algorithm.kind != AlgorithmKind::tuned) continue;
        std::vector<Algorithm>& of_op = found[one.rule.op];
        if (std::find(of_op.begin(), of_op.end(), one.rule.algorithm) == of_op.end())
            of_op.push_back(one.rule.algorithm);
    }
    return found;
}

/// Returns the algorithm that can best be missed, to need a communicator less: the others of the
/// operation lose least without it. Looks at the operations that have the most algorithms of
/// coll/tuned in their order of ranks: they decide how many communicators there are.
/// @pre not fit(chosen)
Named least_useful(const MeasuredLayout& measured, std::optional<RankOrder> order,
                   const std::vector<ChosenRule>& chosen, const std::vector<Named>& left_out) {
    const auto tuned = tuned_in(chosen);
    std::map<CommOrder, std::size_t> most;
    for (const auto& [op, algorithms] : tuned) {
        std::size_t& known = most[order_of(op, algorithms.front())];
        known = std::max(known, algorithms.size());
    }
    std::optional<std::pair<double, Named>> least;
    for (const auto& [op, algorithms] : tuned) {
        const std::size_t most_here = most[order_of(op, algorithms.front())];
        if (algorithms.size() < 2 || algorithms.size() < most_here) continue;
        const double with_all = log_gain_of(rules_of(measured, op, order, left_out));
        for (const Algorithm& algorithm : algorithms) {
            std::vector<Named> without = left_out;
            without.emplace_back(op, algorithm);
            const double loss = with_all - log_gain_of(rules_of(measured, op, order, without));
            if (!least || loss < least->first) least = {loss, {op, algorithm}};
        }
    }
    return least->second;
}

std::string measured_layouts(const CollectiveTimes& times) {
    std::string text;
    for (const MeasuredLayout& layout : times.layouts) {
        text +=
            fmt::format("{}{} x {}", text.empty() ? "" : ", ", layout.nodes, layout.ranks_per_node);
    }
    return text;
}

}  // namespace

StepLayout layout_of(std::span<const std::uint32_t> node_of_rank) {
    std::unordered_map<std::uint32_t, std::uint32_t> ranks_on;
    for (const std::uint32_t node : node_of_rank) ++ranks_on[node];
    const auto nodes = static_cast<std::uint32_t>(ranks_on.size());
    const std::uint32_t per_node = ranks_on.begin()->second;
    StepLayout layout{nodes, per_node, std::nullopt};
    if (std::any_of(ranks_on.begin(), ranks_on.end(),
                    [&](const auto& node) { return node.second != per_node; })) {
        layout.ranks_per_node = 0;
        return layout;
    }
    std::size_t changes = 0;
    bool repeats = true;
    for (std::size_t rank = 1; rank < node_of_rank.size(); ++rank) {
        changes += node_of_rank[rank] != node_of_rank[rank - 1] ? 1 : 0;
        repeats = repeats && (rank < nodes || node_of_rank[rank] == node_of_rank[rank - nodes]);
    }
    if (changes + 1 == nodes) {
        layout.order = RankOrder::block;
    } else if (repeats) {
        layout.order = RankOrder::cyclic;
    }
    return layout;
}

Result<std::vector<ChosenRule>> choose_rules(const CollectiveTimes& times,
                                             const StepLayout& layout) {
    const auto measured =
        std::find_if(times.layouts.begin(), times.layouts.end(), [&](const MeasuredLayout& one) {
            return one.nodes == layout.nodes && one.ranks_per_node == layout.ranks_per_node;
        });
    if (layout.ranks_per_node == 0 || measured == times.layouts.end()) {
        const std::string asked =
            layout.ranks_per_node == 0
                ? "nodes with different numbers of ranks"
                : fmt::format("{} nodes x {} ranks", layout.nodes, layout.ranks_per_node);
        return Error{Errc::not_found,
                     fmt::format("collectives were measured on {} (nodes x ranks), not on {}",
                                 measured_layouts(times), asked)};
    }
    std::set<CollectiveOp> operations;
    for (const MeasuredAlgorithm& one : measured->algorithms) operations.insert(one.op);
    std::vector<Named> left_out;
    for (;;) {
        std::vector<ChosenRule> chosen;
        for (const CollectiveOp op : operations) {
            for (const ChosenRule& rule : rules_of(*measured, op, layout.order, left_out))
                chosen.push_back(rule);
        }
        if (fit(chosen)) return chosen;
        left_out.push_back(least_useful(*measured, layout.order, chosen, left_out));
    }
}

}  // namespace commmap::inside
