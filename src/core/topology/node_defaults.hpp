// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/topology/hct.hpp"

namespace commmap {

/// Returns the built-in port of an element inside a node, for cluster YAMLs that do not give one.
///
/// A port has the bandwidth and latency that a whole message is seen to get when it passes this
/// level, with MPI's two copies through shared memory. So the numbers get worse towards the root
/// (Sweeney et al., Sec. 4, assumption ii), and are not to be added up along a path. They are round
/// values for two-package x86 servers of the 2020s, not measurements of one machine. Their ratios
/// decide a mapping; their absolute values only matter beside those of the network. Measured values
/// go into `inside:` of the cluster YAML.
///     level    one message      all together
///     pu       12 GB/s, 200 ns  12 GB/s
///     core     10 GB/s, 250 ns  10 GB/s
///     cache     9 GB/s, 350 ns  40 GB/s
///     numa      8 GB/s, 450 ns  80 GB/s
///     package   6 GB/s, 600 ns  40 GB/s
///
/// - pu: threads of a core share L1 and L2, so that a copy runs a little faster than the next line.
/// - core: one core copies about 10 GB/s, and no faster when it has several messages.
/// - cache: out of an L3; a die fabric moves about 32 bytes a cycle at 1.8 GHz, less its protocol.
/// - numa: four channels of DDR5-4800 are 154 GB/s, which a copy halves by reading and writing.
/// - package: two UPI links of 20.8 GB/s in each direction.
///
/// @pre level is inside a node: package, numa, cache, core or pu
[[nodiscard]] Port default_port(Level level);

}  // namespace commmap
