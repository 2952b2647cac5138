#include "core/mapping/hop_bytes_search.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace commmap {
namespace {

constexpr std::size_t most_targets = 6;  ///< bins that are looked at, those with the most bytes
constexpr double least_gain = 0.5;       ///< costs are whole numbers (CsrGraph)
/// A rank with many more neighbours than others is looked at once, as a chain's first: it takes as
/// long as a hundred others, and what it is worth to move it was seen when the graph was split.
constexpr std::size_t some_neighbours = 64;
constexpr std::size_t most_neighbours = 256;
constexpr std::size_t times_the_mean = 8;

}  // namespace

HopBytesSearch::HopBytesSearch(const CsrGraph& graph, const MachineTree& machine,
                               std::vector<GroupId> bin_of_rank)
    : graph_(graph),
      machine_(machine),
      bin_of_(std::move(bin_of_rank)),
      path_of_(bin_of_.size()),
      cost_(bin_of_.size()),
      first_member_(machine.num_bins()),
      num_members_(machine.num_bins(), 0),
      member_(machine.num_pus()),
      in_chain_(bin_of_.size(), 0),
      weight_to_(machine.num_bins(), 0.0) {
    const std::vector<std::uint32_t>& capacity = machine.bins().capacity;
    std::exclusive_scan(capacity.begin(), capacity.end(), first_member_.begin(), 0U);
    for (std::uint32_t rank = 0; rank < bin_of_.size(); ++rank) {
        const GroupId bin = bin_of_[rank];
        assert(num_members_[bin] < capacity[bin] && "more ranks than PUs in a bin");
        member_[first_member_[bin] + num_members_[bin]++] = rank;
        path_of_[rank] = machine.path(bin);
    }
    for (std::uint32_t rank = 0; rank < bin_of_.size(); ++rank)
        cost_[rank] = cost_at(rank, path_of_[rank]);
}

double HopBytesSearch::improve(unsigned longest, const Deadline& deadline) {
    std::vector<std::uint32_t> now(bin_of_.size());
    std::iota(now.begin(), now.end(), 0U);
    std::vector<std::uint32_t> next;
    std::vector<bool> waiting(bin_of_.size(), true);
    double gained = 0.0;
    const auto wait = [&](std::uint32_t rank) {
        if (waiting[rank] || is_hub(rank)) return;
        next.push_back(rank);
        waiting[rank] = true;
    };
    while (!now.empty()) {
        for (const std::uint32_t rank : now) {
            waiting[rank] = false;
            if (deadline.passed()) return gained;
            const double gain = try_chain(rank, longest);
            if (gain == 0.0) continue;
            gained += gain;
            for (const Step& step : chain_) {
                wait(step.rank);
                for (const std::uint32_t u : graph_.neighbours_of(step.rank)) wait(u);
            }
        }
        now.swap(next);
        next.clear();
    }
    return gained;
}

bool HopBytesSearch::is_hub(std::uint32_t rank) const {
    const std::size_t neighbours = graph_.first[rank + 1] - graph_.first[rank];
    return neighbours > most_neighbours ||
           (neighbours > some_neighbours &&
            neighbours * bin_of_.size() > times_the_mean * graph_.neighbours.size());
}

/// @return  what it gained; chain_ has the ranks that moved
double HopBytesSearch::try_chain(std::uint32_t first, unsigned longest) {
    const Target wanted = best_target(first, bin_of_[first]);
    if (!wanted.found || wanted.gain <= least_gain) return 0.0;
    const GroupId start = bin_of_[first];
    const MachineTree::Path start_path = path_of_[first];
    ++chain_number_;
    chain_.clear();
    in_chain_[first] = chain_number_;
    put(first, wanted.bin);
    double gained = wanted.gain;
    GroupId full = wanted.bin;
    while (true) {
        if (has_room(full)) {
            settle(false);
            return gained;
        }
        // One of those there comes back to the start, or goes on.
        Target onward{-std::numeric_limits<double>::infinity(), 0, false};
        std::uint32_t who_goes_on = 0;
        double back_gain = -std::numeric_limits<double>::infinity();
        std::uint32_t who_comes_back = 0;
        for (const std::uint32_t rank : members(full)) {
            if (in_chain_[rank] == chain_number_ || is_hub(rank)) continue;
            const double back = cost_[rank] - cost_at(rank, start_path);
            if (back > back_gain) {
                back_gain = back;
                who_comes_back = rank;
            }
            if (chain_.size() + 2 > longest) continue;
            const Target target = best_target(rank, start);
            if (target.found && target.gain > onward.gain) {
                onward = target;
                who_goes_on = rank;
            }
        }
        if (gained + back_gain > least_gain) {
            in_chain_[who_comes_back] = chain_number_;
            put(who_comes_back, start);
            settle(true);
            return gained + back_gain;
        }
        if (!onward.found || gained + onward.gain <= least_gain) break;
        in_chain_[who_goes_on] = chain_number_;
        put(who_goes_on, onward.bin);
        gained += onward.gain;
        full = onward.bin;
    }
    take_back();
    return 0.0;
}

/// The members' lists after a chain that is kept: each takes the place of the next one in it.
void HopBytesSearch::settle(bool closed) {
    const auto place_of = [&](const Step& step) {
        const std::span<std::uint32_t> there = members(step.from);
        return static_cast<std::uint32_t>(
            first_member_[step.from] +
            (std::find(there.begin(), there.end(), step.rank) - there.begin()));
    };
    std::vector<std::uint32_t> places;
    places.reserve(chain_.size());
    for (const Step& step : chain_) places.push_back(place_of(step));
    for (std::size_t i = 0; i + 1 < chain_.size(); ++i) member_[places[i + 1]] = chain_[i].rank;
    if (closed) {
        member_[places.front()] = chain_.back().rank;
        return;
    }
    // The first one's place is left to the last of its bin; the last one has a new place.
    const GroupId left = chain_.front().from;
    member_[places.front()] = member_[first_member_[left] + --num_members_[left]];
    const GroupId entered = bin_of_[chain_.back().rank];
    member_[first_member_[entered] + num_members_[entered]++] = chain_.back().rank;
}

void HopBytesSearch::take_back() {
    for (std::size_t i = chain_.size(); i-- > 0;) {
        const Step step = chain_[i];
        put(step.rank, step.from);
    }
    chain_.clear();
}

/// Of its messages, if it were there.
double HopBytesSearch::cost_at(std::uint32_t rank, MachineTree::Path path) const {
    double cost = 0.0;
    for (std::uint32_t i = graph_.first[rank]; i < graph_.first[rank + 1]; ++i) {
        cost += static_cast<double>(graph_.weights[i]) *
                machine_.distance(path, path_of_[graph_.neighbours[i]]);
    }
    return cost;
}

/// Where it gains the most among the bins that it sends the most to, its own and one more left out.
HopBytesSearch::Target HopBytesSearch::best_target(std::uint32_t rank, GroupId not_there) {
    near_.clear();
    for (std::uint32_t i = graph_.first[rank]; i < graph_.first[rank + 1]; ++i) {
        const GroupId bin = bin_of_[graph_.neighbours[i]];
        if (weight_to_[bin] == 0.0) near_.push_back(bin);
        weight_to_[bin] += static_cast<double>(graph_.weights[i]);
    }
    if (near_.size() > most_targets) {
        std::partial_sort(
            near_.begin(), near_.begin() + most_targets, near_.end(), [&](GroupId a, GroupId b) {
                return weight_to_[a] != weight_to_[b] ? weight_to_[a] > weight_to_[b] : a < b;
            });
    }
    Target best{-std::numeric_limits<double>::infinity(), 0, false};
    for (std::size_t i = 0; i < std::min(near_.size(), most_targets); ++i) {
        const GroupId bin = near_[i];
        if (bin == bin_of_[rank] || bin == not_there) continue;
        const double gain = cost_[rank] - cost_at(rank, machine_.path(bin));
        if (gain > best.gain) best = {gain, bin, true};
    }
    for (const GroupId bin : near_) weight_to_[bin] = 0.0;
    return best;
}

void HopBytesSearch::put(std::uint32_t rank, GroupId bin) {
    chain_.push_back({rank, bin_of_[rank]});
    const MachineTree::Path from = path_of_[rank];
    const MachineTree::Path to = machine_.path(bin);
    bin_of_[rank] = bin;
    path_of_[rank] = to;
    double cost = 0.0;
    for (std::uint32_t i = graph_.first[rank]; i < graph_.first[rank + 1]; ++i) {
        const std::uint32_t u = graph_.neighbours[i];
        const auto weight = static_cast<double>(graph_.weights[i]);
        const double there = machine_.distance(to, path_of_[u]);
        cost += weight * there;
        cost_[u] += weight * (there - machine_.distance(from, path_of_[u]));
    }
    cost_[rank] = cost;
}

}  // namespace commmap
