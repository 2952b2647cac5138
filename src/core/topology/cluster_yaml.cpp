// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/cluster_yaml.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/file.hpp"
#include "core/text/one_line.hpp"
#include "core/topology/hwloc_reader.hpp"
#include "core/topology/yaml_links.hpp"
#include "core/topology/yaml_switches.hpp"
#include "core/yaml/yaml_reader.hpp"

namespace commmap {
namespace {

using namespace std::string_view_literals;

constexpr std::array top_keys{"version"sv, "name"sv, "links"sv, "node_classes"sv, "switches"sv};
constexpr std::array class_keys{"hwloc"sv, "link"sv, "max_bandwidth"sv, "inside"sv};
constexpr std::array hwloc_keys{"synthetic"sv, "xml"sv};
constexpr std::array inside_keys{"package"sv, "numa"sv, "cache"sv, "core"sv, "pu"sv};
constexpr std::array inside_levels{Level::package, Level::numa, Level::cache, Level::core,
                                   Level::pu};

class ClusterReader {
public:
    explicit ClusterReader(const std::string& file)
        : file_(file),
          reader_(one_line(file, 200), {"a cluster", "docs/admin/cluster-yaml.md"}),
          links_(reader_) {}

    Result<Cluster> read(std::string_view text) {
        const auto document = reader_.load(text);
        if (!document) return document.error();
        const auto top = read_top(document.value());
        if (!top) return top.error();

        Cluster cluster;
        cluster.source = file_;
        if (const auto* name = YamlReader::find(top.value(), "name")) {
            auto value = reader_.read_text(name->value, "'name'");
            if (!value) return value.error();
            cluster.name = std::move(value).value();
        }
        if (const auto* links = YamlReader::find(top.value(), "links")) {
            if (Status read = links_.read(links->value); !read) return read.error();
        }
        const auto* classes = YamlReader::find(top.value(), "node_classes");
        if (Status read = read_classes(classes->value, cluster); !read) return read.error();
        const auto* switches = YamlReader::find(top.value(), "switches");
        YamlSwitches switch_reader(reader_, links_, cluster);
        if (Status read = switch_reader.read(switches->value); !read) return read.error();
        cluster.hwloc_files = std::move(hwloc_files_);
        return cluster;
    }

private:
    /// Reads the top level without its x- keys, and checks the version and the required keys.
    Result<YamlReader::Map> read_top(const YAML::Node& document) const {
        const auto all = reader_.read_map(document, "the file");
        if (!all) return all.error();
        const auto* version = YamlReader::find(all.value(), "version");
        if (version == nullptr) {
            return reader_.error(document, "no 'version'; the file must say 'version: 1'");
        }
        const auto number = reader_.read_text(version->value, "'version'");
        if (!number) return number.error();
        if (number.value() != "1") {
            return reader_.error(
                version->value,
                Error{Errc::not_supported,
                      fmt::format("version {} is not known; this commmap reads version 1",
                                  quoted(number.value()))});
        }
        YamlReader::Map top;
        for (const YamlReader::Entry& entry : all.value()) {
            if (entry.key.starts_with("x-")) continue;
            bool is_known = false;
            for (const std::string_view key : top_keys) is_known = is_known || key == entry.key;
            if (!is_known) {
                const std::string hint = hint_for(entry.key, top_keys);
                return reader_.error(
                    entry.key_node,
                    fmt::format("unknown key {}{}", quoted(entry.key),
                                hint.empty() ? "; keys of other programs begin with 'x-'" : hint));
            }
            top.push_back(entry);
        }
        for (const std::string_view key : {"node_classes"sv, "switches"sv}) {
            if (YamlReader::find(top, key) == nullptr) {
                return reader_.error(
                    document,
                    fmt::format("no '{}'; a cluster has at least one node class and one switch",
                                key));
            }
        }
        return top;
    }

    Status read_classes(const YAML::Node& section, Cluster& cluster) {
        const auto map = reader_.read_map(section, "'node_classes'");
        if (!map) return map.error();
        if (map.value().empty()) return reader_.error(section, "'node_classes' has none; add one");
        for (const YamlReader::Entry& entry : map.value()) {
            auto node_class = read_class(entry);
            if (!node_class) return node_class.error();
            cluster.classes.push_back(std::move(node_class).value());
        }
        return Ok{};
    }

    Result<NodeClass> read_class(const YamlReader::Entry& entry) {
        const std::string what = "class " + quoted(entry.key);
        const auto map = reader_.read_map(entry.value, what, class_keys);
        if (!map) return map.error();
        NodeClass node_class;
        node_class.name = entry.key;
        const auto* hwloc = YamlReader::find(map.value(), "hwloc");
        if (hwloc == nullptr) {
            return reader_.error(entry.key_node,
                                 fmt::format("{} has no 'hwloc'; add hwloc: {{synthetic: "
                                             "\"package:2 core:8 pu:2\"}} or {{xml: FILE}}",
                                             what));
        }
        auto tree = read_hwloc(hwloc->value, what);
        if (!tree) return tree.error();
        node_class.tree = std::move(tree).value();
        const auto* link = YamlReader::find(map.value(), "link");
        if (link == nullptr) {
            return reader_.error(
                entry.key_node,
                fmt::format("{} has no 'link' to the switch; name one of 'links', or write 'link: "
                            "{{}}' when only the switch's max_bandwidth bounds it",
                            what));
        }
        auto port = links_.read_link(link->value, what);
        if (!port) return port.error();
        node_class.link = std::move(port).value();
        node_class.link_name = YamlLinks::link_name(link->value);
        if (const auto* max = YamlReader::find(map.value(), "max_bandwidth")) {
            const auto value = reader_.read_bandwidth(max->value, "max_bandwidth of " + what);
            if (!value) return value.error();
            node_class.max_bandwidth_bytes_per_s = value.value();
        }
        if (const auto* inside = YamlReader::find(map.value(), "inside")) {
            if (Status read = read_inside(inside->value, what, node_class); !read)
                return read.error();
        }
        return node_class;
    }

    Result<NodeTree> read_hwloc(const YAML::Node& node, const std::string& what) {
        const auto map = reader_.read_map(node, "'hwloc' of " + what, hwloc_keys);
        if (!map) return map.error();
        if (map.value().size() != 1) {
            return reader_.error(
                node, fmt::format("'hwloc' of {} must have one of 'synthetic' and 'xml'", what));
        }
        const YamlReader::Entry& entry = map.value()[0];
        const auto text =
            reader_.read_text(entry.value, fmt::format("'{}' of {}", entry.key, what));
        if (!text) return text.error();
        const bool xml = entry.key == "xml";
        if (xml) hwloc_files_.push_back(beside_file(text.value()));
        auto tree = xml ? read_hwloc_xml(hwloc_files_.back()) : read_hwloc_synthetic(text.value());
        if (!tree) return reader_.error(entry.value, prefixed(what, tree.error()));
        tree.value().has_os_indices = xml || text.value().find("indexes=") != std::string::npos;
        return tree;
    }

    Status read_inside(const YAML::Node& node, const std::string& what,
                       NodeClass& node_class) const {
        const auto map = reader_.read_map(node, "'inside' of " + what, inside_keys);
        if (!map) return map.error();
        for (std::size_t i = 0; i < inside_keys.size(); ++i) {
            const auto* entry = YamlReader::find(map.value(), inside_keys.at(i));
            if (entry == nullptr) continue;
            auto port =
                links_.read_link(entry->value, fmt::format("'{}' inside {}", entry->key, what));
            if (!port) return port.error();
            const Level level = inside_levels.at(i);
            node_class.inside.emplace(level, std::move(port).value());
            std::string name = YamlLinks::link_name(entry->value);
            if (!name.empty()) node_class.inside_link_names.emplace(level, std::move(name));
        }
        return Ok{};
    }

    [[nodiscard]] std::string beside_file(const std::string& path) const {
        const auto slash = file_.rfind('/');
        if (path.starts_with('/') || slash == std::string::npos) return path;
        return file_.substr(0, slash + 1) + path;
    }

    const std::string& file_;
    YamlReader reader_;
    YamlLinks links_;
    std::vector<std::string> hwloc_files_;
};

}  // namespace

Result<Cluster> parse_cluster_yaml(std::string_view text, const std::string& name) {
    if (text.size() > max_cluster_yaml_bytes) {
        return Error{
            Errc::invalid_input,
            fmt::format("{}:1:1: larger than {} bytes; describe equal nodes by one hostlist",
                        one_line(name, 200), max_cluster_yaml_bytes)};
    }
    try {
        return ClusterReader(name).read(text);
    } catch (const YAML::Exception& e) {
        // YamlReader checks a node's type before it reads the value, so this exception is our bug.
        // No exception may reach srun.
        return Error{Errc::internal,
                     fmt::format("{}:1:1: {}", one_line(name, 200), one_line(e.what()))};
    }
}

Result<Cluster> read_cluster_yaml(const std::string& path) {
    const auto text = read_file(path, max_cluster_yaml_bytes);
    if (!text) return Error{text.error().code, one_line(text.error().message)};
    return parse_cluster_yaml(text.value(), path);
}

}  // namespace commmap
