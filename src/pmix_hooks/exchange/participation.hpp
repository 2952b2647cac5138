#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "pmix_hooks/exchange/gather.hpp"

namespace commmap::hooks {

/// Who of MPI_COMM_WORLD has the recorder. A rank may lack it: a node without the library, a
/// wrapper script that unsets LD_PRELOAD, a static program among the others. The recorder's own
/// collective calls would wait for that rank for ever, so there are none unless everybody has
/// answered.
///
/// The answers travel with what the MPI library itself exchanges in MPI_Init: PMIx_Commit is
/// wrapped, and a rank inside of our MPI_Init puts one key more; PMIx_Fence and PMIx_Fence_nb are,
/// to see that the exchange is one of everything (PMIX_COLLECT_DATA). No MPI message and no
/// connection is added.
class Participation {
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

    /// After MPI_Init: whether everyone_present() can find out anything. Asks nobody.
    [[nodiscard]] static bool can_answer(int size) noexcept;
    /// Whether each rank asks for itself, when it gets to its end: the node's server gets at most
    /// 512 questions for that. Otherwise one rank of the node asks for all, and they do it together
    /// after MPI_Init, for at their end they may be far apart. The same on all ranks of a node; the
    /// answer is the same on all.
    [[nodiscard]] static bool asks_separately(int size) noexcept;
    /// Needs can_answer(). The same answer on every rank that has the recorder, whenever it asks.
    /// Cost: one lookup in this process per rank of the world. Where PMIx keeps the keys out of it
    /// (PMIx 5 under Slurm), a question of 0.1 ms to the node's server per rank of the world.
    [[nodiscard]] static Result everyone_present(int rank, int size, bool separately) noexcept;

    /// How long a record may be to be handed over with everyone_leaving(). All together may have
    /// 128 KiB, and each 8 KiB; above 256 ranks none is handed over. Every node's PMIx server holds
    /// them all, and the fence takes 7 ms more for every 100 KiB of all together (8 nodes, two
    /// CPUs); a communicator to gather them takes 30 ms.
    [[nodiscard]] static constexpr std::size_t most_bytes_of_record(int size) noexcept {
        constexpr std::size_t most = std::size_t{8} << 10;
        constexpr std::size_t together = std::size_t{128} << 10;
        if (size < 1 || size > 256) return 0;
        return std::min(most, together / static_cast<std::size_t>(size));
    }
    struct Departure {
        Result everyone;
        /// Some records are too long: all ranks have yet to gather them.
        bool to_gather = false;
        /// On rank 0, when there is nothing to gather: the other ranks' records, in their order.
        Gathered handed_over;
    };

    /// At the end, by every rank that gets there: whether all do. A rank that has ended without
    /// MPI_Finalize must not be waited for: Slurm takes a job whose ranks outlive one of them for
    /// broken. Short records travel with the answers. A communicator to gather them over costs more
    /// (30 ms for 16 ranks on 8 nodes): its ranks connect to log P others each to agree on it.
    /// @param root_has_room  of rank 0: it can keep what is handed over; else all have to gather.
    /// Cost: a PMIx fence like that of MPI_Finalize, in which ranks wait for each other, one that
    /// carries data (5 ms on 8 nodes, two CPUs), and the lookups of everyone_present(), by one rank
    /// of a node. Every rank gets the same answer unless one dies between the fences and the
    /// lookups.
    [[nodiscard]] static Departure everyone_leaving(int rank, int size, const std::string& record,
                                                    bool root_has_room = true) noexcept;
};

}  // namespace commmap::hooks
