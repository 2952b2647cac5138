// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/estimate/estimator.hpp"

namespace commmap {

/// Expected communication time of the slowest process, in seconds. Lower is better.
/// T(X) = max over processes i of the sum over j of d_ij / b_z(p,q), where p, q are the PUs of i
/// and j and d_ij the bytes both ways.
///
/// b_z(p,q), "the bandwidth of the channel of the level through which they interact", is here the
/// slowest channel of the path. It is the minimum over the ports that a message from p to q uses.
/// A port counts with its observed bandwidth at the mean message length, capped by its maximum
/// bandwidth.
/// Ranks on one PU cost nothing.
///
/// @return  invalid_input as check_placement()
/// Cost: O(entries * depth). Thread-safe. Same input, same result.
/// Source: Khoroshevsky, Kurnosov, "Mapping Parallel Programs into Hierarchical Distributed
/// Computer Systems", ICSOFT 2009, Sec. 3.1 and Eq. (1). Latency does not enter, as in the paper.
/// Differs from the paper:
/// - A level has one bandwidth there. Here each port has its own, by direction and by message
///   length, so d_ij is summed entry by entry.
/// - The paper chooses mappings by T(X). Here `commmap map --objective process-time` lowers T(X).
///   No plan uses it: messages that share a link count as alone, so T(X) cannot say what a run
///   would gain.
[[nodiscard]] Result<double> process_time(const CommGraph& graph, const Hct& hct,
                                          Placement placement);

}  // namespace commmap
