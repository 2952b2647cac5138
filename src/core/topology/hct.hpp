// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "commmap/ids.hpp"
#include "core/topology/bandwidth_curve.hpp"

namespace commmap {

/// Levels of the hardware, from the root to the leaves. `switch_` may repeat (several tiers of
/// switches). Inside a node the order is the machine's: `cache` may repeat (L2 below L3), and a
/// NUMA node may hold packages. The leaves are always `pu`.
enum class Level : unsigned char { switch_, node, package, numa, cache, core, pu };
inline constexpr std::size_t num_levels = 7;
[[nodiscard]] const char* level_name(Level level);

/// A vertex of the tree: a processing element (a leaf, level pu) or a switch element (anything
/// else).
struct Element {
    Level level = Level::pu;
    ElementId parent = no_id;       ///< no_id: the root
    ElementId first_child = no_id;  ///< children are first_child .. first_child + num_children - 1
    std::uint32_t num_children = 0;
    PuId first_pu = 0;  ///< PUs below the element: first_pu .. first_pu + num_pus - 1
    std::uint32_t num_pus = 0;
    std::uint32_t depth = 0;       ///< 0 at the root
    NodeId node = no_id;           ///< the node that holds the element; no_id for network switches
    std::uint32_t port_index = 0;  ///< into Hct::ports(); the root's port is never used
    double max_bandwidth_bytes_per_s =
        /// of a switch element: bound on all its ports together
        std::numeric_limits<double>::infinity();
    std::string name;  ///< network switches and nodes only ("s0", "m3"); empty inside nodes
};

/// Where a PU is: its element and its node.
struct PuInfo {
    ElementId element;
    NodeId node;
};

struct NodeInfo {
    std::string name;
    ElementId element;
    PuId first_pu;
    std::uint32_t num_pus;
};

/// The hardware communication topology (HCT) of one job: a tree of switches, nodes, caches and PUs
/// with the bandwidth and latency of each link. Elements are stored breadth first. So parents come
/// before children, siblings are consecutive, and the PUs below any element have consecutive PuIds.
///
/// Nodes are numbered in the order of the job's node list, not in tree order.
/// Immutable and thread-safe once built.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 3.1.
/// Differs from the paper:
/// - A link is one port, the up port of the child. The switch's down port at the other end has no
///   numbers of its own, because only the slower of the two ends can be observed.
/// - Latency is a number of its own.
class Hct {
public:
    /// Takes a finished tree; for builders only (cluster.cpp, tests). Debug builds assert its
    /// invariants.
    Hct(std::vector<Element> elements, std::vector<Port> ports, std::vector<PuInfo> pus,
        std::vector<NodeInfo> nodes);

    [[nodiscard]] std::size_t num_elements() const { return elements_.size(); }
    [[nodiscard]] std::size_t num_pus() const { return pus_.size(); }
    [[nodiscard]] std::size_t num_nodes() const { return nodes_.size(); }
    [[nodiscard]] const Element& element(ElementId id) const { return elements_[id]; }
    [[nodiscard]] std::span<const Element> elements() const { return elements_; }
    [[nodiscard]] const PuInfo& pu(PuId id) const { return pus_[id]; }
    [[nodiscard]] const NodeInfo& node(NodeId id) const { return nodes_[id]; }
    /// Returns the index of a PU among those of its node that this job may use, in hwloc's logical
    /// order.
    [[nodiscard]] std::uint32_t pu_index(PuId id) const {
        return id - nodes_[pus_[id].node].first_pu;
    }
    /// Port of an element towards its parent. @pre id is not the root
    [[nodiscard]] const Port& port(ElementId id) const { return ports_[elements_[id].port_index]; }
    [[nodiscard]] std::span<const Port> ports() const { return ports_; }

    /// Lowest common ancestor of two leaves. Cost: O(depth).
    [[nodiscard]] ElementId common_ancestor(PuId a, PuId b) const;
    /// Returns the number of ports (links) between two leaves; 0 for the same leaf. Cost: O(depth).
    [[nodiscard]] unsigned hops(PuId a, PuId b) const;

    /// Calls a function for each port that a message from a to b uses: up(e) for the out port of
    /// element e, down(e) for the in port. Returns the common ancestor. Both functions are called
    /// from the PUs upwards, interleaved. For a == b nothing is called.
    /// Cost: O(depth).
    template <class Up, class Down>
    ElementId for_each_port(PuId a, PuId b, Up&& up, Down&& down) const {
        ElementId x = pus_[a].element;
        ElementId y = pus_[b].element;
        while (x != y) {
            if (elements_[x].depth >= elements_[y].depth) {
                const bool level_with = elements_[x].depth == elements_[y].depth;
                up(x);
                x = elements_[x].parent;
                if (level_with) {
                    down(y);
                    y = elements_[y].parent;
                }
            } else {
                down(y);
                y = elements_[y].parent;
            }
        }
        return x;
    }

private:
    std::vector<Element> elements_;
    std::vector<Port> ports_;
    std::vector<PuInfo> pus_;
    std::vector<NodeInfo> nodes_;
};

}  // namespace commmap
