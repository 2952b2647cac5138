// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/yaml_switches.hpp"

#include <fmt/core.h>

#include <array>

#include "core/text/one_line.hpp"
#include "core/topology/node_names.hpp"

namespace commmap {
namespace {

using namespace std::string_view_literals;

constexpr std::array switch_keys{"switches"sv, "nodes"sv, "class"sv, "link"sv, "max_bandwidth"sv};
constexpr std::array group_keys{"names"sv, "class"sv};
constexpr std::size_t max_nodes = std::size_t{1} << 20U;
constexpr std::uint32_t max_levels = 64;  // the mappers go down the tree by recursion

template <class Container, class NameOf>
std::vector<std::string_view> names_of(const Container& container, NameOf&& name_of) {
    std::vector<std::string_view> names;
    names.reserve(container.size());
    for (const auto& item : container) names.push_back(name_of(item));
    return names;
}

}  // namespace

YamlSwitches::YamlSwitches(const YamlReader& reader, const YamlLinks& links, Cluster& cluster)
    : reader_(reader), links_(links), cluster_(cluster) {
    for (std::uint32_t c = 0; c < cluster.classes.size(); ++c) {
        class_index_.emplace(cluster.classes[c].name, c);
    }
}

Status YamlSwitches::read(const YAML::Node& section) {
    const auto map = reader_.read_map(section, "'switches'");
    if (!map) return map.error();
    if (map.value().empty())
        return reader_.error(section, "'switches' has none; even a single node needs one");
    for (const YamlReader::Entry& entry : map.value()) {
        if (Status read = read_switch(entry); !read) return read;
    }
    if (Status found = find_children(); !found) return found;
    if (Status tree = find_cycle(); !tree) return tree;
    const auto root = find_root();
    if (!root) return root.error();
    if (Status read = read_uplinks(root.value()); !read) return read;
    return number_breadth_first(root.value());
}

Status YamlSwitches::read_switch(const YamlReader::Entry& entry) {
    const std::string what = "switch " + quoted(entry.key);
    const auto map = reader_.read_map(entry.value, what, switch_keys);
    if (!map) return map.error();
    const auto index = static_cast<std::uint32_t>(entries_.size());
    entry_index_.emplace(entry.key, index);
    Entry& added = entries_.emplace_back();
    added.value.name = entry.key;
    added.key_node.emplace(entry.key_node);
    if (const auto* link = YamlReader::find(map.value(), "link"))
        added.link_node.emplace(link->value);
    if (const auto* children = YamlReader::find(map.value(), "switches")) {
        added.children_node.emplace(children->value);
    }
    if (const auto* max = YamlReader::find(map.value(), "max_bandwidth")) {
        const auto value = reader_.read_bandwidth(max->value, "max_bandwidth of " + what);
        if (!value) return value.error();
        added.value.max_bandwidth_bytes_per_s = value.value();
    }
    return read_nodes(map.value(), entry);
}

Status YamlSwitches::read_nodes(const YamlReader::Map& map, const YamlReader::Entry& entry) {
    const std::string what = "switch " + quoted(entry.key);
    const YamlReader::Entry* nodes = YamlReader::find(map, "nodes");
    const YamlReader::Entry* class_entry = YamlReader::find(map, "class");
    const bool is_list = nodes != nullptr && nodes->value.IsSequence();
    if (nodes == nullptr && YamlReader::find(map, "switches") == nullptr) {
        return reader_.error(
            entry.key_node,
            what + " has nothing below it; give it 'nodes' or 'switches', or remove it");
    }
    if (class_entry != nullptr && (nodes == nullptr || is_list)) {
        return reader_.error(
            class_entry->key_node,
            fmt::format("'class' of {} belongs to {}; move or remove it", what,
                        is_list ? "each entry of 'nodes'" : "'nodes', of which it has none"));
    }
    if (nodes == nullptr) return Ok{};
    if (!is_list) return add_nodes(nodes->value, class_entry, what);
    const auto groups = reader_.read_list(nodes->value, "'nodes' of " + what);
    if (!groups) return groups.error();
    for (const YAML::Node& node : groups.value()) {
        const auto group = reader_.read_map(node, "an entry of 'nodes' of " + what, group_keys);
        if (!group) return group.error();
        const YamlReader::Entry* names = YamlReader::find(group.value(), "names");
        if (names == nullptr) {
            return reader_.error(
                node, fmt::format("an entry of 'nodes' of {} has no 'names'; add names: \"m[0-4]\"",
                                  what));
        }
        const YamlReader::Entry* class_of_group = YamlReader::find(group.value(), "class");
        if (Status added = add_nodes(names->value, class_of_group, what); !added) return added;
    }
    return Ok{};
}

Status YamlSwitches::add_nodes(const YAML::Node& names_node, const YamlReader::Entry* class_entry,
                               const std::string& what) {
    const auto text = reader_.read_text(names_node, "'nodes' of " + what);
    if (!text) return text.error();
    if (class_entry == nullptr) {
        return reader_.error(
            names_node,
            fmt::format("the nodes of {} have no 'class'; add 'class: {}' or another class", what,
                        one_line(cluster_.classes.front().name, 80)));
    }
    const auto class_name = reader_.read_text(class_entry->value, "'class' of " + what);
    if (!class_name) return class_name.error();
    const auto known = class_index_.find(class_name.value());
    if (known == class_index_.end()) {
        const auto names = names_of(cluster_.classes,
                                    [](const NodeClass& c) -> std::string_view { return c.name; });
        return reader_.error(
            class_entry->value,
            Error{Errc::not_found,
                  fmt::format(
                      "unknown class {} of {}{}", quoted(class_name.value()), what,
                      hint_for(class_name.value(), names, "define it under 'node_classes'"))});
    }
    auto names = expand_node_names(text.value());
    if (!names) return reader_.error(names_node, prefixed("'nodes' of " + what, names.error()));
    if (names.value().size() > max_nodes - cluster_.nodes.size()) {
        return reader_.error(
            names_node,
            fmt::format(
                "the cluster has more than 1048576 nodes with those of {}; shorten the hostlist",
                what));
    }
    for (std::string& name : names.value()) {
        const auto index = static_cast<std::uint32_t>(cluster_.nodes.size());
        const auto [first, is_new] = cluster_.node_index.try_emplace(name, index);
        if (!is_new) {
            const YAML::Mark& mark = node_places_[first->second];
            return reader_.error(
                names_node,
                fmt::format(
                    "node {} of {} stands already at {}:{} (switch {}); remove one", quoted(name),
                    what, mark.line + 1, mark.column + 1,
                    quoted(entries_[cluster_.nodes[first->second].switch_index].value.name)));
        }
        cluster_.nodes.push_back(
            {std::move(name), static_cast<std::uint32_t>(entries_.size() - 1), known->second});
        node_places_.push_back(names_node.Mark());
    }
    return Ok{};
}

Status YamlSwitches::find_children() {
    for (std::uint32_t s = 0; s < entries_.size(); ++s) {
        if (!entries_[s].children_node) continue;
        const std::string what = "'switches' of switch " + quoted(entries_[s].value.name);
        const auto list = reader_.read_list(*entries_[s].children_node, what);
        if (!list) return list.error();
        for (const YAML::Node& node : list.value()) {
            const auto name = reader_.read_text(node, "an entry of " + what);
            if (!name) return name.error();
            const auto known = entry_index_.find(name.value());
            if (known == entry_index_.end()) {
                const auto names = names_of(
                    entries_, [](const Entry& e) -> std::string_view { return e.value.name; });
                return reader_.error(
                    node, Error{Errc::not_found,
                                fmt::format("unknown switch {} in {}{}", quoted(name.value()), what,
                                            hint_for(name.value(), names,
                                                     "define it, or list nodes under 'nodes'"))});
            }
            Entry& child = entries_[known->second];
            if (child.value.parent != no_id) {
                return reader_.error(node,
                                     fmt::format("switch {} in {} is already below switch {} ({}); "
                                                 "a switch has one parent, remove one",
                                                 quoted(name.value()), what,
                                                 quoted(entries_[child.value.parent].value.name),
                                                 YamlReader::place(*child.listed_at)));
            }
            child.value.parent = s;
            child.listed_at.emplace(node);
            entries_[s].children.push_back(known->second);
        }
    }
    return Ok{};
}

/// Finds a cycle of switches. A switch has at most one parent, so a walk up ends at a root or goes
/// round a cycle.
Status YamlSwitches::find_cycle() const {
    std::vector<std::uint32_t> walk_of(entries_.size(), no_id);
    for (std::uint32_t start = 0; start < entries_.size(); ++start) {
        std::uint32_t s = start;
        while (s != no_id && walk_of[s] == no_id) {
            walk_of[s] = start;
            s = entries_[s].value.parent;
        }
        if (s == no_id || walk_of[s] != start) continue;
        std::string cycle = entries_[s].value.name;
        std::uint32_t above = s;
        do {
            above = entries_[above].value.parent;
            if (cycle.size() < 1000) cycle.insert(0, entries_[above].value.name + " -> ");
        } while (above != s);
        return reader_.error(
            *entries_[s].listed_at,
            fmt::format(
                "switches in a cycle: {}; a switch cannot be below itself, remove one of them",
                one_line(cycle, 300)));
    }
    return Ok{};
}

Result<std::uint32_t> YamlSwitches::find_root() const {
    std::uint32_t root = no_id;
    for (std::uint32_t s = 0; s < entries_.size(); ++s) {
        if (entries_[s].value.parent != no_id) continue;
        if (root != no_id) {
            return reader_.error(
                *entries_[s].key_node,
                fmt::format("two roots: switch {} and switch {} ({}) are below no other; put one "
                            "below the other, or both below a third",
                            quoted(entries_[s].value.name), quoted(entries_[root].value.name),
                            YamlReader::place(*entries_[root].key_node)));
        }
        root = s;
    }
    return root;  // a root exists because find_cycle() has found no cycle
}

Status YamlSwitches::read_uplinks(std::uint32_t root) {
    for (std::uint32_t s = 0; s < entries_.size(); ++s) {
        Entry& entry = entries_[s];
        const std::string what = "switch " + quoted(entry.value.name);
        if (s == root) {
            if (!entry.link_node) continue;
            return reader_.error(*entry.link_node,
                                 what + " is the root and has no uplink; remove its 'link'");
        }
        if (!entry.link_node) {
            return reader_.error(
                *entry.key_node,
                fmt::format("{} has no 'link' to the switch above; name one of 'links', or write "
                            "'link: {{}}' when only that switch's max_bandwidth bounds it",
                            what));
        }
        auto port = links_.read_link(*entry.link_node, what);
        if (!port) return port.error();
        entry.value.link = std::move(port).value();
        entry.value.link_name = YamlLinks::link_name(*entry.link_node);
    }
    return Ok{};
}

Status YamlSwitches::number_breadth_first(std::uint32_t root) {
    std::vector<std::uint32_t> order{root};
    std::vector<std::uint32_t> level{1};  // of the switches in `order`; the root's is 1
    std::vector<std::uint32_t> number(entries_.size(), 0);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        Entry& entry = entries_[order[i]];
        if (level[i] > max_levels) {
            return reader_.error(*entry.listed_at,
                                 fmt::format("switch {} is {} switches below the root, at most {} "
                                             "are understood; leave out those with a single child",
                                             quoted(entry.value.name), max_levels, max_levels - 1));
        }
        number[order[i]] = i;
        level.insert(level.end(), entry.children.size(), level[i] + 1);
        order.insert(order.end(), entry.children.begin(), entry.children.end());
        if (i > 0) entry.value.parent = number[entry.value.parent];
        cluster_.switches.push_back(std::move(entry.value));
    }
    for (Cluster::Node& node : cluster_.nodes) node.switch_index = number[node.switch_index];
    return Ok{};
}

}  // namespace commmap
