// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/machine_of_hct.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "commmap/ids.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/undirected_graph.hpp"

namespace commmap {
namespace {

/// The sum of all edges' weights, about. Weights are whole numbers.
constexpr double sum_of_weights = 0x1p36;
/// Half the distance of the dearest link. In a tree with few levels, the products of weights and
/// distances stay below the engine's limit for exact sums. So it need not make the weights smaller.
constexpr double dearest_link = 0x1p12;
/// Half the distance of a link for hop-bytes, where all links cost the same. It is above 1 because
/// a level's mean number of links may be a fraction.
constexpr double equal_link = 0x1p6;

/// Returns the seconds that all messages of the job together take at a port of each class.
/// Cost: O(messages + kinds * classes).
std::vector<double> times_of_classes(const PortTable& ports) {
    std::vector<double> messages(ports.num_kinds(), 0.0);
    for (RankId rank = 0; rank < ports.num_ranks(); ++rank)
        for (const PortTable::PeerMessages& message : ports.sent_by(rank)) ++messages[message.kind];
    std::vector<double> times(ports.num_classes(), 0.0);
    for (std::uint32_t kind = 0; kind < messages.size(); ++kind)
        for (std::uint32_t c = 0; c < times.size(); ++c)
            times[c] += messages[kind] * ports.time_at_class_s(kind, c);
    return times;
}

/// Makes a graph of the ranks. An edge weighs the messages of two ranks both ways.
/// @param total      weight of all messages, which is scaled to sum_of_weights
/// @param weight_of  gives the weight of all messages of a kind
template <class WeightOf>
WeightedGraph graph_of_weights(const PortTable& ports, double total, const WeightOf& weight_of) {
    const double scale = total > 0.0 ? sum_of_weights / total : 0.0;
    return undirected_graph(
        ports, [&](const PortTable::PeerMessages& messages) { return weight_of(messages.kind); },
        [&](double weight) {
            return static_cast<std::uint64_t>(std::max(1.0, std::round(weight * scale)));
        });
}

/// Makes the groups of a tree machine from the candidate PUs below the elements, level by level.
class ShapeOfHct {
public:
    ShapeOfHct(const PortTable& ports, const Hct& hct, std::span<const PuId> candidate_pus,
               const std::vector<double>& times, Objective objective)
        : ports_(ports),
          hct_(hct),
          counter_(hct, candidate_pus),
          times_(times),
          objective_(objective) {}

    MachineTree::Shape run() {
        std::vector<ElementId> groups{counter_.next_choice(0)};
        MachineTree::Shape shape;
        std::vector<double> byte_costs;  // by level, the mean cost of the links above its groups
        while (std::any_of(groups.begin(), groups.end(),
                           [&](ElementId group) { return !is_bin(group); })) {
            std::vector<ElementId> children;
            std::vector<GroupId>& parents = shape.parents.emplace_back();
            double sum = 0.0;
            std::size_t links = 0;
            for (GroupId g = 0; g < groups.size(); ++g) {
                if (is_bin(groups[g])) {
                    children.push_back(groups[g]);
                    parents.push_back(g);
                    continue;
                }
                for (const ElementId below : counter_.children(groups[g])) {
                    const ElementId child = counter_.next_choice(below);
                    children.push_back(child);
                    parents.push_back(g);
                    sum += cost_between(child, groups[g]);
                    ++links;
                }
            }
            byte_costs.push_back(sum / static_cast<double>(links));
            groups = std::move(children);
        }
        double inside = 0.0;
        for (const ElementId bin : groups) {
            const auto pus = counter_.below(bin);
            shape.pus.emplace_back(pus.begin(), pus.end());
            inside += cost_between(hct_.pu(pus.front()).element, bin);
        }
        byte_costs.push_back(inside / static_cast<double>(groups.size()));
        shape.distances.assign(byte_costs.size(), 0);
        std::uint64_t distance = 0;
        for (std::size_t depth = byte_costs.size(); depth-- > 0;) {
            const std::uint64_t over_links = distance_over(byte_costs[depth]);
            distance = objective_ == Objective::process_time ? std::max(distance, over_links)
                                                             : distance + over_links;
            shape.distances[depth] = distance;
        }
        return shape;
    }

    /// Returns the class of ports between candidate PUs at which the job's messages take longest.
    /// @pre run() has been called
    [[nodiscard]] std::uint32_t dearest_class() const { return dearest_class_; }

private:
    /// Returns whether an element is a bin: no two of its candidate PUs share a lower element.
    [[nodiscard]] bool is_bin(ElementId element) const {
        const std::vector<ElementId> children = counter_.children(element);
        return children.empty() || children.size() == counter_.count(element);
    }

    /// Returns the distance up to a group and down again.
    [[nodiscard]] std::uint64_t distance_over(double byte_cost) const {
        if (objective_ == Objective::hop_bytes)
            return 2 * static_cast<std::uint64_t>(std::round(byte_cost * equal_link));
        const double dearest = times_[dearest_class_];
        const double share = dearest > 0.0 ? byte_cost / dearest : 0.0;
        return 2 * static_cast<std::uint64_t>(std::round(share * dearest_link));
    }

    [[nodiscard]] double cost_between(ElementId element, ElementId top) {
        if (objective_ != Objective::hop_bytes) return time_between(element, top);
        return hct_.element(element).depth - hct_.element(top).depth;
    }

    /// Returns the seconds that all messages take at the slowest port on the way up to `top`; 0 if
    /// the element is `top` itself. A half-duplex port takes twice as long.
    [[nodiscard]] double time_between(ElementId element, ElementId top) {
        double slowest = 0.0;
        for (; element != top; element = hct_.element(element).parent) {
            // A half-duplex link carries the messages of both directions.
            const double factor = ports_.step(element).half_duplex ? 2.0 : 1.0;
            for (const std::uint32_t direction : {0U, 1U}) {
                const std::uint32_t port_class = ports_.class_of(3 * element + direction);
                slowest = std::max(slowest, factor * times_[port_class]);
                if (times_[port_class] > times_[dearest_class_]) dearest_class_ = port_class;
            }
        }
        return slowest;
    }

    const PortTable& ports_;
    const Hct& hct_;
    PuCounter counter_;
    const std::vector<double>& times_;
    Objective objective_;
    std::uint32_t dearest_class_ = 0;
};

}  // namespace

Result<EngineProblem> engine_problem(const PortTable& ports, const Hct& hct,
                                     std::span<const PuId> candidate_pus, Objective objective) {
    const std::vector<double> times = times_of_classes(ports);
    ShapeOfHct shape(ports, hct, candidate_pus, times, objective);
    auto machine = MachineTree::of_shape(shape.run());
    if (!machine) return machine.error();
    if (objective == Objective::hop_bytes) {
        double bytes = 0.0;
        for (RankId rank = 0; rank < ports.num_ranks(); ++rank)
            for (const PortTable::PeerMessages& message : ports.sent_by(rank))
                bytes += ports.bytes_of(message.kind);
        auto graph = graph_of_weights(ports, bytes,
                                      [&](std::uint32_t kind) { return ports.bytes_of(kind); });
        return EngineProblem{std::move(graph), std::move(machine).value()};
    }
    const std::uint32_t dearest = shape.dearest_class();
    auto graph = graph_of_weights(ports, times[dearest], [&](std::uint32_t kind) {
        return ports.time_at_class_s(kind, dearest);
    });
    return EngineProblem{std::move(graph), std::move(machine).value()};
}

}  // namespace commmap
