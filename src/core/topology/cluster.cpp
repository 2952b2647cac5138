// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/cluster.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/one_line.hpp"
#include "core/text/suggest.hpp"
#include "core/topology/node_defaults.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t max_cluster_pus = std::uint64_t{1} << 24U;

/// The inside of all nodes of one class with the same number of PUs in the job. HctBuilder copies a
/// shape for each such node.
struct NodeShape {
    struct Vertex {
        Level level;
        std::uint32_t first_child;
        std::uint32_t num_children;
        std::uint32_t first_pu;  ///< counted from the node's first PU
        std::uint32_t num_pus;
        std::uint32_t port_index;
    };
    std::vector<Vertex> vertices;  ///< breadth first; 0 is the node
};

/// Returns for each vertex the number of PUs below it that are among the node's first `num_pus`.
/// @pre children come after their parents
std::vector<std::uint32_t> count_pus(const NodeTree& tree, std::uint32_t num_pus) {
    std::vector<std::uint32_t> below(tree.vertices.size(), 0);
    for (std::size_t v = tree.vertices.size(); v-- > 0;) {
        const NodeTree::Vertex& vertex = tree.vertices[v];
        if (vertex.children.empty()) below[v] = 1;
        if (vertex.parent != no_id) below[vertex.parent] += below[v];
    }
    below[0] = std::min(below[0], num_pus);
    for (std::size_t v = 0; v < tree.vertices.size(); ++v) {
        std::uint32_t left = below[v];
        for (const std::uint32_t child : tree.vertices[v].children) {
            below[child] = std::min(below[child], left);
            left -= below[child];
        }
    }
    return below;
}

class HctBuilder {
public:
    HctBuilder(const Cluster& cluster, const Allocation& allocation)
        : cluster_(cluster),
          allocation_(allocation),
          job_node_(cluster.nodes.size(), no_id),
          num_pus_of_node_(allocation.nodes.size(), 0),
          num_pus_of_switch_(cluster.switches.size(), 0),
          children_of_switch_(cluster.switches.size()),
          link_of_class_(cluster.classes.size(), no_id) {}

    Result<Hct> build() {
        if (Status found = find_nodes(); !found) return found.error();
        if (Status counted = count_switches(); !counted) return counted.error();
        nodes_.resize(allocation_.nodes.size());
        add_port({});  // index 0, for the root, whose port is never used
        reserve_elements();
        add_switch(find_root(), no_id);
        for (std::size_t e = 0; e < elements_.size(); ++e) add_children(static_cast<ElementId>(e));
        return Hct(std::move(elements_), std::move(ports_), std::move(pus_), std::move(nodes_));
    }

private:
    /// The switch or the vertex of a shape that an element was made from. add_children() needs it.
    struct Source {
        std::uint32_t switch_index = no_id;
        std::uint32_t vertex = 0;  ///< index into shape->vertices
        const NodeShape* shape = nullptr;
    };
    /// A child of a switch: a switch or a node, and the other member is no_id.
    struct Child {
        std::uint32_t switch_index = no_id;
        NodeId node = no_id;
    };

    Status find_nodes() {
        if (allocation_.nodes.empty()) {
            return Error{Errc::invalid_input,
                         "the job has no nodes: give a node list with at least one"};
        }
        for (std::size_t n = 0; n < allocation_.nodes.size(); ++n) {
            const Allocation::Node& node = allocation_.nodes[n];
            const auto known = cluster_.node_index.find(node.name);
            if (known == cluster_.node_index.end()) return unknown_node(node.name);
            NodeId& job_node = job_node_[known->second];
            if (job_node != no_id) {
                return Error{
                    Errc::invalid_input,
                    fmt::format("node {} stands twice in the job's node list; list it once",
                                quoted(node.name))};
            }
            job_node = static_cast<NodeId>(n);
            const NodeClass& node_class = class_of(known->second);
            const std::uint32_t available = node_class.tree.num_pus();
            if (node.num_pus > available) {
                return Error{Errc::invalid_input,
                             fmt::format("the job has {} PUs on node '{}', but its class {} has "
                                         "{}; correct the class in {}",
                                         node.num_pus, node.name, quoted(node_class.name),
                                         available, source())};
            }
            num_pus_of_node_[n] = node.num_pus == 0 ? available : node.num_pus;
        }
        return Ok{};
    }

    [[nodiscard]] Error unknown_node(const std::string& name) const {
        std::string hint;
        if (name.size() <= 64) {
            std::vector<std::string_view> names;
            names.reserve(cluster_.nodes.size());
            for (const Cluster::Node& node : cluster_.nodes) names.push_back(node.name);
            hint = did_you_mean(name, names);
        }
        return Error{
            Errc::not_found,
            fmt::format("node {} is not in {}; add it to one of the switches{}", quoted(name),
                        source(), hint.empty() ? "" : fmt::format(" (or{})", hint.substr(1)))};
    }

    Status count_switches() {
        std::uint64_t total = 0;
        for (const std::uint32_t num_pus : num_pus_of_node_) total += num_pus;
        if (total > max_cluster_pus) {
            return Error{Errc::out_of_range,
                         fmt::format("the job has {} PUs; at most {} can be mapped", total,
                                     max_cluster_pus)};
        }
        pus_.resize(total);
        for (std::size_t n = 0; n < cluster_.nodes.size(); ++n) {
            if (job_node_[n] == no_id) continue;
            num_pus_of_switch_[cluster_.nodes[n].switch_index] += num_pus_of_node_[job_node_[n]];
        }
        for (std::size_t s = cluster_.switches.size(); s-- > 1;) {
            num_pus_of_switch_[cluster_.switches[s].parent] += num_pus_of_switch_[s];
        }
        for (std::uint32_t s = 1; s < cluster_.switches.size(); ++s) {
            if (num_pus_of_switch_[s] == 0) continue;
            children_of_switch_[cluster_.switches[s].parent].push_back({s, no_id});
        }
        for (std::size_t n = 0; n < cluster_.nodes.size(); ++n) {
            if (job_node_[n] == no_id) continue;
            children_of_switch_[cluster_.nodes[n].switch_index].push_back({no_id, job_node_[n]});
        }
        return Ok{};
    }

    /// Reserves room for all elements: vectors that grow would need three times the result's memory
    /// at their peak.
    void reserve_elements() {
        std::size_t num_elements = cluster_.switches.size();
        for (std::size_t n = 0; n < cluster_.nodes.size(); ++n) {
            if (job_node_[n] == no_id) continue;
            const NodeShape& shape =
                shape_of(cluster_.nodes[n].class_index, num_pus_of_node_[job_node_[n]]);
            num_elements += shape.vertices.size();
        }
        elements_.reserve(num_elements);
        sources_.reserve(num_elements);
    }

    /// Returns the lowest switch that contains all the job's nodes.
    [[nodiscard]] std::uint32_t find_root() const {
        std::uint32_t root = 0;
        while (children_of_switch_[root].size() == 1 &&
               children_of_switch_[root][0].switch_index != no_id) {
            root = children_of_switch_[root][0].switch_index;
        }
        return root;
    }

    void add_children(ElementId id) {
        const Source source = sources_[id];
        const ElementId first_child = static_cast<ElementId>(elements_.size());
        PuId next_pu = elements_[id].first_pu;
        if (source.shape == nullptr) {
            for (const Child& child : children_of_switch_[source.switch_index]) {
                Element& element = child.switch_index != no_id ? add_switch(child.switch_index, id)
                                                               : add_node(child.node, id);
                element.first_pu = next_pu;
                next_pu += element.num_pus;
                if (child.node != no_id) nodes_[child.node].first_pu = element.first_pu;
            }
        } else {
            const NodeShape::Vertex& vertex = source.shape->vertices[source.vertex];
            for (std::uint32_t c = 0; c < vertex.num_children; ++c) {
                add_inside(*source.shape, vertex.first_child + c, id);
            }
        }
        Element& element = elements_[id];
        element.num_children = static_cast<std::uint32_t>(elements_.size() - first_child);
        if (element.num_children > 0) element.first_child = first_child;
    }

    Element& add_element(Level level, ElementId parent, const Source& source) {
        Element element;
        element.level = level;
        element.parent = parent;
        element.depth = parent == no_id ? 0 : elements_[parent].depth + 1;
        elements_.push_back(std::move(element));
        sources_.push_back(source);
        return elements_.back();
    }

    Element& add_switch(std::uint32_t index, ElementId parent) {
        const Cluster::Switch& from = cluster_.switches[index];
        Element& element = add_element(Level::switch_, parent, {index, 0, nullptr});
        element.name = from.name;
        element.max_bandwidth_bytes_per_s = from.max_bandwidth_bytes_per_s;
        element.num_pus = static_cast<std::uint32_t>(num_pus_of_switch_[index]);
        if (parent != no_id) element.port_index = add_port(from.link);
        return element;
    }

    Element& add_node(NodeId job_node, ElementId parent) {
        const std::string& name = allocation_.nodes[job_node].name;
        const std::uint32_t class_index =
            cluster_.nodes[cluster_.node_index.find(name)->second].class_index;
        const NodeClass& node_class = cluster_.classes[class_index];
        const NodeShape& shape = shape_of(class_index, num_pus_of_node_[job_node]);
        if (link_of_class_[class_index] == no_id)
            link_of_class_[class_index] = add_port(node_class.link);
        const ElementId id = static_cast<ElementId>(elements_.size());
        Element& element = add_element(Level::node, parent, {no_id, 0, &shape});
        element.name = name;
        element.node = job_node;
        element.num_pus = num_pus_of_node_[job_node];
        element.port_index = link_of_class_[class_index];
        element.max_bandwidth_bytes_per_s = node_class.max_bandwidth_bytes_per_s;
        nodes_[job_node] = {name, id, 0, element.num_pus};
        return element;
    }

    void add_inside(const NodeShape& shape, std::uint32_t index, ElementId parent) {
        const NodeShape::Vertex& vertex = shape.vertices[index];
        const ElementId id = static_cast<ElementId>(elements_.size());
        Element& element = add_element(vertex.level, parent, {no_id, index, &shape});
        element.node = elements_[parent].node;
        element.first_pu = nodes_[element.node].first_pu + vertex.first_pu;
        element.num_pus = vertex.num_pus;
        element.port_index = vertex.port_index;
        if (vertex.level == Level::pu) pus_[element.first_pu] = {id, element.node};
    }

    const NodeShape& shape_of(std::uint32_t class_index, std::uint32_t num_pus) {
        const auto [known, is_new] = shapes_.try_emplace({class_index, num_pus});
        if (is_new) known->second = make_shape(class_index, num_pus);
        return known->second;
    }

    NodeShape make_shape(std::uint32_t class_index, std::uint32_t num_pus) {
        const NodeTree& tree = cluster_.classes[class_index].tree;
        const std::vector<std::uint32_t> below = count_pus(tree, num_pus);
        NodeShape shape;
        shape.vertices.push_back({Level::node, 0, 0, 0, below[0], 0});
        std::vector<std::uint32_t> from{0};
        for (std::uint32_t v = 0; v < from.size(); ++v) {
            std::uint32_t next_pu = shape.vertices[v].first_pu;
            shape.vertices[v].first_child = static_cast<std::uint32_t>(from.size());
            for (const std::uint32_t child : tree.vertices[from[v]].children) {
                if (below[child] == 0) break;
                from.push_back(child);
                const std::uint32_t port = port_of(class_index, tree.vertices[child].levels);
                shape.vertices.push_back(
                    {tree.vertices[child].level, 0, 0, next_pu, below[child], port});
                next_pu += below[child];
                ++shape.vertices[v].num_children;
            }
        }
        return shape;
    }

    /// Returns the index of the port of an element inside a node.
    /// @param levels  NodeTree::Vertex::levels of the element
    std::uint32_t port_of(std::uint32_t class_index, std::uint32_t levels) {
        const auto [known, is_new] = inside_ports_.try_emplace({class_index, levels}, 0);
        if (!is_new) return known->second;
        return known->second = add_port(port_inside(cluster_.classes[class_index], levels).port);
    }

    std::uint32_t add_port(const Port& port) {
        const auto [known, is_new] =
            index_of_port_.try_emplace(port, static_cast<std::uint32_t>(ports_.size()));
        if (is_new) ports_.push_back(port);
        return known->second;
    }

    [[nodiscard]] const NodeClass& class_of(std::uint32_t node) const {
        return cluster_.classes[cluster_.nodes[node].class_index];
    }

    [[nodiscard]] std::string source() const {
        return cluster_.source.empty() ? "the cluster" : one_line(cluster_.source, 200);
    }

    const Cluster& cluster_;
    const Allocation& allocation_;
    std::vector<NodeId> job_node_;                ///< by index into cluster.nodes
    std::vector<std::uint32_t> num_pus_of_node_;  ///< by NodeId
    std::vector<std::uint64_t> num_pus_of_switch_;
    std::vector<std::vector<Child>> children_of_switch_;
    std::vector<std::uint32_t> link_of_class_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, NodeShape>
        shapes_;  ///< by class and number of PUs
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> inside_ports_;
    std::vector<Element> elements_;
    std::vector<Source> sources_;
    std::vector<Port> ports_;
    std::map<Port, std::uint32_t> index_of_port_;
    std::vector<PuInfo> pus_;
    std::vector<NodeInfo> nodes_;
};

}  // namespace

std::uint32_t NodeTree::num_pus() const {
    return static_cast<std::uint32_t>(
        std::count_if(vertices.begin(), vertices.end(),
                      [](const Vertex& vertex) { return vertex.level == Level::pu; }));
}

InsidePort port_inside(const NodeClass& node_class, std::uint32_t levels) {
    std::optional<Level> highest;
    for (auto l = static_cast<unsigned>(Level::package); l < num_levels; ++l) {
        if ((levels >> l & 1U) == 0) continue;
        const auto level = static_cast<Level>(l);
        if (!highest) highest = level;
        const auto given = node_class.inside.find(level);
        if (given != node_class.inside.end()) return {level, given->second};
    }
    return {highest.value_or(Level::pu), default_port(highest.value_or(Level::pu))};
}

Result<Hct> build_hct(const Cluster& cluster, const Allocation& allocation) {
    return HctBuilder(cluster, allocation).build();
}

Allocation whole_cluster(const Cluster& cluster) {
    Allocation allocation;
    allocation.nodes.reserve(cluster.nodes.size());
    for (const Cluster::Node& node : cluster.nodes) allocation.nodes.push_back({node.name, 0});
    return allocation;
}

}  // namespace commmap
