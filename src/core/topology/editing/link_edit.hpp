// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/topology/bandwidth_curve.hpp"

namespace commmap {

/// Numbers of a link as they were measured, in payload (Channel::is_payload).
struct LinkNumbers {
    double latency_s = 0.0;    ///< of both directions
    BandwidthCurve bandwidth;  ///< of both directions; has a point
    /// Maxima, at least bandwidth.of_longest().
    double max_out_bytes_per_s = 0.0;
    double max_in_bytes_per_s = 0.0;
    double gap_s = 0.0;  ///< of both directions, at most the latency; 0: not measured
    /// Whether both directions share the bandwidth; the maxima are equal then.
    bool half_duplex = false;
};

/// A link of a cluster YAML that gets new numbers.
struct LinkEdit {
    /// The keys that lead to the link's map: {"links", NAME}, {"node_classes", CLASS, "link"} or
    /// {"switches", SWITCH, "link"}. A missing NAME is added behind the last link.
    std::vector<std::string> path;
    LinkNumbers numbers;
    /// Lines of comment without "# ", which stand above the link. They take the place of lines that
    /// begin like the first one, up to its first ": ".
    std::vector<std::string> comments;
    bool of_inside = false;  ///< a link of ports inside nodes, which `inside` of a class may name
};

/// A switch of a cluster YAML that gets a new `max_bandwidth`.
struct SwitchEdit {
    std::string name;
    double max_bytes_per_s = 0.0;
    std::vector<std::string> comments;  ///< above the switch, as LinkEdit::comments
};

/// Writes measured numbers into the text of a cluster YAML, and leaves all other bytes as they are.
///
/// - Values of `latency`, `gap`, `bandwidth` and `max_bandwidth` are replaced where they stand, for
///   both directions or under `out` and `in`. What is missing is added behind the last key, in the
///   style of the map. `rate: payload` is added, or takes the place of another rate.
/// - `duplex: half` is added to a half-duplex link. Other links get no `duplex`: one that is there
///   becomes `full`.
/// - Comments stay. Those inside of a replaced value stand in front of its new text.
/// - A `gap` that was not measured stays, unless it would be longer than the new latency. Then it
///   is shortened by as much as the latency, which a comment says.
/// - `max_bandwidth` of a switch is replaced, or added behind the switch's last key.
/// - Line ends are those of the file.
///
/// @param text   a file that parse_cluster_yaml() accepts
/// @param name   of the file, for errors
/// Errors: invalid_input, "FILE:LINE:COLUMN: what":
/// - An anchor, an alias, a tag or text over several lines stands in or above a link or switch that
///   is to be changed.
/// - `max_bandwidth` would have to be taken apart beside `out` and `in`.
/// - A half-duplex link has `out` or `in`.
/// - The file has no switch of that name.
/// - The new text would change more than these links and switches.
/// Cost: O(text * edits).
[[nodiscard]] Result<std::string> edit_links(std::string_view text, const std::string& name,
                                             std::span<const LinkEdit> edits,
                                             std::span<const SwitchEdit> switches = {});

}  // namespace commmap
