#include "core/mapping/group_filling.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace commmap {

std::vector<std::vector<std::uint32_t>> fill_groups(const MachineTree& machine,
                                                    std::uint32_t num_ranks) {
    assert(num_ranks <= machine.num_pus() && "more ranks than PUs");
    std::vector<std::vector<std::uint32_t>> filled(machine.num_levels());
    filled[0] = {num_ranks};
    std::vector<GroupId> children;
    for (std::size_t depth = 0; depth + 1 < machine.num_levels(); ++depth) {
        const MachineTree::Level& level = machine.level(depth);
        const std::vector<std::uint32_t>& capacity = machine.level(depth + 1).capacity;
        filled[depth + 1].assign(capacity.size(), 0);
        for (GroupId group = 0; group < filled[depth].size(); ++group) {
            children.resize(level.first_child[group + 1] - level.first_child[group]);
            std::iota(children.begin(), children.end(), level.first_child[group]);
            std::stable_sort(children.begin(), children.end(),
                             [&](GroupId a, GroupId b) { return capacity[a] > capacity[b]; });
            std::uint32_t left = filled[depth][group];
            for (const GroupId child : children) {
                filled[depth + 1][child] = std::min(left, capacity[child]);
                left -= filled[depth + 1][child];
            }
        }
    }
    return filled;
}

namespace {

class FillByHalves {
public:
    FillByHalves(const MachineTree& machine, std::uint32_t num_ranks, const Halve& halve)
        : machine_(machine),
          halve_(halve),
          filled_(fill_groups(machine, num_ranks)),
          bin_of_rank_(num_ranks, 0) {}

    std::vector<GroupId> run() {
        std::vector<RankId> ranks(bin_of_rank_.size());
        std::iota(ranks.begin(), ranks.end(), RankId{0});
        into_group(0, 0, ranks);
        return std::move(bin_of_rank_);
    }

private:
    void into_group(std::size_t depth, GroupId group, std::span<RankId> ranks) {
        if (depth + 1 == machine_.num_levels()) {
            for (const RankId rank : ranks) bin_of_rank_[rank] = group;
            return;
        }
        const MachineTree::Level& level = machine_.level(depth);
        into_children(depth + 1, level.first_child[group], level.first_child[group + 1], ranks);
    }

    /// Into the groups first .. last-1, children of one.
    void into_children(std::size_t depth, GroupId first, GroupId last, std::span<RankId> ranks) {
        const std::vector<std::uint32_t>& filled = filled_[depth];
        while (first < last && filled[first] == 0) ++first;
        while (first < last && filled[last - 1] == 0) --last;
        if (first == last) return;
        if (last - first == 1) {
            into_group(depth, first, ranks);
            return;
        }
        const GroupId middle = first + (last - first) / 2;
        const std::size_t target =
            std::accumulate(filled.begin() + first, filled.begin() + middle, std::size_t{0});
        if (target > 0 && target < ranks.size()) halve_(ranks, target, depth);
        into_children(depth, first, middle, ranks.first(target));
        into_children(depth, middle, last, ranks.subspan(target));
    }

    const MachineTree& machine_;
    const Halve& halve_;
    std::vector<std::vector<std::uint32_t>> filled_;
    std::vector<GroupId> bin_of_rank_;
};

}  // namespace

std::vector<GroupId> fill_by_halves(const MachineTree& machine, std::uint32_t num_ranks,
                                    const Halve& halve) {
    return FillByHalves(machine, num_ranks, halve).run();
}

}  // namespace commmap
