// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/editing/edited_cluster.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/text/one_line.hpp"

namespace commmap {
namespace {

/// Three digits are written: 1.00 may stand for 1.005.
bool is_rounded(double read, double measured) {
    constexpr double rounding = 0.0051;
    return std::abs(read - measured) <= rounding * measured;
}

bool has(const Channel& channel, const LinkNumbers& numbers, double max_bytes_per_s) {
    const auto read = channel.bandwidth.points();
    const auto measured = numbers.bandwidth.points();
    // one value stands for all lengths
    if (read.size() != measured.size() || !channel.is_payload) return false;
    for (std::size_t p = 0; p < read.size(); ++p) {
        if (read.size() > 1 && read[p].length_bytes != measured[p].length_bytes) return false;
        if (!is_rounded(read[p].bandwidth_bytes_per_s, measured[p].bandwidth_bytes_per_s)) {
            return false;
        }
    }
    return is_rounded(channel.latency_ns, numbers.latency_s * 1e9) &&
           channel.gap_ns <= channel.latency_ns &&
           (numbers.gap_s == 0 || is_rounded(channel.gap_ns, numbers.gap_s * 1e9)) &&
           is_rounded(channel.max_bandwidth_bytes_per_s, max_bytes_per_s);
}

const LinkEdit* edit_of(std::span<const LinkEdit> edits, const std::string& link_name,
                        std::string_view section, const std::string& user) {
    for (const LinkEdit& edit : edits) {
        if (edit.of_inside) continue;
        const bool named = edit.path.size() == 2;
        if (named ? !link_name.empty() && edit.path[1] == link_name
                  : link_name.empty() && edit.path[0] == section && edit.path[1] == user) {
            return &edit;
        }
    }
    return nullptr;
}

bool is_as_wanted(const Port& before, const Port& after, const LinkEdit* edit) {
    if (edit == nullptr) return before == after;
    return after.half_duplex == edit->numbers.half_duplex &&
           has(after.out, edit->numbers, edit->numbers.max_out_bytes_per_s) &&
           has(after.in, edit->numbers, edit->numbers.max_in_bytes_per_s);
}

/// Ports inside nodes change where a link of theirs was measured, and nowhere else.
bool is_inside_as_wanted(const NodeClass& before, const NodeClass& after,
                         std::span<const LinkEdit> edits) {
    if (before.inside.size() != after.inside.size()) return false;
    return std::all_of(before.inside.begin(), before.inside.end(), [&](const auto& port) {
        const auto now = after.inside.find(port.first);
        if (now == after.inside.end()) return false;
        const auto name = before.inside_link_names.find(port.first);
        const LinkEdit* edit = nullptr;
        for (const LinkEdit& one : edits) {
            const bool its = one.of_inside && one.path.size() == 2 &&
                             name != before.inside_link_names.end() && one.path[1] == name->second;
            if (its) edit = &one;
        }
        return is_as_wanted(port.second, now->second, edit);
    });
}

Error differs(const char* what, const std::string& name) {
    return {Errc::internal, fmt::format("the link of {} {} would not be read as it was written",
                                        what, quoted(name))};
}

}  // namespace

Status check_edited(const Cluster& before, const Cluster& after, std::span<const LinkEdit> edits,
                    std::span<const SwitchEdit> switches) {
    if (before.classes.size() != after.classes.size() ||
        before.switches.size() != after.switches.size() ||
        before.nodes.size() != after.nodes.size()) {
        return Error{Errc::internal, "the new text would be another cluster"};
    }
    for (std::size_t c = 0; c < before.classes.size(); ++c) {
        const NodeClass& old = before.classes[c];
        const LinkEdit* edit = edit_of(edits, old.link_name, "node_classes", old.name);
        const NodeClass& now = after.classes[c];
        if (!is_as_wanted(old.link, now.link, edit) || old.link_name != now.link_name) {
            return differs("class", old.name);
        }
        if (!is_inside_as_wanted(old, now, edits)) {
            return Error{
                Errc::invalid_input,
                fmt::format("a measured link stands in 'inside' of class {} too: give that "
                            "place a link of its own",
                            quoted(old.name))};
        }
    }
    for (std::size_t s = 0; s < before.switches.size(); ++s) {
        const Cluster::Switch& old = before.switches[s];
        const LinkEdit* edit = edit_of(edits, old.link_name, "switches", old.name);
        const Cluster::Switch& now = after.switches[s];
        if (!is_as_wanted(old.link, now.link, edit) || old.link_name != now.link_name) {
            return differs("switch", old.name);
        }
        const auto is_edited = [&](const SwitchEdit& one) { return one.name == old.name; };
        const auto found = std::find_if(switches.begin(), switches.end(), is_edited);
        const double max = now.max_bandwidth_bytes_per_s;
        const bool as_wanted = found == switches.end() ? max == old.max_bandwidth_bytes_per_s
                                                       : is_rounded(max, found->max_bytes_per_s);
        if (!as_wanted) {
            return Error{Errc::internal, fmt::format("max_bandwidth of switch {} would not be read "
                                                     "as it was written",
                                                     quoted(old.name))};
        }
    }
    return Ok{};
}

}  // namespace commmap
