// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/topology/allocation.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// The inside of a node as a tree whose leaves are PUs. A level in which every parent has one child
/// is left out (folded).
struct NodeTree {
    struct Vertex {
        Level level = Level::pu;
        std::uint32_t parent = no_id;         ///< index into vertices; the node itself is vertex 0
        std::vector<std::uint32_t> children;  ///< in hwloc's logical order
        std::uint32_t os_index = no_id;       ///< of a PU: the operating system's CPU number
        /// The levels that this vertex stands for, bit i for Level(i): its own level and those
        /// folded into it. A core with a single PU is one leaf of level pu that stands for core and
        /// pu; its port is the core's.
        std::uint32_t levels = 0;
    };
    std::vector<Vertex> vertices;  ///< vertex 0 is the node; breadth first
    /// Whether os_index is the nodes' own. A synthetic text without `indexes=` numbers PUs in
    /// hwloc's order, which nodes seldom have.
    bool has_os_indices = true;
    [[nodiscard]] std::uint32_t num_pus() const;
};

/// A kind of node: nodes of one class are equal.
struct NodeClass {
    std::string name;
    NodeTree tree;
    Port link;  ///< the node's port to its switch
    double max_bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
    std::map<Level, Port> inside;  ///< ports of package, numa, cache, core, pu elements
    std::string link_name = {};    ///< of `link` in the file's section `links`; empty: in place
    /// Names of the ports in `inside` that the file has in its section `links`.
    std::map<Level, std::string> inside_link_names = {};
};

/// The port of an element inside a node.
struct InsidePort {
    Level level = Level::pu;  ///< the level of which the node class says it, or the built-in value
    Port port;
};

/// Returns the port of an element: that of the highest level that the element stands for and the
/// class names; else the built-in port of its highest level (node_defaults.hpp).
/// @param levels  NodeTree::Vertex::levels of the element, which is not the node itself
[[nodiscard]] InsidePort port_inside(const NodeClass& node_class, std::uint32_t levels);

/// A cluster as its admin describes it in the cluster YAML. Equal nodes share a class.
struct Cluster {
    struct Switch {
        std::string name;
        std::uint32_t parent = no_id;  ///< index into switches; the root has none
        Port link;                     ///< uplink
        double max_bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
        std::string link_name = {};  ///< as NodeClass::link_name
    };
    struct Node {
        std::string name;
        std::uint32_t switch_index;
        std::uint32_t class_index;
    };
    std::string name;
    std::string source;  ///< the file from which it was read, for messages
    /// XML files that the file names, with the paths that were opened
    std::vector<std::string> hwloc_files;
    std::vector<Switch> switches;  ///< parents before children; 0 is the root
    std::vector<NodeClass> classes;
    std::vector<Node> nodes;  ///< in the order of the file
    std::map<std::string, std::uint32_t, std::less<>> node_index;
};

/// Builds the hardware tree (Hct) of one job from the cluster and the job's allocation.
///
/// Above the nodes:
/// - The root is the lowest switch above all the job's nodes, because messages never go above it.
/// - Switches without a node of the job are left out. Switches with a single child stay, because
///   their port is real.
/// - The children of a switch are its switches and then its nodes, both in the order of the file.
///
/// Inside the nodes:
/// - A node keeps its first `num_pus` PUs in hwloc's logical order (all PUs of the first core
///   before those of the second). Elements without PUs are dropped. Elements with a single child
///   stay.
/// - The port of an element is that of its node class, for the highest level that the element
///   stands for and the class names; else the built-in port (node_defaults.hpp).
///
/// Equal ports are one entry of Hct::ports().
///
/// Errors:
/// - not_found when a node of the allocation is not in the cluster. The message names it and the
///   nearest known name.
/// - invalid_input when the allocation asks for more PUs than a node has, is empty, or names a node
///   twice.
/// - out_of_range above 2^24 PUs.
/// Cost: O(elements of the result + nodes of the cluster).
[[nodiscard]] Result<Hct> build_hct(const Cluster& cluster, const Allocation& allocation);

/// Returns an allocation of the whole cluster, nodes in the order of the file.
[[nodiscard]] Allocation whole_cluster(const Cluster& cluster);

}  // namespace commmap
