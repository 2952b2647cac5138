// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/graph.hpp"

namespace commmap::bench {

struct InstanceOptions {
    std::uint32_t ranks = 0;   ///< 1 to max_ranks
    std::uint64_t seed = 1;    ///< of what is random in the kind
    std::uint64_t weight = 1;  ///< of a plain edge; below 2^32
};

/// A kind of communication graph. What a kind does with edges between the same two ranks, and with
/// sides of a grid that are short, is said where the kind is made; the graph has their sum.
struct InstanceKind {
    std::string_view name;
    std::string_view summary;
    /// Throws InputError for a number of ranks that the kind cannot have.
    std::vector<Edge> (*make)(const InstanceOptions& options);
};

/// Throws InputError that names all kinds when `name` is none of them.
[[nodiscard]] const InstanceKind& find_instance_kind(const std::string& name);

/// A line a kind, for --help.
[[nodiscard]] std::string instance_kinds_help();

}  // namespace commmap::bench
