#include "core/mapping/hop_bytes_cost.hpp"

namespace commmap {

double HopBytesCost::cost_at(std::uint32_t rank, MachineTree::Path path) const {
    const CsrGraph& graph = placement_.graph();
    const MachineTree& machine = placement_.machine();
    double cost = 0.0;
    for (std::uint32_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
        cost += static_cast<double>(graph.weights[i]) *
                machine.distance(path, placement_.path_of(graph.neighbours[i]));
    }
    return cost;
}

void HopBytesCost::before_move(std::uint32_t rank, GroupId bin) {
    const CsrGraph& graph = placement_.graph();
    const MachineTree& machine = placement_.machine();
    const MachineTree::Path from = placement_.path_of(rank);
    const MachineTree::Path to = machine.path(bin);
    double cost = 0.0;
    for (std::uint32_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
        const std::uint32_t u = graph.neighbours[i];
        const auto weight = static_cast<double>(graph.weights[i]);
        const double there = machine.distance(to, placement_.path_of(u));
        cost += weight * there;
        cost_[u] += weight * (there - machine.distance(from, placement_.path_of(u)));
    }
    cost_[rank] = cost;
}

}  // namespace commmap
