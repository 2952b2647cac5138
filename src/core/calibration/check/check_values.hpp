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

/// What a measurement of a check gave.
class CheckValues {
public:
    /// @param measured  answers, in any order; those that the plan does not know are left out
    CheckValues(const CheckPlan& plan, std::span<const Measured> measured);

    /// Of the fastest block, because other load only adds time: bytes per second, of work seconds.
    /// nullopt: not measured.
    [[nodiscard]] std::optional<double> fastest(std::size_t series, std::size_t pair) const;
    /// Of the block in the middle.
    [[nodiscard]] std::optional<double> middle(std::size_t series, std::size_t pair) const;
    /// Bytes per second that the streams of a path get together, as if all were as slow as the
    /// slowest. For a stream that ends early leaves its share to the others.
    [[nodiscard]] std::optional<double> of_path(std::uint32_t path) const;
    /// The sum of what the streams of a path get. It is too high where they do not share evenly, but
    /// is right where one of the nodes is slow.
    [[nodiscard]] std::optional<double> sum_of_path(std::uint32_t path) const;
    /// The most that a node sent, or received, in streams of ports; nullopt: not measured.
    [[nodiscard]] std::optional<double> of_port(NodeId node, bool out) const;
    /// Whether every pair of the plan was measured.
    [[nodiscard]] bool complete() const;
    /// How many nodes both sent and received in streams of ports.
    [[nodiscard]] std::size_t count_nodes() const;
    /// How many switches have their uplink in a path that was measured.
    /// @param plan  the one that the values are of
    [[nodiscard]] std::size_t count_uplinks(const CheckPlan& plan) const;

private:
    std::vector<std::vector<std::vector<double>>> blocks_;  ///< by series and pair, ascending
    std::vector<bool> is_work_;                             ///< by series
    std::vector<std::optional<double>> paths_;
    std::vector<double> path_sums_;
    std::map<std::pair<NodeId, bool>, double> ports_;
};

/// What others of the same kind get.
struct Reference {
    double value = 0.0;
    /// The value is the median, or the upper quarter, of so many values: of streams, of paths or of
    /// nodes that compute. 0: it is the file's.
    std::uint32_t peers = 0;
    /// How far peers are from the value in the mean, those apart that are 15 % away or more; at
    /// least 1 % of the value.
    double spread = 0.0;
};

/// The references of a check. Three nodes or five pairs of one kind, or more, are compared with their
/// median. No unit, header or MPI can make all of them look slow. Of two to four pairs the reference
/// is the value that a quarter of theirs exceed, for half of them may be slow. One pair, or fewer
/// than three nodes, are compared with the file's number.
///
/// A node counts in one pair of a kind only, so that a slow node makes one pair slow.
///
/// Paths of four switches or more are compared with the value that a quarter of them exceed. One
/// slow uplink may be part of more than half of the paths, so their median may be slow.
class References {
public:
    References(const Cluster& cluster, const NodePlaces& places, const CheckPlan& plan,
               const CheckValues& values);

    /// For a stream between two nodes: those between nodes of the same two classes, which hang on
    /// one switch, or on two, as these do. The file says the same rate of all of them. Where uplinks cannot hold up a single stream, those inside
    /// a switch stand for those across. nullopt: the file has no number.
    [[nodiscard]] std::optional<Reference> of_stream(NodeId sender, NodeId receiver) const;
    /// For the work of a node: nodes of its class. nullopt: they are fewer than three.
    [[nodiscard]] std::optional<Reference> of_work(NodeId node) const;
    /// For a path: paths of switches equally far from the root, of which the file says the same.
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

/// The value in the middle; of an even number the lower one.
/// @pre not empty
[[nodiscard]] double median(std::vector<double> values);

}  // namespace commmap
