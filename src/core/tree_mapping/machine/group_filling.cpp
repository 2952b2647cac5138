// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/machine/group_filling.hpp"

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

/// Returns by level and group whether the group's ranks are divided among groups anywhere below it.
std::vector<std::vector<bool>> divided_groups(
    const MachineTree& machine, const std::vector<std::vector<std::uint32_t>>& filled) {
    std::vector<std::vector<bool>> divided(filled.size());
    for (std::size_t depth = filled.size(); depth-- > 0;) {
        divided[depth].assign(filled[depth].size(), false);
        if (depth + 1 == filled.size()) continue;
        const MachineTree::Level& level = machine.level(depth);
        for (GroupId group = 0; group < filled[depth].size(); ++group) {
            std::size_t children = 0;
            for (GroupId c = level.first_child[group]; c < level.first_child[group + 1]; ++c) {
                if (filled[depth + 1][c] == 0) continue;
                ++children;
                if (divided[depth + 1][c]) divided[depth][group] = true;
            }
            if (children > 1) divided[depth][group] = true;
        }
    }
    return divided;
}

class FillByHalves {
public:
    FillByHalves(const MachineTree& machine, std::size_t num_ranks, const Splitting& splitting,
                 Threads& threads)
        : machine_(machine),
          splitting_(splitting),
          threads_(threads),
          filled_(fill_groups(machine, static_cast<std::uint32_t>(num_ranks))),
          divided_(divided_groups(machine, filled_)),
          bin_of_rank_(num_ranks, 0) {}

    std::vector<GroupId> run(std::span<RankId> ranks) {
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
        const std::vector<std::uint32_t>& filled = filled_[depth + 1];
        into_children(depth + 1, level.first_child[group], level.first_child[group + 1], ranks);
        std::vector<std::uint32_t> first{0};
        std::vector<GroupId> children;
        for (GroupId c = level.first_child[group]; c < level.first_child[group + 1]; ++c) {
            if (filled[c] == 0) continue;
            children.push_back(c);
            first.push_back(first.back() + filled[c]);
        }
        if (splitting_.improve && children.size() > 1)
            splitting_.improve(ranks, first, {depth + 1, number_of(depth, group, group), {}});
        each(children.size(), ranks.size(), [&](std::size_t i) {
            into_group(depth + 1, children[i], ranks.subspan(first[i], filled[children[i]]));
        });
    }

    /// Divides ranks among the groups first .. last-1, which are children of one group. Afterwards
    /// the ranks stand in the order of these groups.
    void into_children(std::size_t depth, GroupId first, GroupId last, std::span<RankId> ranks) {
        const std::vector<std::uint32_t>& filled = filled_[depth];
        while (first < last && filled[first] == 0) ++first;
        while (first < last && filled[last - 1] == 0) --last;
        if (last - first < 2) return;
        const GroupId middle = first + (last - first) / 2;
        const std::size_t target =
            std::accumulate(filled.begin() + first, filled.begin() + middle, std::size_t{0});
        if (target > 0 && target < ranks.size()) {
            const auto half = [&](GroupId begin, GroupId end) {
                return Division::Half{end - begin > 1, end - begin == 1 && divided_[depth][begin]};
            };
            splitting_.halve(
                ranks, target,
                {depth, number_of(depth, first, last), {half(first, middle), half(middle, last)}});
        }
        each(2, ranks.size(), [&](std::size_t half) {
            if (half == 0)
                into_children(depth, first, middle, ranks.first(target));
            else
                into_children(depth, middle, last, ranks.subspan(target));
        });
    }

    /// Calls use(0) to use(count - 1), with several threads if there are enough ranks.
    template <class Use>
    void each(std::size_t count, std::size_t num_ranks, const Use& use) {
        if (num_ranks < worth_a_thread) {
            for (std::size_t i = 0; i < count; ++i) use(i);
            return;
        }
        threads_.parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) use(i);
        });
    }

    /// Returns Division::number. The numbers are unique because there are fewer than 2^26 groups
    /// and at most 16 levels.
    [[nodiscard]] static std::uint64_t number_of(std::size_t depth, GroupId first, GroupId last) {
        return (std::uint64_t{depth} << 58U) ^ (std::uint64_t{first} << 29U) ^ last;
    }

    static constexpr std::size_t worth_a_thread = 1024;

    const MachineTree& machine_;
    const Splitting& splitting_;
    Threads& threads_;
    std::vector<std::vector<std::uint32_t>> filled_;
    std::vector<std::vector<bool>> divided_;
    std::vector<GroupId> bin_of_rank_;
};

}  // namespace

std::vector<GroupId> fill_by_halves(const MachineTree& machine, std::vector<RankId> ranks,
                                    const Splitting& splitting, Threads& threads) {
    return FillByHalves(machine, ranks.size(), splitting, threads).run(ranks);
}

}  // namespace commmap
