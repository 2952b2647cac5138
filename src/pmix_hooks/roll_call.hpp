#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
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

    /// After a successful MPI_Init. The same answer on every rank that has the recorder. Cost:
    /// one lookup in this node's memory per rank of the world, or one question to the node's PMIx
    /// server where PMIx keeps nothing in shared memory.
    [[nodiscard]] static Result everyone_present(int rank, int size) noexcept;

    /// How long a report may be to be handed over with everyone_leaving(). All together: every
    /// node's PMIx server holds them. Each: PMIx 5 keeps keys in a segment that it sizes by what
    /// MPI exchanged in MPI_Init, 37 times that, and its server, which is slurmstepd, aborts when
    /// the segment is full (gds_shmem2.c, tma_alloc_request_will_overflow; read, not seen). With 90
    /// bytes a rank in MPI_Init there is room for 1 KiB a rank at the end.
    [[nodiscard]] static constexpr std::size_t most_bytes_of_report(int size) noexcept {
        constexpr std::size_t of_one = std::size_t{1} << 10;
        constexpr std::size_t of_all = std::size_t{256} << 10;
        return std::min(of_one, of_all / static_cast<std::size_t>(size));
    }
    struct Departure {
        Result everyone;
        /// The reports of all ranks, on rank 0, in their order. None, on every rank: one of them
        /// was longer than most_bytes_of_report(), and they have yet to be gathered.
        std::optional<Gathered> reports;
    };

    /// At the end, by every rank that gets there: whether all do. A rank that has ended without
    /// MPI_Finalize must not be waited for: Slurm takes a job whose ranks outlive one of them for
    /// broken. Short reports travel with the answers. A communicator to gather them over costs more
    /// (30 ms for 16 ranks on 8 nodes): its ranks connect to log P others each to agree on it.
    /// Cost: a PMIx fence like that of MPI_Finalize itself, and the lookups.
    [[nodiscard]] static Departure everyone_leaving(int rank, int size,
                                                    const std::string& report) noexcept;
};

}  // namespace commmap::hooks
