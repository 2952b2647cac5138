#pragma once

#include <cstddef>
#include <string>

#include "pmix_hooks/gather.hpp"

namespace commmap::hooks {

/// Who of MPI_COMM_WORLD has the recorder. A rank may lack it: a node without the library, a
/// wrapper script that unsets LD_PRELOAD, a Fortran or static program among the others. The
/// recorder's own collective calls would wait for that rank for ever, so there are none unless
/// everybody has answered.
///
/// The answers travel with what the MPI library itself exchanges in MPI_Init: PMIx_Commit is
/// wrapped, and a rank inside of our MPI_Init puts one key more; PMIx_Fence and PMIx_Fence_nb are,
/// to see that the exchange is one of everything (PMIX_COLLECT_DATA). No MPI message and no
/// connection is added.
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
    /// lookup in this process per rank of the world. Where PMIx keeps the keys out of it (PMIx 5
    /// under Slurm), one rank of the node asks the node's server, a question of 0.1 ms per rank of
    /// the world, and tells the others of the node, who wait for it.
    [[nodiscard]] static Result everyone_present(int rank, int size) noexcept;

    /// How long a report may be to be handed over with everyone_leaving(): 128 KiB together, and
    /// none above 256 ranks. Every node's PMIx server holds them all, and the fence takes 7 ms more
    /// for every 100 KiB of all together (8 nodes, two CPUs); a communicator to gather them takes
    /// 30 ms.
    [[nodiscard]] static constexpr std::size_t most_bytes_of_report(int size) noexcept {
        return size <= 128 ? std::size_t{1} << 10 : size <= 256 ? std::size_t{1} << 9 : 0;
    }
    struct Departure {
        Result everyone;
        /// Some reports are too long: all ranks have yet to gather them.
        bool to_gather = false;
        /// On rank 0, when there is nothing to gather: the other ranks' reports, in their order.
        Gathered handed_over;
    };

    /// At the end, by every rank that gets there: whether all do. A rank that has ended without
    /// MPI_Finalize must not be waited for: Slurm takes a job whose ranks outlive one of them for
    /// broken. Short reports travel with the answers. A communicator to gather them over costs more
    /// (30 ms for 16 ranks on 8 nodes): its ranks connect to log P others each to agree on it.
    /// Cost: a PMIx fence like that of MPI_Finalize, in which ranks wait for each other, one that
    /// carries data (6 ms on 8 nodes, two CPUs), and lookups as for everyone_present(). Every rank
    /// gets the same answer unless one dies between the fences and the lookups.
    [[nodiscard]] static Departure everyone_leaving(int rank, int size,
                                                    const std::string& report) noexcept;
};

}  // namespace commmap::hooks
