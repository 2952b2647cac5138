// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "core/topology/hct.hpp"

namespace commmap {

/// Describes a topology for people: one line for each kind of element, indented by depth, with
/// equal siblings folded:
///     8 nodes, 16 PUs
///     switch core
///       switch s0: link 12.5 MB/s + 60.0 us
///         5 x node m[0-4]: link 12.5 MB/s + 60.0 us; bound 4.00 GB/s
///           2 x pu: link 2.00 GB/s + 500 ns
///
/// Siblings are equal when everything below them is equal, names apart. Neighbouring equal siblings
/// share a line with all their names, and what is below them is shown once.
/// - "link" is the port to the parent (out and in when they differ).
/// - "max" is the bandwidth that all messages on the link get together, when that is more than one
///   message gets.
/// - "payload" says that these numbers count the bytes of messages only (Channel::is_payload).
/// - "half duplex" says that both directions share the bandwidth.
/// - "bound" is the maximum bandwidth of the element itself.
/// Ends with a newline.
/// Cost: O(elements * log kinds).
[[nodiscard]] std::string describe(const Hct& hct);

/// Describes a port: "12.5 MB/s + 60.0 us, max 25.0 MB/s".
[[nodiscard]] std::string describe(const Port& port);

}  // namespace commmap
