// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/calibration/check/check_series.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/calibration/node_places.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Holds the values that a measurement of a check gave.
class CheckValues {
public:
    /// @param measured  answers, in any order; those that the plan does not know are left out
    CheckValues(const CheckPlan& plan, std::span<const Measured> measured);

    /// Returns the value of the fastest block, because other load only adds time: bytes per second,
    /// or seconds for work. nullopt: not measured.
    [[nodiscard]] std::optional<double> fastest(std::size_t series, std::size_t pair) const;
    /// Returns the value of the median block.
    [[nodiscard]] std::optional<double> middle(std::size_t series, std::size_t pair) const;
    /// Bytes per second that the streams of a path get together, as if all were as slow as the
    /// slowest. For a stream that ends early leaves its share to the others.
    [[nodiscard]] std::optional<double> of_path(std::uint32_t path) const;
    /// Returns the sum of what the streams of a path get. The sum is too high if they share
    /// unevenly, and right if a node is slow.
    [[nodiscard]] std::optional<double> sum_of_path(std::uint32_t path) const;
    /// Returns the most that a node sent, or received, in streams of ports; nullopt: not measured.
    [[nodiscard]] std::optional<double> of_port(NodeId node, bool out) const;
    /// Tells whether every pair of the plan was measured.
    [[nodiscard]] bool complete() const;
    /// Returns how many nodes both sent and received in streams of ports.
    [[nodiscard]] std::size_t count_nodes() const;
    /// Returns how many switches have their uplink in a path that was measured.
    /// @param plan  the one that the values are of
    [[nodiscard]] std::size_t count_uplinks(const CheckPlan& plan) const;

private:
    std::vector<std::vector<std::vector<double>>> blocks_;  ///< by series and pair, ascending
    std::vector<bool> is_work_;                             ///< by series
    std::vector<std::optional<double>> paths_;
    std::vector<double> path_sums_;
    std::map<std::pair<NodeId, bool>, double> ports_;
};

/// The value with which a measured value is compared.
struct Reference {
    double value = 0.0;
    /// The value is the median, or the upper quarter, of so many values: of streams, of paths or of
    /// nodes that compute. 0: it is the file's.
    std::uint32_t peers = 0;
    /// Mean distance of the peers from the value, without those more than 15 % away; at least 1 %
    /// of the value.
    double spread = 0.0;
};

/// The references of a check. Three nodes or five pairs of one kind, or more, are compared with
/// their median. No unit, header or MPI can make all of them look slow. Of two to four pairs the
/// reference is the value that a quarter of theirs exceed, for half of them may be slow. One pair,
/// or fewer than three nodes, are compared with the file's number.
///
/// A node counts in one pair of a kind only, so that a slow node makes one pair slow.
///
/// Paths of four switches or more are compared with the value that a quarter of them exceed. One
/// slow uplink may be part of more than half of the paths, so their median may be slow.
class References {
public:
    References(const Cluster& cluster, const NodePlaces& places, const CheckPlan& plan,
               const CheckValues& values);

    /// Returns the reference of a stream between two nodes: streams between nodes of the same two
    /// classes, on one switch or on two, as here. The file gives all of them the same rate. Streams
    /// inside a switch stand for streams across if no uplink can slow a single stream. nullopt: the
    /// file has no number.
    [[nodiscard]] std::optional<Reference> of_stream(NodeId sender, NodeId receiver) const;
    /// Returns the reference for the work of a node: nodes of its class. nullopt: fewer than three.
    [[nodiscard]] std::optional<Reference> of_work(NodeId node) const;
    /// Returns the reference of a path: paths between switches of the same depth, to which the file
    /// gives the same rate.
    [[nodiscard]] std::optional<Reference> of_path(const UplinkPath& path) const;

private:
    using StreamKind = std::tuple<std::uint32_t, std::uint32_t, bool, double>;
    using PathKind = std::pair<std::uint32_t, double>;

    const Cluster& cluster_;
    const NodePlaces& places_;
    [[nodiscard]] StreamKind kind_of(NodeId sender, NodeId receiver) const;
    std::map<StreamKind, Reference> streams_;
    std::map<std::uint32_t, Reference> work_;
    std::map<PathKind, Reference> paths_;
};

/// Returns the median; of an even number of values the lower middle one.
/// @pre not empty
[[nodiscard]] double median(std::vector<double> values);

}  // namespace commmap
