// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "commmap/result.hpp"
#include "core/topology/cluster.hpp"
#include "core/topology/yaml_links.hpp"
#include "core/yaml/yaml_reader.hpp"

namespace commmap {

/// Reads the section `switches` of a cluster YAML into a cluster whose node classes have been read
/// already.
class YamlSwitches {
public:
    YamlSwitches(const YamlReader& reader, const YamlLinks& links, Cluster& cluster);

    /// Fills cluster.switches, cluster.nodes and cluster.node_index.
    [[nodiscard]] Status read(const YAML::Node& section);

private:
    /// A switch as it stands in the file. Nodes are optional for emplace(): assigning to a
    /// YAML::Node changes the file.
    struct Entry {
        Cluster::Switch value;  ///< parent: index into entries_
        std::optional<YAML::Node> key_node;
        std::optional<YAML::Node> link_node;
        std::optional<YAML::Node> children_node;  ///< list of names
        std::optional<YAML::Node> listed_at;      ///< where its parent lists it
        std::vector<std::uint32_t> children;
    };

    [[nodiscard]] Status read_switch(const YamlReader::Entry& entry);
    [[nodiscard]] Status read_nodes(const YamlReader::Map& map, const YamlReader::Entry& entry);
    [[nodiscard]] Status add_nodes(const YAML::Node& names, const YamlReader::Entry* class_entry,
                                   const std::string& what);
    [[nodiscard]] Status find_children();
    [[nodiscard]] Status find_cycle() const;
    [[nodiscard]] Result<std::uint32_t> find_root() const;
    [[nodiscard]] Status read_uplinks(std::uint32_t root);
    [[nodiscard]] Status number_breadth_first(std::uint32_t root);

    const YamlReader& reader_;
    const YamlLinks& links_;
    Cluster& cluster_;
    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::uint32_t> entry_index_;
    std::unordered_map<std::string, std::uint32_t> class_index_;
    std::vector<YAML::Mark> node_places_;
};

}  // namespace commmap
