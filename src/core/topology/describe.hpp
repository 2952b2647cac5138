#pragma once

#include <string>

#include "core/topology/hct.hpp"

namespace commmap {

/// A topology for people, one line per kind of element, indented by depth, equal siblings folded:
///
///     8 nodes, 16 PUs
///     switch core
///       switch s0: link 12.5 MB/s + 60.0 us
///         5 x node m[0-4]: link 12.5 MB/s + 60.0 us; bound 4.00 GB/s
///           2 x pu: link 2.00 GB/s + 500 ns
///
/// Siblings are equal when everything below them is, names apart; neighbours among them are one
/// line, and what is below them is shown once, with all the names. "link" is the port to the parent
/// (out and in when they differ), "max" what all messages over it get together when that is more
/// than one gets, "bound" the element's own maximum bandwidth. Ends with a newline. Cost:
/// O(elements * log kinds).
[[nodiscard]] std::string describe(const Hct& hct);

/// "12.5 MB/s + 60.0 us, max 25.0 MB/s".
[[nodiscard]] std::string describe(const Port& port);

}  // namespace commmap
