// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/topology/allocation.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// A kind of ports: they have the same link in the cluster YAML and the same place in the tree.
/// Calibration measures a few of them, which stand for all.
///
/// Nodes are those of an allocation, numbered in its order.
struct PortKind {
    enum class Owner : unsigned char {
        node,     ///< ports of the nodes of one class
        switch_,  ///< uplinks of the switches that are equally far from the root
        inside    ///< ports of one level inside the nodes of one class (inside_kinds.hpp)
    };
    Owner owner = Owner::node;
    std::uint32_t class_index = no_id;  ///< not of an uplink: into Cluster::classes
    std::uint32_t depth = 0;            ///< of an uplink: number of switches above its switch
    Level level = Level::node;          ///< of a port inside a node
    NodeId node = no_id;                ///< inside which node is measured; no_id: between nodes
    /// In the file; empty: a link that is written in place, or a built-in port inside a node.
    std::string link_name;
    Port link;                    ///< what the file says of it
    std::uint32_t num_ports = 0;  ///< how many ports of this kind the allocation has

    /// Pairs whose messages cross two ports of this kind, and as little else as possible. The ends
    /// are nodes, or CPUs of `node` by their numbers in the operating system.
    /// - A node's port, or that of a single PU: all pairs begin at one end, pair i ends at
    ///   ends_b[i].
    /// - An uplink, or the port of several PUs: pairs with different ends. All of ends_a lie below
    ///   one of the ports, all of ends_b below a sibling.
    /// Both are empty where the allocation has no such pair.
    std::vector<std::uint32_t> ends_a;
    std::vector<std::uint32_t> ends_b;
    /// Why nothing of this kind can be measured; empty when something can.
    std::string why_not;

    [[nodiscard]] bool is_inside() const { return owner == Owner::inside; }
};

/// Most pairs that stand for a kind of ports. Four senders fill a port if each of them fills a
/// quarter of it.
inline constexpr std::uint32_t max_pairs_of_kind = 4;

/// Returns the number of switches above a switch (PortKind::depth).
[[nodiscard]] std::uint32_t depth_of(const Cluster& cluster, const Cluster::Switch& one);

/// Finds the kinds of ports between the nodes of an allocation, in this order: nodes by class, then
/// uplinks from the leaves to the root, then by name of the link.
///
/// Representatives are chosen so that nothing but the kind itself is crossed:
/// - A node's port: nodes of its class that hang on one switch, the switch with the most of them.
/// - An uplink: two sibling switches with uplinks of the kind, those with the most nodes below the
///   smaller one. Siblings of different kinds are not compared with each other.
/// The first of equals wins, in the order of the file.
///
/// Errors: not_found when a node of the allocation is not in the cluster; invalid_input when the
/// allocation has one node only, or names a node twice.
/// Cost: O((nodes of the allocation + switches) * depth of the tree), and O(cluster) for its kinds.
[[nodiscard]] Result<std::vector<PortKind>> find_port_kinds(const Cluster& cluster,
                                                            const Allocation& allocation);

}  // namespace commmap
