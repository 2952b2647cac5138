#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/topology/allocation.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// The inside of a node, folded: levels in which every parent has one child are left out, PUs are
/// the leaves.
struct NodeTree {
    struct Vertex {
        Level level = Level::pu;
        std::uint32_t parent = no_id;         ///< index into vertices; the node itself is vertex 0
        std::vector<std::uint32_t> children;  ///< in hwloc's logical order
        std::uint32_t os_index = no_id;       ///< of a PU: the operating system's CPU number
        /// Levels that this vertex stands for, bit i for Level(i): its own and those folded into
        /// it. A core with a single PU is one leaf of level pu that stands for core and pu, and its
        /// port is the core's.
        std::uint32_t levels = 0;
    };
    std::vector<Vertex> vertices;  ///< vertex 0 is the node; breadth first
    [[nodiscard]] std::uint32_t num_pus() const;
};

struct NodeClass {
    std::string name;
    NodeTree tree;
    Port link;  ///< the node's port to its switch
    double max_bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
    std::map<Level, Port> inside;  ///< ports of package, numa, cache, core, pu elements
};

/// A cluster as the admin describes it: equal nodes stand once, as a class.
struct Cluster {
    struct Switch {
        std::string name;
        std::uint32_t parent = no_id;  ///< index into switches; the root has none
        Port link;                     ///< uplink
        double max_bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
    };
    struct Node {
        std::string name;
        std::uint32_t switch_index;
        std::uint32_t class_index;
    };
    std::string name;
    std::string source;                    ///< file it was read from, for messages
    std::vector<std::string> hwloc_files;  ///< XML files that it names, as they were opened
    std::vector<Switch> switches;          ///< parents before children; 0 is the root
    std::vector<NodeClass> classes;
    std::vector<Node> nodes;  ///< in the order of the file
    std::map<std::string, std::uint32_t, std::less<>> node_index;
};

/// The tree of what one job has. Its root is the lowest switch that contains all the job's nodes,
/// for messages never go above it. Switches without any of its nodes are left out; below the root,
/// switches with a single child stay (their port is real). The children of a switch are its
/// switches, then its nodes, both in the order of the file.
///
/// A node that is only partly allocated keeps its first `num_pus` PUs in hwloc's logical order (all
/// PUs of the first core before the second); elements without PUs are dropped, elements with a
/// single child stay. An in-node port is the class's for the highest level the element stands for
/// and the class gives, else the built-in one (node_defaults.hpp). Equal ports are one entry of
/// Hct::ports().
///
/// Errors: not_found when a node of the allocation is not in the cluster (names it and the nearest
/// known one), invalid_input when it is asked for more PUs than it has, or the allocation is empty
/// or names a node twice; out_of_range above 2^24 PUs. Cost: O(elements of the result + nodes of
/// the cluster).
[[nodiscard]] Result<Hct> build_hct(const Cluster& cluster, const Allocation& allocation);

/// Everything the cluster has, nodes in the order of the file.
[[nodiscard]] Allocation whole_cluster(const Cluster& cluster);

}  // namespace commmap
