// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/estimate/port_cost.hpp"

namespace commmap {

/// The ports of a tree and the messages of a graph, in the form that the port-cost computations
/// read in their inner loops.
/// A port is one number. All messages from one rank to another are one kind, and the time of a kind
/// at a port is one look-up.
/// Sizes of messages are added up. Fig. 4 folds the messages of a task as a whole, so no cost
/// changes but for rounding.
///
/// Port number = 3 * element + direction (out, in or through), so ascending numbers are element
/// order.
/// A half-duplex link has one port for both directions, which has the number of its `out` port.
/// The `through` port of an element exists only when the element is a switch element with a finite
/// maximum bandwidth.
/// Refers to neither graph nor tree once built.
/// Threads: safe.
/// Memory: a few arrays as long as the tree and the graph, and the times: kinds * distinct ports,
/// at most max_table_entries. Beyond that times are computed at each use.
class PortTable {
public:
    /// All messages from one rank to another, as seen from one of them.
    struct PeerMessages {
        RankId peer;
        std::uint32_t kind;
    };

    /// @param waits_per_message  by rank: latencies that it waits for with each message that it
    ///                           sends, in (0, 1]; empty: 1. See Channel::messages_time_s().
    PortTable(const CommGraph& graph, const Hct& hct,
              std::span<const double> waits_per_message = {});

    [[nodiscard]] std::size_t num_ranks() const { return first_sent_.size() - 1; }
    [[nodiscard]] std::size_t num_ports() const { return class_of_port_.size(); }
    [[nodiscard]] std::span<const PeerMessages> sent_by(RankId rank) const {
        return {sent_.data() + first_sent_[rank], first_sent_[rank + 1] - first_sent_[rank]};
    }
    [[nodiscard]] std::span<const PeerMessages> received_by(RankId rank) const {
        return {received_.data() + first_received_[rank],
                first_received_[rank + 1] - first_received_[rank]};
    }

    [[nodiscard]] std::size_t num_kinds() const { return kinds_.size(); }
    [[nodiscard]] double bytes_of(std::uint32_t kind) const { return kinds_[kind].all_bytes; }
    /// Returns the seconds that all messages of the kind take at the port, one after the other.
    [[nodiscard]] double time_s(std::uint32_t kind, std::uint32_t port) const {
        return time_at_class_s(kind, class_of_port_[port]);
    }
    /// Returns the number of classes of ports. Ports of one class take the same time for the same
    /// kind.
    [[nodiscard]] std::size_t num_classes() const { return classes_.size(); }
    [[nodiscard]] std::uint32_t class_of(std::uint32_t port) const { return class_of_port_[port]; }
    [[nodiscard]] double time_at_class_s(std::uint32_t kind, std::uint32_t port_class) const {
        return times_.empty() ? compute_time_s(kind, port_class)
                              : times_[kind * classes_.size() + port_class];
    }
    [[nodiscard]] double max_bandwidth_bytes_per_s(std::uint32_t port) const {
        return classes_[class_of_port_[port]].max_bandwidth_bytes_per_s;
    }
    /// Returns whether the port never costs anything: it has no latency and no bound of any kind.
    [[nodiscard]] bool is_free(std::uint32_t port) const {
        return classes_[class_of_port_[port]].free;
    }
    /// Returns the port by which messages enter an element: of a half-duplex link the same port by
    /// which they leave.
    [[nodiscard]] std::uint32_t in_port_of(ElementId element) const {
        return 3 * element + (steps_[element].half_duplex ? 0U : 1U);
    }
    /// Returns the port without a load.
    [[nodiscard]] PortLoad load_of(std::uint32_t port) const {
        const auto direction = static_cast<PortDirection>(port % 3);
        const bool both = direction == PortDirection::out && steps_[port / 3].half_duplex;
        return {port / 3, both ? PortDirection::both : direction, 0.0, 0.0};
    }

    /// Calls use(port) once for every port that a message from PU a to PU b uses; never for a == b.
    template <class Use>
    void for_each_port(PuId a, PuId b, Use&& use) const {
        std::uint32_t x = element_of_pu_[a];
        std::uint32_t y = element_of_pu_[b];
        while (x != y) {
            const std::uint32_t depth_x = steps_[x].depth;
            const std::uint32_t depth_y = steps_[y].depth;
            if (depth_x >= depth_y) {
                use(3 * x);
                if (steps_[x].bounded) use(3 * x + 2);
                x = steps_[x].parent;
            }
            if (depth_y >= depth_x) {
                use(in_port_of(y));
                if (steps_[y].bounded) use(3 * y + 2);
                y = steps_[y].parent;
            }
        }
        if (a != b && steps_[x].bounded) use(3 * x + 2);
    }

    /// Calls use() once for each link between PU a and PU b.
    template <class Use>
    void for_each_link(PuId a, PuId b, Use&& use) const {
        std::uint32_t x = element_of_pu_[a];
        std::uint32_t y = element_of_pu_[b];
        while (x != y) {
            std::uint32_t& deeper = steps_[x].depth >= steps_[y].depth ? x : y;
            deeper = steps_[deeper].parent;
            use();
        }
    }

    /// An element as a walk up the tree sees it.
    struct Step {
        std::uint32_t parent;
        std::uint32_t depth : 30;
        std::uint32_t bounded : 1;      ///< has a `through` port
        std::uint32_t half_duplex : 1;  ///< one port for both directions
        PuId first_pu;
        std::uint32_t num_pus;
        [[nodiscard]] bool holds(PuId pu) const { return pu - first_pu < num_pus; }
    };
    [[nodiscard]] const Step& step(ElementId element) const { return steps_[element]; }
    [[nodiscard]] ElementId element_of(PuId pu) const { return element_of_pu_[pu]; }

    static constexpr std::size_t max_table_entries = std::size_t{1} << 22U;

private:
    /// Messages of one size class, with a link to the messages of another kind.
    struct Kind {
        double count;
        double waits;
        double bytes;
        std::uint32_t rest;  ///< a smaller kind number; no_id: none
        double all_bytes;
    };
    struct Class {
        std::optional<Channel> channel;  ///< none for the `through` port of a switch element
        double max_bandwidth_bytes_per_s;
        bool free;
    };
    [[nodiscard]] double compute_time_s(std::uint32_t kind, std::uint32_t port_class) const;

    std::vector<Step> steps_;
    std::vector<std::uint32_t> element_of_pu_;
    std::vector<std::uint32_t> class_of_port_;
    std::vector<Class> classes_;
    std::vector<Kind> kinds_;
    std::vector<double> times_;
    std::vector<std::size_t> first_sent_;
    std::vector<PeerMessages> sent_;
    std::vector<std::size_t> first_received_;
    std::vector<PeerMessages> received_;
};

}  // namespace commmap
