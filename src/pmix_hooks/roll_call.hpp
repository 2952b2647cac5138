#pragma once

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

    /// At the end, by every rank that gets there: whether all do. A rank that has ended without
    /// MPI_Finalize must not be waited for: Slurm takes a job whose ranks outlive one of them for
    /// broken. Cost: a PMIx fence like that of MPI_Finalize itself, and the lookups.
    [[nodiscard]] static Result everyone_leaving(int rank, int size) noexcept;
};

}  // namespace commmap::hooks
