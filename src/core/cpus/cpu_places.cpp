// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/cpu_places.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>

#include "core/cpus/cpu_runs.hpp"

namespace commmap {
namespace {

/// Divides `count` tasks among groups in proportion to `rooms`. A task that rounding leaves over
/// goes to the group of which the smallest part is used, the first among equals.
std::vector<std::uint32_t> shares(std::span<const std::uint32_t> rooms, std::uint64_t room,
                                  std::uint32_t count) {
    std::vector<std::uint32_t> share(rooms.size());
    std::uint32_t given = 0;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        share[i] =
            room == 0 ? 0 : static_cast<std::uint32_t>(count * std::uint64_t{rooms[i]} / room);
        given += share[i];
    }
    const auto fuller = [&](std::size_t a, std::size_t b) {  // compares share/room without dividing
        return std::uint64_t{share[a]} * rooms[b] > std::uint64_t{share[b]} * rooms[a];
    };
    for (; given < count; ++given) {
        std::size_t emptiest = rooms.size();
        for (std::size_t i = 0; i < rooms.size(); ++i) {
            if (share[i] == rooms[i]) continue;
            if (emptiest == rooms.size() || fuller(emptiest, i)) emptiest = i;
        }
        ++share[emptiest];
    }
    return share;
}

class CpuDivider {
public:
    CpuDivider(const CpuTree& tree, std::uint32_t size) : tree_(tree), groups_(tree), size_(size) {}

    /// Adds `count` CPU sets below the group. CPUs that stay free go to `unused`, ascending.
    /// @pre count <= CPUs of the group / size
    void divide(const CpuTree::Group& group, std::uint32_t count,
                std::vector<std::uint32_t>& unused) {
        if (group.num_children == 0 || count == 0) {
            const std::uint32_t end = group.first_cpu + group.num_cpus;
            std::uint32_t cpu = group.first_cpu;
            for (; count > 0; --count, cpu += size_) {
                CpuPlace& place = places_.emplace_back(size_);
                std::iota(place.begin(), place.end(), cpu);
            }
            for (; cpu < end; ++cpu) unused.push_back(cpu);
            return;
        }
        const std::span children(tree_.groups.data() + group.first_child, group.num_children);
        std::vector<std::uint32_t> rooms;
        std::uint32_t room = 0;
        for (const CpuTree::Group& child : children) {
            rooms.push_back(child.num_cpus / size_);
            room += rooms.back();
        }
        const std::uint32_t inside = std::min(count, room);
        const std::vector<std::uint32_t> share = shares(rooms, room, inside);
        std::vector<std::uint32_t> left;
        for (std::size_t i = 0; i < children.size(); ++i) divide(children[i], share[i], left);
        take(left, count - inside, unused);
    }

    [[nodiscard]] std::vector<CpuPlace> places() && {
        std::sort(places_.begin(), places_.end());
        return std::move(places_);
    }

private:
    void take(std::span<const std::uint32_t> left, std::uint32_t count,
              std::vector<std::uint32_t>& unused) {
        std::uint32_t next = 0;
        const auto leave = [&](std::size_t end) {
            const auto passed = left.subspan(next, end - next);
            unused.insert(unused.end(), passed.begin(), passed.end());
        };
        for (const std::uint32_t first : choose_runs(groups_, left, count, size_)) {
            leave(first);
            const auto run = left.subspan(first, size_);
            places_.emplace_back(run.begin(), run.end());
            next = first + size_;
        }
        leave(left.size());
    }

    const CpuTree& tree_;
    EnclosingGroups groups_;
    std::uint32_t size_;
    std::vector<CpuPlace> places_;
};

}  // namespace

Result<std::vector<CpuPlace>> divide_cpus(const CpuTree& tree, std::uint32_t num_tasks,
                                          std::uint32_t cpus_per_place) {
    if (cpus_per_place == 0)
        return Error{Errc::invalid_input, "a task needs at least 1 CPU (cpus-per-task is 0)"};
    const std::uint32_t cpus = tree.groups.empty() ? 0 : tree.groups.front().num_cpus;
    if (num_tasks > cpus / cpus_per_place) {
        return Error{Errc::out_of_range,
                     fmt::format("{} tasks of {} CPUs each do not fit on {} CPUs", num_tasks,
                                 cpus_per_place, cpus)};
    }
    if (num_tasks == 0) return std::vector<CpuPlace>{};
    CpuDivider divider(tree, cpus_per_place);
    std::vector<std::uint32_t> unused;
    divider.divide(tree.groups.front(), num_tasks, unused);
    return std::move(divider).places();
}

}  // namespace commmap
