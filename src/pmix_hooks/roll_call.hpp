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

    /// After MPI_Init: whether everyone_present() can find out anything. The same on every rank
    /// that has the recorder. Asks nobody.
    [[nodiscard]] static bool can_answer(int size) noexcept;
    /// Whether each rank may ask for itself at its end, where most wait for others anyway: the
    /// node's server gets at most 4096 questions, 0.1 ms each, of up to Handover::most_ranks ranks.
    /// Otherwise all ask together after MPI_Init. May differ from node to node; the answer will
    /// not.
    [[nodiscard]] static bool may_wait(int size) noexcept;

    enum class When {
        together,   ///< all ranks of the node, at about the same time
        separately  ///< each when it gets there
    };
    /// Needs can_answer(). The same answer on every rank that has the recorder, whenever it asks.
    /// Cost: one lookup in this process per rank of the world. Where PMIx keeps the keys out of it
    /// (PMIx 5 under Slurm), a question of 0.1 ms to the node's server per rank of the world, by
    /// each rank, or together by one rank of the node, for which the others wait.
    [[nodiscard]] static Result everyone_present(int rank, int size, When when) noexcept;

    struct Departure {
        Result everyone;
        /// Too many ranks for PMIx: all have yet to gather their reports.
        bool to_gather = false;
        /// On rank 0, unless they are to be gathered: the other ranks' reports (Handover).
        Gathered reports;
    };

    /// At the end, by every rank that gets there: whether all do. A rank that has ended without
    /// MPI_Finalize must not be waited for: Slurm takes a job whose ranks outlive one of them for
    /// broken. The reports travel with the answers.
    /// Cost: a PMIx fence like that of MPI_Finalize, in which ranks wait for each other, one that
    /// carries data (5 ms on 8 nodes, two CPUs), and on rank 0 lookups as for everyone_present();
    /// above Handover::most_ranks on all ranks, together. When all are to gather, everyone gets the
    /// same answer unless one dies between the fences and the lookups. Otherwise rank 0 has it, and
    /// the rest know of rank 0 and those below themselves.
    [[nodiscard]] static Departure everyone_leaving(int rank, int size,
                                                    const std::string& report) noexcept;
};

}  // namespace commmap::hooks
