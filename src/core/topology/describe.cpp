// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/describe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text/units.hpp"
#include "core/topology/node_names.hpp"

namespace commmap {
namespace {

std::string bandwidth_text(double bytes_per_s) {
    return std::isfinite(bytes_per_s) ? format_bytes(bytes_per_s) + "/s" : "unlimited";
}

std::string channel_text(const Channel& channel) {
    const auto points = channel.bandwidth.points();
    std::string text;
    if (points.size() <= 1) {
        text = bandwidth_text(channel.bandwidth.highest());
    } else {
        for (const BandwidthCurve::Point& point : points) {
            text += fmt::format("{}{}: {}", text.empty() ? "{" : ", ",
                                format_bytes(static_cast<double>(point.length_bytes)),
                                bandwidth_text(point.bandwidth_bytes_per_s));
        }
        text += "}";
    }
    if (channel.latency_ns > 0.0) text += " + " + format_seconds(channel.latency_ns * 1e-9);
    if (channel.max_bandwidth_bytes_per_s != channel.bandwidth.highest()) {
        text += ", max " + bandwidth_text(channel.max_bandwidth_bytes_per_s);
    }
    if (channel.is_payload) text += ", payload";
    return text;
}

class Describer {
public:
    explicit Describer(const Hct& hct) : hct_(hct), kind_(hct.num_elements(), 0) {
        for (const Port& port : hct.ports()) port_texts_.push_back(describe(port));
        find_kinds();
    }

    std::string text() {
        text_ = fmt::format("{} {}, {} {}\n", hct_.num_nodes(),
                            hct_.num_nodes() == 1 ? "node" : "nodes", hct_.num_pus(),
                            hct_.num_pus() == 1 ? "PU" : "PUs");
        // Recursion could overflow the stack: a chain of switches may be as long as its file.
        struct Open {
            std::vector<ElementId> group;
            std::size_t count;
        };
        std::vector<Open> stack{{{0}, 1}};
        while (!stack.empty()) {
            const Open open = std::move(stack.back());
            stack.pop_back();
            add_line(open.group, open.count);
            const Element& first = hct_.element(open.group[0]);
            std::vector<Open> below;
            for (std::uint32_t c = 0; c < first.num_children;) {
                const std::uint32_t end = end_of_run(first, c);
                below.push_back({collect(open.group, c, end), end - c});
                c = end;
            }
            for (std::size_t i = below.size(); i-- > 0;) stack.push_back(std::move(below[i]));
        }
        return std::move(text_);
    }

private:
    /// Level, number of the port's text, own bound, and runs of equal children (kind and number of
    /// children). Elements of one kind are equal.
    using Kind =
        std::tuple<Level, std::size_t, double, std::vector<std::pair<std::size_t, std::size_t>>>;

    void find_kinds() {
        std::map<std::string, std::size_t> first_port;
        std::vector<std::size_t> same_port;
        for (const std::string& text : port_texts_) {
            same_port.push_back(first_port.try_emplace(text, first_port.size()).first->second);
        }
        std::map<Kind, std::size_t> kinds;
        for (std::size_t e = hct_.num_elements(); e-- > 0;) {
            const Element& element = hct_.element(static_cast<ElementId>(e));
            Kind kind{element.level,
                      same_port[element.port_index],
                      element.max_bandwidth_bytes_per_s,
                      {}};
            auto& children = std::get<3>(kind);
            for (std::uint32_t c = 0; c < element.num_children; ++c) {
                const std::size_t child = kind_[element.first_child + c];
                if (children.empty() || children.back().first != child)
                    children.emplace_back(child, 0);
                ++children.back().second;
            }
            kind_[e] = kinds.try_emplace(std::move(kind), kinds.size()).first->second;
        }
    }

    [[nodiscard]] std::uint32_t end_of_run(const Element& element, std::uint32_t begin) const {
        std::uint32_t end = begin + 1;
        while (end < element.num_children &&
               kind_[element.first_child + end] == kind_[element.first_child + begin]) {
            ++end;
        }
        return end;
    }

    /// Returns the children begin .. end - 1 of each element of a group of equal elements. Inside
    /// nodes only one child is returned: elements have no names there to be listed.
    [[nodiscard]] std::vector<ElementId> collect(const std::vector<ElementId>& group,
                                                 std::uint32_t begin, std::uint32_t end) const {
        std::vector<ElementId> children;
        for (const ElementId parent : group) {
            const ElementId first = hct_.element(parent).first_child;
            for (std::uint32_t c = begin; c < end; ++c) children.push_back(first + c);
            if (hct_.element(first + begin).level > Level::node) {
                children.resize(1);
                break;
            }
        }
        return children;
    }

    void add_line(const std::vector<ElementId>& group, std::size_t count) {
        const Element& element = hct_.element(group[0]);
        // 40 levels are more than any machine has. Without this limit the text of a long chain of
        // switches would grow with the square of its length.
        text_.append(2 * std::min<std::size_t>(element.depth, 40), ' ');
        if (count > 1) text_ += fmt::format("{} x ", count);
        text_ += level_name(element.level);
        if (element.level <= Level::node) {
            std::vector<std::string> names;
            names.reserve(group.size());
            for (const ElementId id : group) names.push_back(hct_.element(id).name);
            text_ += ' ' + joined_names(names);
        }
        std::string facts;
        if (element.parent != no_id) facts = "link " + port_texts_[element.port_index];
        if (std::isfinite(element.max_bandwidth_bytes_per_s)) {
            facts += (facts.empty() ? "bound " : "; bound ") +
                     bandwidth_text(element.max_bandwidth_bytes_per_s);
        }
        text_ += (facts.empty() ? "" : ": ") + facts + '\n';
    }

    const Hct& hct_;
    std::vector<std::size_t> kind_;
    std::vector<std::string> port_texts_;
    std::string text_;
};

}  // namespace

std::string describe(const Port& port) {
    const std::string out = channel_text(port.out);
    const std::string in = channel_text(port.in);
    if (port.half_duplex) return out + ", half duplex";
    return out == in ? out : fmt::format("out {}, in {}", out, in);
}

std::string describe(const Hct& hct) { return Describer(hct).text(); }

}  // namespace commmap
