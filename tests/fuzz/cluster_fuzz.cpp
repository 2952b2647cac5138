// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Cluster YAML.
#include <algorithm>

#include "core/topology/cluster_yaml.hpp"
#include "fuzz/fuzz_target.hpp"

/// Numbers of a synthetic topology stand behind a colon, or a space in front of its letters. hwloc
/// builds nodes of 16,384 PUs in seconds, without a fuzzer's counters in it: nothing is found
/// there.
static bool has_large_arity(std::string_view text) {
    constexpr std::string_view digits = "0123456789";
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
         colon = text.find(':', colon + 1)) {
        const std::size_t first = colon + 1;
        const std::size_t end = std::min(text.find_first_not_of(digits, first), text.size());
        if (end > first + 2) return true;
    }
    return false;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (has_large_arity(commmap::fuzz::text_of(data, size))) return -1;
    // nothing is there that it could name
    const auto cluster =
        commmap::parse_cluster_yaml(commmap::fuzz::text_of(data, size), "/nowhere/cluster.yaml");
    if (cluster)
        ++commmap::fuzz::taken;
    else
        commmap::fuzz::require(cluster.error().message.find('\n') == std::string::npos,
                               "a message of several lines");
    return 0;
}
