// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/hwloc_reader.hpp"

#include <fmt/core.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

using HwlocTopology = std::unique_ptr<hwloc_topology, FreeWith<hwloc_topology_destroy>>;

constexpr std::uint64_t max_node_pus = 16384;
constexpr std::uint64_t max_xml_bytes = std::uint64_t{64} << 20U;

std::uint32_t level_bit(Level level) { return 1U << static_cast<unsigned>(level); }

Error library_error(const std::string& what) {
    return Error{Errc::library, fmt::format("hwloc: {}: {}", what, std::strerror(errno))};
}

/// Collects the kept part of hwloc's tree, and then folds levels of only children. Vertices that
/// come from one level of hwloc's tree and are of one kind have the same `tier`.
class TreeCollector {
public:
    explicit TreeCollector(hwloc_topology_t topology) : topology_(topology) {}

    NodeTree collect() {
        hwloc_obj_t root = hwloc_get_root_obj(topology_);
        add(Level::node, no_id, 0);
        collect_children(root, 0);
        fold();
        return breadth_first();
    }

private:
    std::uint32_t add(Level level, std::uint32_t parent, int tier) {
        const auto id = static_cast<std::uint32_t>(vertices_.size());
        vertices_.push_back({level, parent, {}, no_id, level_bit(level)});
        tiers_.push_back(tier);
        if (parent != no_id) vertices_[parent].children.push_back(id);
        return id;
    }

    void collect_children(hwloc_obj_t object, std::uint32_t vertex) {
        for (unsigned c = 0; c < object->arity; ++c) collect_object(object->children[c], vertex);
    }

    void collect_object(hwloc_obj_t object, std::uint32_t parent) {
        if (hwloc_bitmap_iszero(object->cpuset) != 0) return;  // the object has memory but no CPU
        const int tier = 3 * object->depth;  // one object becomes up to three vertices
        std::uint32_t vertex = parent;
        if (object->type == HWLOC_OBJ_PACKAGE) vertex = add(Level::package, vertex, tier);
        if (object->memory_arity > 0) {
            vertex = add(Level::numa, vertex, tier + 1);
        } else if (object->type == HWLOC_OBJ_GROUP || object->type == HWLOC_OBJ_DIE) {
            vertex = add(level_of_group(object), vertex, tier + 1);
        }
        if (is_shared_cache(object)) vertex = add(Level::cache, vertex, tier + 2);
        if (object->type == HWLOC_OBJ_CORE) vertex = add(Level::core, vertex, tier + 2);
        if (object->type == HWLOC_OBJ_PU) {
            vertex = add(Level::pu, vertex, tier + 2);
            vertices_[vertex].os_index = object->os_index;
            return;
        }
        collect_children(object, vertex);
    }

    [[nodiscard]] Level level_of_group(hwloc_obj_t object) const {
        const auto has = [&](hwloc_obj_type_t type) {
            return hwloc_get_nbobjs_inside_cpuset_by_type(topology_, object->cpuset, type) > 0;
        };
        if (has(HWLOC_OBJ_PACKAGE)) return Level::package;
        return has(HWLOC_OBJ_NUMANODE) ? Level::numa : Level::cache;
    }

    /// Returns whether several cores share a cache of this object's level. All caches of a level
    /// get the same answer: if some cores share an L2, each L2 becomes a vertex.
    [[nodiscard]] bool is_shared_cache(hwloc_obj_t object) const {
        if (hwloc_obj_type_is_dcache(object->type) == 0 || object->attr->cache.depth < 2)
            return false;
        for (hwloc_obj_t cache = hwloc_get_obj_by_depth(topology_, object->depth, 0);
             cache != nullptr; cache = cache->next_cousin) {
            if (hwloc_get_nbobjs_inside_cpuset_by_type(topology_, cache->cpuset, HWLOC_OBJ_CORE) >
                1) {
                return true;
            }
        }
        return false;
    }

    /// Returns a tier in which every vertex is an only child, if there is such a tier.
    [[nodiscard]] std::optional<int> find_only_children() const {
        const int num_tiers = 3 * (hwloc_topology_get_depth(topology_) + 1);
        std::vector<char> present(static_cast<std::size_t>(num_tiers), 0);
        std::vector<char> branches(static_cast<std::size_t>(num_tiers), 0);
        for (std::uint32_t v = 1; v < vertices_.size(); ++v) {
            if (vertices_[v].parent == no_id) continue;  // folded already
            const auto tier = static_cast<std::size_t>(tiers_[v]);
            present[tier] = 1;
            if (vertices_[vertices_[v].parent].children.size() > 1) branches[tier] = 1;
            // A node's only PU stays a leaf: folding would turn the node itself into a PU.
            if (vertices_[v].level == Level::pu && vertices_[v].parent == 0) branches[tier] = 1;
        }
        for (int tier = 0; tier < num_tiers; ++tier) {
            const auto t = static_cast<std::size_t>(tier);
            if (present[t] != 0 && branches[t] == 0) return tier;
        }
        return std::nullopt;
    }

    void fold() {
        while (const std::optional<int> tier = find_only_children()) {
            for (std::uint32_t v = 1; v < vertices_.size(); ++v) {
                if (tiers_[v] == *tier && vertices_[v].parent != no_id) fold_into_parent(v);
            }
        }
    }

    /// Removes a child and gives its children to its parent. If the child is a PU, the parent
    /// becomes that PU.
    void fold_into_parent(std::uint32_t child_id) {
        NodeTree::Vertex& child = vertices_[child_id];
        const std::uint32_t parent_id = child.parent;
        NodeTree::Vertex& parent = vertices_[parent_id];
        parent.levels |= child.levels;
        parent.children = std::move(child.children);
        for (const std::uint32_t grandchild : parent.children)
            vertices_[grandchild].parent = parent_id;
        if (child.level == Level::pu) {
            parent.level = Level::pu;
            parent.os_index = child.os_index;
            tiers_[parent_id] = tiers_[child_id];
        }
        child.parent = no_id;
    }

    [[nodiscard]] NodeTree breadth_first() const {
        std::vector<std::uint32_t> order{0};
        NodeTree tree;
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            NodeTree::Vertex vertex = vertices_[order[i]];
            const std::vector<std::uint32_t> children = std::exchange(vertex.children, {});
            for (const std::uint32_t child : children) {
                vertex.children.push_back(static_cast<std::uint32_t>(order.size()));
                order.push_back(child);
            }
            tree.vertices.push_back(std::move(vertex));
        }
        for (std::uint32_t i = 0; i < tree.vertices.size(); ++i) {
            for (const std::uint32_t child : tree.vertices[i].children)
                tree.vertices[child].parent = i;
        }
        return tree;
    }

    hwloc_topology_t topology_;
    std::vector<NodeTree::Vertex> vertices_;
    std::vector<int> tiers_;
};

Result<HwlocTopology> new_topology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return library_error("cannot start");
    // By default every hwloc 2 keeps the types that we read, and writes nothing to stderr.
    // HWLOC_HIDE_ERRORS is left to the user: setting it here would race with other threads and leak
    // into the environment of the tasks.
    return HwlocTopology(raw);
}

Result<NodeTree> collect(hwloc_topology_t topology) {
    const int num_pus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    if (num_pus <= 0) return Error{Errc::invalid_input, "the topology has no PU"};
    if (static_cast<std::uint64_t>(num_pus) > max_node_pus) {
        return Error{
            Errc::out_of_range,
            fmt::format("the topology has {} PUs; a node has at most {}", num_pus, max_node_pus)};
    }
    return TreeCollector(topology).collect();
}

/// The most objects side by side: hwloc compares each new object with all its siblings. It took 97
/// s for "pu:16384" and 2 s for "core:16 pu:1024".
constexpr std::uint64_t max_arity = 1024;

struct SyntheticSize {
    std::uint64_t pus = 1;
    std::uint64_t arity = 0;  ///< the largest
};

/// Returns the product of the arities and the largest arity, as far as the text can be read. The
/// check is ours because hwloc would try to build any number of PUs.
SyntheticSize synthetic_size(std::string_view description) {
    SyntheticSize size;
    int depth = 0;  // number of open ( and [: attributes and memory have no arities
    for (std::size_t i = 0; i < description.size(); ++i) {
        const char c = description[i];
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        const bool starts_arity =
            depth == 0 && c >= '0' && c <= '9' &&
            (i == 0 || description[i - 1] == ':' || description[i - 1] == ' ');
        if (!starts_arity) continue;
        std::uint64_t arity = 0;
        const char* end = description.data() + description.size();
        const auto parsed = std::from_chars(description.data() + i, end, arity);
        if (parsed.ec != std::errc{} || arity > max_node_pus) return {max_node_pus + 1, arity};
        size.arity = std::max(size.arity, arity);
        size.pus *= arity == 0 ? 1 : arity;  // hwloc itself refuses an arity of 0
        if (size.pus > max_node_pus) break;
    }
    return size;
}

}  // namespace

Result<NodeTree> read_hwloc_live() {
    auto topology = new_topology();
    if (!topology) return topology.error();
    if (hwloc_topology_load(topology.value().get()) != 0) {
        return library_error("cannot read this machine's topology");
    }
    return collect(topology.value().get());
}

Result<NodeTree> read_hwloc_xml(const std::string& path) {
    // We read the file ourselves: hwloc would block on a FIFO, and its only error is "invalid
    // argument".
    const auto text = read_file(path, max_xml_bytes);
    if (!text) return text.error();
    auto topology = new_topology();
    if (!topology) return topology.error();
    // hwloc wants a length that counts the closing NUL.
    if (hwloc_topology_set_xmlbuffer(topology.value().get(), text.value().c_str(),
                                     static_cast<int>(text.value().size() + 1)) != 0 ||
        hwloc_topology_load(topology.value().get()) != 0) {
        return Error{Errc::invalid_input,
                     fmt::format("{} is not a topology of hwloc 2 in XML; write it with 'lstopo "
                                 "--of xml FILE' on the node",
                                 quoted(path, 200))};
    }
    auto tree = collect(topology.value().get());
    if (!tree) return prefixed(quoted(path, 200), tree.error());
    return tree;
}

Result<NodeTree> read_hwloc_synthetic(const std::string& description) {
    const std::string what = quoted(description, 120);
    const SyntheticSize size = synthetic_size(description);
    if (size.pus > max_node_pus) {
        return Error{Errc::out_of_range,
                     fmt::format("synthetic topology {} has more than {} PUs", what, max_node_pus)};
    }
    if (size.arity > max_arity) {
        return Error{Errc::out_of_range,
                     fmt::format("synthetic topology {} has {} of a kind side by side, hwloc takes "
                                 "too long for more than {}; say what they share",
                                 what, size.arity, max_arity)};
    }
    auto topology = new_topology();
    if (!topology) return topology.error();
    if (hwloc_topology_set_synthetic(topology.value().get(), description.c_str()) != 0 ||
        hwloc_topology_load(topology.value().get()) != 0) {
        return Error{
            Errc::invalid_input,
            fmt::format("not a synthetic topology of hwloc: {} (example: 'package:2 core:8 pu:2')",
                        what)};
    }
    auto tree = collect(topology.value().get());
    if (!tree) return prefixed("synthetic topology " + what, tree.error());
    return tree;
}

}  // namespace commmap
