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

/// The global definitions of an OTF2 archive, as far as a profile needs them.
class Otf2Definitions {
public:
    /// A communicator whose group is there.
    struct Communicator {
        std::uint32_t number = 0;         ///< of the profile; the same members have the same
        std::vector<RankId> members;      ///< in its order; of an intercommunicator one group
        std::vector<RankId> other_group;  ///< empty: it is none
        bool is_self = false;             ///< of every rank alone
        bool has_world_ranks = false;     ///< events have ranks of MPI_COMM_WORLD already
        std::uint32_t num_world = 0;      ///< ranks of MPI_COMM_WORLD
        /// Of MPI_COMM_WORLD: of whom an event of `rank` with the number `other` speaks.
        [[nodiscard]] std::optional<RankId> world_rank(RankId rank, std::uint32_t other) const;
    };
    /// Event files of a rank, one for each of its threads.
    struct Thread {
        RankId rank = 0;
        OTF2_LocationRef location = 0;
    };

    /// Callbacks for OTF2's reader of global definitions, whose user data is this object.
    static void set_callbacks(OTF2_GlobalDefReaderCallbacks& callbacks);

    /// When all definitions are read: fills ranks (nodes), communicators and names of calls.
    /// Errors: invalid_input, out_of_range (a definition that others need is missing or senseless);
    /// without the file's name. Cost: O(definitions log definitions).
    [[nodiscard]] Status finish(Profile& profile);

    /// Sorted by rank.
    [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
    /// Null: there is none, or its group is unknown.
    [[nodiscard]] const Communicator* communicator(OTF2_CommRef ref) const;
    [[nodiscard]] const Communicator* window(OTF2_RmaWinRef ref) const;
    /// What kind of call a region is.
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
