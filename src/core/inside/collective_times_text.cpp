// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <yaml-cpp/yaml.h>

#include "core/inside/choices.hpp"
#include "core/inside/collective_times.hpp"

// This file writes times; collective_times.cpp reads them.

namespace commmap::inside {
namespace {

/// Returns a text as YAML writes it where the text is not plain: in quotes.
std::string scalar(const std::string& text) {
    YAML::Emitter out;
    out << YAML::DoubleQuoted << text;
    return out.c_str();
}

std::string text_of_algorithm(const MeasuredAlgorithm& measured) {
    std::string text =
        fmt::format("      - operation: {}\n        order: {}\n        algorithm: {}\n",
                    collective_name(measured.op), name_of(measured.order),
                    inside::text_of(measured.op, measured.algorithm));
    text += "        calls:\n";
    for (const MeasuredCall& call : measured.calls) {
        text += fmt::format("          - [{}, {:.4g}, {:.4g}, {:.4g}]\n", call.bytes,
                            call.native_us, call.algorithm_us, call.least_gain);
    }
    return text;
}

}  // namespace

std::string text_of(const CollectiveTimes& times) {
    std::string text =
        "# Times of collective calls: docs/formats/collectives-yaml.md\n"
        "# A call is [bytes, native us, algorithm us, native / algorithm at least].\n"
        "version: 1\n";
    text += fmt::format("library: {}\norigin: {}\nlayouts:\n", scalar(times.library),
                        scalar(times.origin));
    for (const MeasuredLayout& layout : times.layouts) {
        text += fmt::format("  - nodes: {}\n    ranks_per_node: {}\n    algorithms:\n",
                            layout.nodes, layout.ranks_per_node);
        for (const MeasuredAlgorithm& one : layout.algorithms) text += text_of_algorithm(one);
    }
    return text;
}

}  // namespace commmap::inside
