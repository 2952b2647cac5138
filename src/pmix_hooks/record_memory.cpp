#include "pmix_hooks/record_memory.hpp"

#include "pmix_hooks/comm_map.hpp"
#include "pmix_hooks/topology_entry.hpp"

namespace commmap::hooks {

std::uint64_t record_layout() noexcept {
    std::uint64_t layout = 6;  // of what sizes do not tell
    for (const std::size_t size :
         {sizeof(RecordHead), offsetof(RecordHead, threads), sizeof(Place), sizeof(PeerTable::Peer),
          sizeof(ThreadCounters), sizeof(RankGroup), sizeof(CollectiveCount), sizeof(PhaseEntry),
          sizeof(SignatureCell), sizeof(TopologyEntry), sizeof(void*)})
        layout = layout * 1000003 + size;
    for (const char* name : mpi_call_names)
        for (; *name != '\0'; ++name) layout = layout * 31 + static_cast<unsigned char>(*name);
    return layout;
}

}  // namespace commmap::hooks
