// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/collective_times.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/number.hpp"
#include "core/inside/choices.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"
#include "core/yaml/yaml_reader.hpp"

namespace commmap::inside {
namespace {

using namespace std::string_view_literals;

constexpr std::array top_keys{"version"sv, "library"sv, "origin"sv, "layouts"sv};
constexpr std::array layout_keys{"nodes"sv, "ranks_per_node"sv, "algorithms"sv};
constexpr std::array algorithm_keys{"operation"sv, "order"sv, "algorithm"sv, "calls"sv};

class TimesReader {
public:
    explicit TimesReader(const std::string& file)
        : reader_(one_line(file, 200), {"a file of times", "docs/formats/collectives-yaml.md"}) {}

    Result<CollectiveTimes> read(std::string_view text) const {
        const auto document = reader_.load(text);
        if (!document) return document.error();
        const auto top = map_of(document.value(), "the file", top_keys);
        if (!top) return top.error();
        const auto version = reader_.read_text(top.value()[0], "'version'");
        if (!version) return version.error();
        if (version.value() != "1") {
            return reader_.error(
                top.value()[0],
                Error{Errc::not_supported,
                      fmt::format("version {} is not known; this commmap reads version 1",
                                  quoted(version.value(), 40))});
        }
        CollectiveTimes times;
        auto library = reader_.read_text(top.value()[1], "'library'");
        if (!library) return library.error();
        times.library = std::move(library).value();
        auto origin = reader_.read_text(top.value()[2], "'origin'");
        if (!origin) return origin.error();
        times.origin = std::move(origin).value();
        const auto layouts = reader_.read_list(top.value()[3], "'layouts'");
        if (!layouts) return layouts.error();
        for (const YAML::Node& node : layouts.value()) {
            auto layout = read_layout(node);
            if (!layout) return layout.error();
            const bool is_known =
                std::any_of(times.layouts.begin(), times.layouts.end(), [&](const auto& other) {
                    return other.nodes == layout.value().nodes &&
                           other.ranks_per_node == layout.value().ranks_per_node;
                });
            if (is_known) {
                return reader_.error(node,
                                     "this number of nodes and ranks stands twice; remove "
                                     "one of them");
            }
            times.layouts.push_back(std::move(layout).value());
        }
        return times;
    }

private:
    /// Returns the values of all `keys`, in their order.
    template <std::size_t N>
    Result<std::array<YAML::Node, N>> map_of(const YAML::Node& node, const std::string& what,
                                             const std::array<std::string_view, N>& keys) const {
        const auto map = reader_.read_map(node, what, keys);
        if (!map) return map.error();
        std::array<YAML::Node, N> values;
        for (std::size_t k = 0; k < N; ++k) {
            const auto* entry = YamlReader::find(map.value(), keys.at(k));
            if (entry == nullptr)
                return reader_.error(node, fmt::format("{} has no '{}'", what, keys.at(k)));
            values.at(k).reset(entry->value);
        }
        return values;
    }

    Result<std::uint64_t> number_of(const YAML::Node& node, const std::string& what,
                                    std::uint64_t least, std::uint64_t most) const {
        const auto text = reader_.read_text(node, what);
        if (!text) return text.error();
        const auto number = parse_number(text.value());
        if (!number || *number < least || *number > most) {
            return reader_.error(
                node, fmt::format("{} is not a whole number from {} to {}", what, least, most));
        }
        return *number;
    }

    Result<double> positive(const YAML::Node& node, const std::string& what) const {
        const auto text = reader_.read_text(node, what);
        if (!text) return text.error();
        const auto value = parse_positive(text.value());
        if (!value) return reader_.error(node, what + " is not a number above 0");
        return *value;
    }

    Result<MeasuredLayout> read_layout(const YAML::Node& node) const {
        const auto values = map_of(node, "a layout", layout_keys);
        if (!values) return values.error();
        MeasuredLayout layout;
        const auto nodes = number_of(values.value()[0], "'nodes'", 1, UINT32_MAX);
        if (!nodes) return nodes.error();
        layout.nodes = static_cast<std::uint32_t>(nodes.value());
        const auto ranks = number_of(values.value()[1], "'ranks_per_node'", 1, UINT32_MAX);
        if (!ranks) return ranks.error();
        layout.ranks_per_node = static_cast<std::uint32_t>(ranks.value());
        const auto algorithms = reader_.read_list(values.value()[2], "'algorithms'");
        if (!algorithms) return algorithms.error();
        for (const YAML::Node& one : algorithms.value()) {
            auto read = read_algorithm(one);
            if (!read) return read.error();
            layout.algorithms.push_back(std::move(read).value());
        }
        return layout;
    }

    Result<MeasuredAlgorithm> read_algorithm(const YAML::Node& node) const {
        const auto values = map_of(node, "an algorithm", algorithm_keys);
        if (!values) return values.error();
        MeasuredAlgorithm measured;
        const auto name = reader_.read_text(values.value()[0], "'operation'");
        if (!name) return name.error();
        const auto op = parse_operation(name.value());
        if (!op) return reader_.error(values.value()[0], op.error());
        measured.op = op.value();
        const auto order = reader_.read_text(values.value()[1], "'order'");
        if (!order) return order.error();
        if (order.value() != name_of(RankOrder::block) &&
            order.value() != name_of(RankOrder::cyclic)) {
            return reader_.error(values.value()[1], "'order' is neither 'block' nor 'cyclic'");
        }
        measured.order =
            order.value() == name_of(RankOrder::block) ? RankOrder::block : RankOrder::cyclic;
        const auto text = reader_.read_text(values.value()[2], "'algorithm'");
        if (!text) return text.error();
        const auto algorithm = parse_algorithm(op.value(), text.value());
        if (!algorithm) return reader_.error(values.value()[2], algorithm.error());
        measured.algorithm = algorithm.value();
        const auto calls = reader_.read_list(values.value()[3], "'calls'");
        if (!calls) return calls.error();
        for (const YAML::Node& one : calls.value()) {
            const auto call = read_call(one);
            if (!call) return call.error();
            if (!measured.calls.empty() && call.value().bytes <= measured.calls.back().bytes) {
                return reader_.error(one, "the bytes of calls must ascend");
            }
            measured.calls.push_back(call.value());
        }
        return measured;
    }

    Result<MeasuredCall> read_call(const YAML::Node& node) const {
        const auto numbers = reader_.read_list(node, "a call");
        if (!numbers) return numbers.error();
        if (numbers.value().size() != 4) {
            return reader_.error(node, "a call is [bytes, native us, algorithm us, least gain]");
        }
        MeasuredCall call;
        const auto bytes =
            number_of(numbers.value()[0], "the bytes of a call", 1, Choices::never - 1);
        if (!bytes) return bytes.error();
        call.bytes = bytes.value();
        double* const fields[] = {&call.native_us, &call.algorithm_us, &call.least_gain};
        for (std::size_t f = 0; f < 3; ++f) {
            const auto value = positive(numbers.value()[f + 1], "a number of a call");
            if (!value) return value.error();
            *fields[f] = value.value();
        }
        return call;
    }

    YamlReader reader_;
};

}  // namespace

std::string_view name_of(RankOrder order) { return order == RankOrder::block ? "block" : "cyclic"; }

Result<CollectiveTimes> parse_collective_times(const std::string& file, std::string_view text) {
    return TimesReader(file).read(text);
}

Result<CollectiveTimes> read_collective_times(const std::string& path) {
    const auto text = read_file(path, most_bytes_of_times);
    if (!text) return Error{text.error().code, one_line(text.error().message)};
    return parse_collective_times(path, text.value());
}

}  // namespace commmap::inside
