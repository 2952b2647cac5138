// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "core/collectives/schedule.hpp"

namespace commmap {

// One function for each algorithm, each in the file of its name. A function appends the messages of
// one call in the order in which data flows. A call with fewer than two members has no messages.
// Messages of zero bytes are kept, because they cost latency.

void barrier_dissemination(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void barrier_recursive_doubling(const CollectiveCall& call,
                                std::vector<ScheduledMessage>& messages);
void bcast_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void bcast_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void bcast_chain(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void bcast_scatter_allgather(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void bcast_scatter_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void reduce_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void reduce_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void reduce_chain(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void reduce_scatter_gather(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void allreduce_recursive_doubling(const CollectiveCall& call,
                                  std::vector<ScheduledMessage>& messages);
void allreduce_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void allreduce_rabenseifner(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void allreduce_nonoverlapping(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void gather_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void gather_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void scatter_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void scatter_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void allgather_recursive_doubling(const CollectiveCall& call,
                                  std::vector<ScheduledMessage>& messages);
void allgather_bruck(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void allgather_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void alltoall_bruck(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void alltoall_pairwise(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void reduce_scatter_halving(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void reduce_scatter_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void reduce_scatter_pairwise(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void scan_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
void scan_recursive_doubling(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);
/// Appends nothing: the profile has neighbourhood collectives as point-to-point messages.
void neighbor_recorded(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);

}  // namespace commmap
