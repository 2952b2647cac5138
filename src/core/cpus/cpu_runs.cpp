// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/cpu_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace commmap {
namespace {

constexpr std::size_t most_candidates = std::size_t{1} << 20U;

/// The cost of a group in a run: one group less outweighs any number of groups in common.
constexpr std::uint64_t one_group = std::uint64_t{1} << 24U;

/// The best choice for a run: its beginning, and the cost of all runs up to this run.
struct Best {
    std::uint64_t cost = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t spared = 0;
};

/// Finds the runs one after the other. Run k begins at k * size + spared. `spared` is the number of
/// CPUs passed over before the run, and never falls.
class RunFinder {
public:
    RunFinder(const EnclosingGroups& groups, std::span<const std::uint32_t> cpus,
              std::uint32_t size)
        : groups_(groups), cpus_(cpus), size_(size), entered_(cpus.size(), 0) {
        for (std::size_t i = 1; i < cpus.size(); ++i) {
            const auto begins = groups.begins(cpus[i]);
            const auto common = std::upper_bound(begins.begin(), begins.end(), cpus[i - 1]);
            entered_[i] = entered_[i - 1] + static_cast<std::uint64_t>(begins.end() - common);
        }
    }

    std::vector<std::uint32_t> find(std::uint32_t count) {
        const std::size_t spare =
            std::min(cpus_.size() - std::size_t{count} * size_, most_candidates / count);
        std::vector<std::vector<Best>> best;  // as [k][s]: run k with at most s CPUs spared
        for (std::uint32_t k = 0; k < count; ++k) {
            std::vector<Best> of_run(spare + 1);
            for (std::uint32_t spared = 0; spared <= spare; ++spared) {
                const std::size_t first = std::size_t{k} * size_ + spared;
                std::uint64_t cost = groups_in_run(first) * one_group;
                if (k > 0) cost += cost_before(best.back(), k, first);
                of_run[spared] = {cost, spared};
                if (spared > 0 && of_run[spared - 1].cost <= cost)
                    of_run[spared] = of_run[spared - 1];
            }
            best.push_back(std::move(of_run));
        }
        return trace_back(best);
    }

private:
    [[nodiscard]] std::uint64_t groups_in_run(std::size_t first) const {
        return groups_.begins(cpus_[first]).size() + entered_[first + size_ - 1] - entered_[first];
    }

    /// Lists the choices for the runs before run k, which begins at `first`. Calls
    /// use(best, common) for each number of groups that the run before may share with run k.
    template <class Use>
    void for_each_choice(const std::vector<Best>& before, std::uint32_t k, std::size_t first,
                         Use&& use) const {
        const std::size_t least = std::size_t{k} * size_;  // the earliest end of the run before
        const auto begins = groups_.begins(cpus_[first]);
        for (std::size_t common = 0; common < begins.size(); ++common) {
            const auto group = std::lower_bound(cpus_.begin(), cpus_.end(), begins[common]);
            const auto end = static_cast<std::size_t>(group - cpus_.begin());
            if (end >= least) use(before[end - least], common);
        }
        use(before[first - least], begins.size());
    }

    [[nodiscard]] std::uint64_t cost_before(const std::vector<Best>& before, std::uint32_t k,
                                            std::size_t first) const {
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for_each_choice(before, k, first, [&](const Best& best, std::size_t common) {
            least = std::min(least, best.cost + common);
        });
        return least;
    }

    [[nodiscard]] std::vector<std::uint32_t> trace_back(
        const std::vector<std::vector<Best>>& best) const {
        std::vector<std::uint32_t> firsts(best.size());
        Best chosen = best.back().back();
        for (std::size_t k = best.size(); k-- > 0;) {
            const std::size_t first = k * size_ + chosen.spared;
            firsts[k] = static_cast<std::uint32_t>(first);
            if (k == 0) break;
            Best before;
            std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
            for_each_choice(best[k - 1], static_cast<std::uint32_t>(k), first,
                            [&](const Best& choice, std::size_t common) {
                                if (choice.cost + common >= least) return;
                                least = choice.cost + common;
                                before = choice;
                            });
            chosen = before;
        }
        return firsts;
    }

    const EnclosingGroups& groups_;
    std::span<const std::uint32_t> cpus_;
    std::uint32_t size_;
    std::vector<std::uint64_t> entered_;  ///< groups entered on the way from the first CPU
};

}  // namespace

EnclosingGroups::EnclosingGroups(const CpuTree& tree) {
    const std::uint32_t cpus = tree.groups.empty() ? 0 : tree.groups.front().num_cpus;
    const auto counts = [](const CpuTree::Group& group) {
        return group.num_children != 1 && group.num_cpus > 1;
    };
    offsets_.assign(std::size_t{cpus} + 1, 0);
    for (const CpuTree::Group& group : tree.groups) {
        if (!counts(group)) continue;
        for (std::uint32_t i = 0; i < group.num_cpus; ++i) ++offsets_[group.first_cpu + i + 1];
    }
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) offsets_[cpu + 1] += offsets_[cpu];
    begins_.resize(offsets_.back());
    std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const CpuTree::Group& group : tree.groups) {  // breadth first: the largest first
        if (!counts(group)) continue;
        for (std::uint32_t i = 0; i < group.num_cpus; ++i)
            begins_[next[group.first_cpu + i]++] = group.first_cpu;
    }
}

std::vector<std::uint32_t> choose_runs(const EnclosingGroups& groups,
                                       std::span<const std::uint32_t> cpus, std::uint32_t count,
                                       std::uint32_t size) {
    if (count == 0) return {};
    return RunFinder(groups, cpus, size).find(count);
}

}  // namespace commmap
