// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Reads the global definitions of an OTF2 archive, as far as a profile needs them.
class Otf2Definitions {
public:
    /// A communicator whose group is defined.
    struct Communicator {
        /// number in the profile; communicators with the same members share it
        std::uint32_t number = 0;
        /// in the communicator's order; one group of an intercommunicator
        std::vector<RankId> members;
        /// the other group of an intercommunicator; empty: it is none
        std::vector<RankId> other_group;
        bool is_self = false;  ///< MPI_COMM_SELF: each rank alone
        /// events name ranks of MPI_COMM_WORLD, not of this communicator
        bool has_world_ranks = false;
        std::uint32_t num_world = 0;  ///< number of ranks in MPI_COMM_WORLD
        /// Translates the number `other` in an event of `rank` to a rank of MPI_COMM_WORLD.
        [[nodiscard]] std::optional<RankId> world_rank(RankId rank, std::uint32_t other) const;
    };
    /// An event file: one thread of a rank.
    struct Thread {
        RankId rank = 0;
        OTF2_LocationRef location = 0;
    };

    /// Sets the callbacks for OTF2's reader of global definitions. Their user data is this object.
    static void set_callbacks(OTF2_GlobalDefReaderCallbacks& callbacks);

    /// Call it when all definitions have been read: fills the ranks (nodes), communicators and call
    /// names of a profile.
    /// Errors: invalid_input or out_of_range for a needed definition that is missing or senseless;
    /// the message has no file name.
    /// Cost: O(definitions log definitions).
    [[nodiscard]] Status finish(Profile& profile);

    /// Returns all event files, sorted by rank.
    [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
    /// Finds a communicator; nullptr: there is none, or its group is unknown.
    [[nodiscard]] const Communicator* communicator(OTF2_CommRef ref) const;
    [[nodiscard]] const Communicator* window(OTF2_RmaWinRef ref) const;
    /// Says which kind of call a region is.
    struct Region {
        enum class Kind { other, call, init, finalize } kind = Kind::other;
        std::uint32_t call = 0;  ///< index into Profile::call_names
    };
    [[nodiscard]] Region region(OTF2_RegionRef ref) const;
    [[nodiscard]] double ticks_per_s() const { return ticks_per_s_; }

private:
    struct TreeNode {
        OTF2_StringRef name = 0;
        OTF2_StringRef kind = 0;
        OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
        bool shares_memory = false;
    };
    struct Group {
        std::vector<std::uint64_t> members;  ///< indices into the world
        bool is_self = false;
        bool has_world_ranks = false;
    };
    struct Comm {
        OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
        OTF2_GroupRef other_group = OTF2_UNDEFINED_GROUP;
    };

    static Otf2Definitions& self(void* data) { return *static_cast<Otf2Definitions*>(data); }
    [[nodiscard]] std::string text(OTF2_StringRef ref) const;
    [[nodiscard]] std::string node_of(OTF2_LocationGroupRef group) const;
    Status finish_ranks(Profile& profile);
    Status finish_communicators(Profile& profile);
    void finish_regions(Profile& profile);
    [[nodiscard]] Status members_of(const Group& group, std::vector<RankId>& members) const;

    std::unordered_map<OTF2_StringRef, std::string> strings_;
    std::unordered_map<OTF2_SystemTreeNodeRef, TreeNode> tree_;
    std::unordered_map<OTF2_LocationGroupRef, OTF2_SystemTreeNodeRef> processes_;
    std::unordered_map<OTF2_LocationRef, OTF2_LocationGroupRef> locations_;
    std::vector<std::uint64_t> world_;  ///< locations by rank
    bool has_world_ = false;
    std::unordered_map<OTF2_GroupRef, Group> groups_;
    std::map<OTF2_CommRef, Comm> comms_;
    std::unordered_map<OTF2_RmaWinRef, OTF2_CommRef> windows_;
    struct NamedRegion {
        OTF2_StringRef name = 0;
        bool is_mpi = false;
    };
    std::map<OTF2_RegionRef, NamedRegion> named_regions_;
    double ticks_per_s_ = 0.0;

    std::vector<Thread> threads_;
    std::unordered_map<OTF2_CommRef, Communicator> communicators_;
    std::unordered_map<OTF2_RegionRef, Region> regions_;
};

}  // namespace commmap
