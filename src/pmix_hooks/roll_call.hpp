#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pmix_hooks/gather.hpp"

namespace commmap::hooks {

/// Who of MPI_COMM_WORLD has the recorder. A rank may lack it: a node without the library, a
/// wrapper script that unsets LD_PRELOAD, a Fortran or static program among the others. The
/// recorder's own collective calls would wait for that rank for ever, so there are none unless
/// everybody has answered.
///
/// The answers travel with what the MPI library itself exchanges in MPI_Init: PMIx_Commit is
/// wrapped, and a rank inside of our MPI_Init puts one key more; PMIx_Fence and PMIx_Fence_nb are,
/// to see that the exchange is one of everything (PMIX_COLLECT_DATA). No message, no connection and
/// no waiting is added.
class RollCall {
public:
    /// What everyone_present() found.
    enum class Answer {
        all,         ///< every rank has the recorder
        not_all,     ///< `missing` lacks it
        no_exchange  ///< MPI does not give everybody's keys to everybody over PMIx
    };
    struct Result {
        Answer answer;
        int missing = -1;       ///< lowest rank without the recorder
        bool is_first = false;  ///< this rank is the lowest with it
    };

    /// Brackets MPI_Init of a process that wants to record.
    static void open() noexcept;
    static void close() noexcept;

    /// After a successful MPI_Init. The same answer on every rank that has the recorder. Cost: one
    /// lookup in this node's memory per rank of the world. Where PMIx keeps the keys of other nodes
    /// out of it (PMIx 5 under Slurm), one rank of the node asks the node's server, a question of
    /// 0.1 ms per rank of the world, and tells the others.
    [[nodiscard]] static Result everyone_present(int rank, int size) noexcept;

    /// How long a report may be to be handed over with everyone_leaving(). Above 256 ranks none
    /// is: every node's PMIx server holds them all. Each: PMIx 5 keeps keys in a segment that it
    /// sizes by what MPI exchanged in MPI_Init, 37 times that, and its server, which is slurmstepd,
    /// aborts when the segment is full (gds_shmem2.c, tma_alloc_request_will_overflow; read, not
    /// seen). With 90 bytes a rank in MPI_Init there is room for 1 KiB a rank at the end.
    [[nodiscard]] static constexpr std::size_t most_bytes_of_report(int size) noexcept {
        return size <= 256 ? std::size_t{1} << 10 : 0;
    }
    struct Departure {
        /// Of a rank that is neither rank 0 nor one with a longer report: all, when rank 0 is
        /// there.
        Result everyone;
        /// On rank 0: the reports of the others that are short enough.
        Gathered handed_over;
        /// Rank 0, and who has yet to hand a longer report over to it, in ascending order; on these
        /// ranks. Empty: there are none, or this rank is none of them and has no more to do.
        std::vector<int> still_to_gather;
    };

    /// At the end, by every rank that gets there: whether all do. A rank that has ended without
    /// MPI_Finalize must not be waited for: Slurm takes a job whose ranks outlive one of them for
    /// broken. Short reports travel with the answers. A communicator to gather them over costs more
    /// (30 ms for 16 ranks on 8 nodes): its ranks connect to log P others each to agree on it.
    /// Cost: a PMIx fence like that of MPI_Finalize itself, and a lookup of each rank by rank 0 and
    /// by the ranks with longer reports, else of rank 0 alone, and of each when that has gone. What
    /// is asked of PMIx's server between joining a fence and its end makes that end 40 ms late (the
    /// server's next message waits for the acknowledgement that TCP delays): so never then.
    [[nodiscard]] static Departure everyone_leaving(int rank, int size,
                                                    const std::string& report) noexcept;
    /// Calls `what` once, when this process has joined the next fence of MPI's. It may ask PMIx
    /// nothing (see above).
    static void after_next_fence(void (*what)() noexcept) noexcept;
};

}  // namespace commmap::hooks
