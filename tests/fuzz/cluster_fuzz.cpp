// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Cluster YAML: reading it, and writing measured numbers into it.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/topology/cluster_yaml.hpp"
#include "core/topology/editing/edited_cluster.hpp"
#include "core/topology/editing/link_edit.hpp"
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

/// Changes links of a file one by one, and then all at once. A change is refused, or the file says
/// what was meant: the same cluster with these numbers.
static void edit_links_of(const commmap::Cluster& cluster, const std::string& text) {
    const commmap::LinkNumbers numbers{2e-6, commmap::BandwidthCurve({{1024, 3e9}, {65536, 5e9}}),
                                       7e9, 6e9};
    commmap::LinkNumbers half_duplex = numbers;
    half_duplex.max_in_bytes_per_s = half_duplex.max_out_bytes_per_s;
    half_duplex.half_duplex = true;
    std::set<std::vector<std::string>> paths;
    const auto add = [&](const char* section, const auto& user) {
        paths.insert(user.link_name.empty() ? std::vector<std::string>{section, user.name, "link"}
                                            : std::vector<std::string>{"links", user.link_name});
    };
    for (const auto& one : cluster.classes) add("node_classes", one);
    for (std::size_t s = 1; s < cluster.switches.size(); ++s) add("switches", cluster.switches[s]);
    constexpr std::size_t enough = 40;
    std::vector<std::vector<commmap::LinkEdit>> tries(1);
    for (const auto& path : paths) {
        if (tries.size() > enough) break;
        tries.front().push_back({path, numbers, {"measured: once", "measured: twice"}});
        tries.push_back({tries.front().back()});
        tries.push_back({{path, half_duplex, {"measured: once", "measured: twice"}}});
    }
    for (const auto& edits : tries) {
        const auto edited = commmap::edit_links(text, "/nowhere/cluster.yaml", edits);
        if (!edited) {
            commmap::fuzz::require(edited.error().message.find('\n') == std::string::npos,
                                   "a message of several lines");
            continue;
        }
        const auto after = commmap::parse_cluster_yaml(edited.value(), "/nowhere/cluster.yaml");
        commmap::fuzz::require(after.ok(), "an edited file that is refused");
        commmap::fuzz::require(commmap::check_edited(cluster, after.value(), edits).ok(),
                               "an edited file that means another thing");
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (has_large_arity(commmap::fuzz::text_of(data, size))) return -1;
    // nothing is there that it could name
    const auto cluster =
        commmap::parse_cluster_yaml(commmap::fuzz::text_of(data, size), "/nowhere/cluster.yaml");
    if (cluster) {
        ++commmap::fuzz::taken;
        edit_links_of(cluster.value(), std::string(commmap::fuzz::text_of(data, size)));
    } else {
        commmap::fuzz::require(cluster.error().message.find('\n') == std::string::npos,
                               "a message of several lines");
    }
    return 0;
}
