// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/machine_tree.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// The bin of each rank, and the ranks of each bin.
/// While ranks move from bin to bin in a chain, the lists of members do not change. They are
/// updated when the chain is kept.
/// Memory: 16 bytes a rank, 4 a PU, 8 a bin.
class BinPlacement {
public:
    struct Step {
        std::uint32_t rank;
        GroupId from;
    };

    /// @param bin_of_rank  no bin with more ranks than PUs; asserted
    /// graph and machine must outlive the object.
    BinPlacement(const CsrGraph& graph, const MachineTree& machine,
                 std::vector<GroupId> bin_of_rank);

    [[nodiscard]] const CsrGraph& graph() const { return graph_; }
    [[nodiscard]] const MachineTree& machine() const { return machine_; }
    [[nodiscard]] std::uint32_t num_ranks() const {
        return static_cast<std::uint32_t>(bin_of_.size());
    }
    [[nodiscard]] GroupId bin_of(std::uint32_t rank) const { return bin_of_[rank]; }
    [[nodiscard]] MachineTree::Path path_of(std::uint32_t rank) const { return path_of_[rank]; }
    [[nodiscard]] std::span<const GroupId> bins() const { return bin_of_; }
    /// Returns the ranks of a bin before the chain.
    [[nodiscard]] std::span<const std::uint32_t> members(GroupId bin) const {
        return {member_.data() + first_member_[bin], num_members_[bin]};
    }
    [[nodiscard]] bool has_room(GroupId bin) const {
        return num_members_[bin] < machine_.bins().capacity[bin];
    }

    void move(std::uint32_t rank, GroupId bin) {
        bin_of_[rank] = bin;
        path_of_[rank] = machine_.path(bin);
    }
    /// Updates members() after a chain. Each rank has gone to the bin from which the next rank
    /// came.
    /// The last rank has gone to the first one's bin (closed), or to a bin with room.
    void settle(std::span<const Step> chain, bool closed);

private:
    const CsrGraph& graph_;
    const MachineTree& machine_;
    std::vector<GroupId> bin_of_;
    std::vector<MachineTree::Path> path_of_;
    std::vector<std::uint32_t> first_member_;  ///< by bin, index into member_
    std::vector<std::uint32_t> num_members_;
    std::vector<std::uint32_t> member_;
};

}  // namespace commmap
