#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/deadline.hpp"
#include "core/mapping/csr_graph.hpp"
#include "core/mapping/machine_tree.hpp"

namespace commmap {

/// Lowers the hop-bytes of a placement by chains of moves: a rank goes to a bin where most of its
/// bytes are, one of those there goes on to where it would rather be, and so on, until one takes
/// the first one's place, or a free one. A chain of two is a swap. Only chains that gain are kept,
/// so that no bin ever has more ranks than PUs.
///
/// Not thread-safe; deterministic. Memory: 24 bytes a rank, 4 a PU, 16 a bin.
/// Source: ejection chains: Glover, "Ejection chains, reference structures and alternating path
/// methods for traveling salesman problems", Discrete Applied Mathematics 65, 1996; Lin,
/// Kernighan's idea for partitions: Bell System Technical Journal 49, 1970.
class HopBytesSearch {
public:
    /// @param bin_of_rank  no bin with more ranks than PUs; asserted
    /// graph and machine must outlive the object.
    HopBytesSearch(const CsrGraph& graph, const MachineTree& machine,
                   std::vector<GroupId> bin_of_rank);

    /// Chains from every rank, then from the neighbours of those that moved, until none gains.
    /// @param longest  ranks in a chain, at least 2
    /// @return  what J went down by, in the graph's weights, exactly
    /// Cost: a chain O(longest * ranks of a bin * neighbours).
    double improve(unsigned longest, const Deadline& deadline = {});

    [[nodiscard]] std::span<const GroupId> bins() const { return bin_of_; }

private:
    struct Target {
        double gain = 0.0;
        GroupId bin = 0;
        bool found = false;
    };
    struct Step {
        std::uint32_t rank;
        GroupId from;
    };

    double try_chain(std::uint32_t first, unsigned longest);
    void settle(bool closed);
    void take_back();
    [[nodiscard]] double cost_at(std::uint32_t rank, MachineTree::Path path) const;
    [[nodiscard]] Target best_target(std::uint32_t rank, GroupId not_there);
    void put(std::uint32_t rank, GroupId bin);
    [[nodiscard]] std::span<std::uint32_t> members(GroupId bin) {
        return {member_.data() + first_member_[bin], num_members_[bin]};
    }
    [[nodiscard]] bool is_hub(std::uint32_t rank) const;
    [[nodiscard]] bool has_room(GroupId bin) const {
        return num_members_[bin] < machine_.bins().capacity[bin];
    }

    const CsrGraph& graph_;
    const MachineTree& machine_;
    std::vector<GroupId> bin_of_;
    std::vector<MachineTree::Path> path_of_;   ///< of a rank's bin
    std::vector<double> cost_;                 ///< of a rank's messages where it is
    std::vector<std::uint32_t> first_member_;  ///< of a bin, index into member_
    std::vector<std::uint32_t> num_members_;
    std::vector<std::uint32_t> member_;
    std::vector<Step> chain_;
    std::vector<std::uint32_t> in_chain_;  ///< by rank, the chain that it was in last
    std::uint32_t chain_number_ = 0;
    std::vector<double> weight_to_;  ///< by bin; all 0 between calls
    std::vector<GroupId> near_;      ///< bins of a rank's neighbours
};

}  // namespace commmap
