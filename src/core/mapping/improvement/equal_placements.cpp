// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/equal_placements.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace commmap {

EqualPlacements::EqualPlacements(const MappingProblem& problem)
    : hct_(problem.hct), shape_(problem.hct.num_elements()) {
    std::vector<bool> is_candidate(hct_.num_pus());
    for (const PuId pu : problem.candidate_pus) is_candidate[pu] = true;
    std::map<Port, std::uint32_t> number_of_port;
    std::vector<std::uint32_t> port_number;  // by Element::port_index; equal ports have one number
    for (const Port& port : hct_.ports())
        port_number.push_back(
            number_of_port.emplace(port, static_cast<std::uint32_t>(number_of_port.size()))
                .first->second);
    using Shape = std::tuple<std::uint32_t, double, bool, std::vector<std::uint32_t>>;
    std::map<Shape, std::uint32_t> numbers;
    for (std::size_t i = hct_.num_elements(); i-- > 0;) {  // backwards: children first
        const Element& element = hct_.element(static_cast<ElementId>(i));
        std::vector<std::uint32_t> children;
        for (std::uint32_t c = 0; c < element.num_children; ++c)
            children.push_back(shape_[element.first_child + c]);
        std::sort(children.begin(), children.end());
        const bool usable = element.num_children == 0 && is_candidate[element.first_pu];
        const std::uint32_t port =
            element.parent == no_id ? no_id : port_number[element.port_index];
        Shape shape{port, element.max_bandwidth_bytes_per_s, usable, std::move(children)};
        shape_[i] = numbers.emplace(std::move(shape), static_cast<std::uint32_t>(numbers.size()))
                        .first->second;
    }
}

std::vector<RankId> EqualPlacements::form_of(Placement placement) const {
    std::vector<RankId> lowest(hct_.num_elements(), no_id);
    for (RankId rank = 0; rank < placement.size(); ++rank) {
        for (ElementId e = hct_.pu(placement[rank]).element; e != no_id && lowest[e] == no_id;
             e = hct_.element(e).parent)
            lowest[e] = rank;
    }
    std::vector<RankId> form;
    form.reserve(hct_.num_pus());
    std::vector<ElementId> stack{0};  // depth first; the next element is on top
    while (!stack.empty()) {
        const Element& element = hct_.element(stack.back());
        const RankId rank = lowest[stack.back()];
        stack.pop_back();
        if (element.num_children == 0) {
            form.push_back(rank);
            continue;
        }
        const std::size_t first = stack.size();
        stack.resize(first + element.num_children);
        std::iota(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end(),
                  element.first_child);
        std::sort(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end(),
                  [&](ElementId a, ElementId b) {
                      return std::pair(shape_[a], lowest[a]) > std::pair(shape_[b], lowest[b]);
                  });
    }
    return form;
}

}  // namespace commmap
