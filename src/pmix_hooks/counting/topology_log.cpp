// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/topology_log.hpp"

#include <algorithm>
#include <array>

#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {

void TopologyLog::add(MPI_Comm comm, CommEntry& entry, CommMap& comms) noexcept {
    constexpr std::size_t most_dims = ProcessTopology::most_dims;
    int kind = MPI_UNDEFINED;
    if (PMPI(Topo_test)(comm, &kind) != MPI_SUCCESS) return end();
    if (kind == MPI_UNDEFINED) return;
    if (kind != MPI_CART) {
        const Neighbours* neighbours = comms.neighbours(comm, entry);
        if (neighbours == nullptr || neighbours->count > ProcessTopology::most_numbers)
            return end();
        std::array<std::uint32_t, ProcessTopology::most_numbers> peers{};
        // a neighbour may be MPI_PROC_NULL
        std::uint32_t* const peers_end =
            std::copy_if(neighbours->peers, neighbours->peers + neighbours->count, peers.data(),
                         [](RankId peer) { return peer != no_id; });
        return add(*entry.group, 0, {peers.data(), peers_end});
    }
    int num_dims = 0;
    std::array<int, most_dims> dims{};
    std::array<int, most_dims> periods{};
    std::array<int, most_dims> own_place{};
    if (PMPI(Cartdim_get)(comm, &num_dims) != MPI_SUCCESS || num_dims > static_cast<int>(most_dims))
        return end();
    if (num_dims <= 0) return;  // a grid of one cell has no sides
    if (PMPI(Cart_get)(comm, num_dims, dims.data(), periods.data(), own_place.data()) !=
        MPI_SUCCESS)
        return end();
    const auto sides = static_cast<std::uint32_t>(num_dims);
    std::array<std::uint32_t, 2 * most_dims> numbers{};
    for (std::uint32_t i = 0; i < sides; ++i) {
        numbers[i] = static_cast<std::uint32_t>(dims[i]);
        numbers[sides + i] = periods[i] != 0 ? 1 : 0;
    }
    add(*entry.group, sides, {numbers.data(), std::size_t{2} * sides});
}

bool TopologyLog::has(const TopologyEntry& grid) const noexcept {
    for (const TopologyEntry* known = latest_->load(std::memory_order_relaxed); known != nullptr;
         known = known->next)
        if (known->group == grid.group && known->num_dims == grid.num_dims &&
            std::equal(grid.numbers, grid.numbers + grid.num_numbers, known->numbers))
            return true;
    return false;
}

void TopologyLog::add(RankGroup& group, std::uint32_t num_dims,
                      std::span<const std::uint32_t> numbers) noexcept {
    TopologyEntry entry{.group = group.number,
                        .num_dims = num_dims,
                        .numbers = numbers.data(),
                        .num_numbers = static_cast<std::uint32_t>(numbers.size())};
    const std::lock_guard lock(mutex_);
    if (is_full() || (num_dims > 0 && has(entry))) return;
    if (count_ == ProcessTopology::most_of_rank ||
        numbers.size() > ProcessTopology::most_numbers - num_numbers_)
        return end();
    constexpr std::size_t for_counters = Arena::max_bytes / 2;
    auto* const copy = arena_->make_array<std::uint32_t>(numbers.size(), for_counters);
    auto* const made = copy == nullptr ? nullptr : arena_->make<TopologyEntry>(for_counters);
    if (made == nullptr) return end();
    std::copy(numbers.begin(), numbers.end(), copy);
    entry.numbers = copy;
    entry.next = latest_->load(std::memory_order_relaxed);
    *made = entry;
    group.has_topology = true;  // before the entry is seen: a reader looks for its group
    latest_->store(made, std::memory_order_release);
    ++count_;
    num_numbers_ += numbers.size();
}

}  // namespace commmap::hooks
