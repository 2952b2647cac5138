// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "pmix_hooks/exchange/gather.hpp"

namespace commmap::hooks {

/// Finds out which ranks of MPI_COMM_WORLD have the recorder. The library in inside/ finds out
/// the same of itself.
/// A rank may lack the recorder: its node has no such library, a wrapper script unsets LD_PRELOAD,
/// or its program is static.
/// The recorder's own collective calls would wait for that rank for ever. So the recorder makes
/// such calls only when every rank has answered.
///
/// The answers travel with the data that the MPI library itself exchanges in MPI_Init:
/// - PMIx_Commit is wrapped: inside of a wrapped MPI_Init, each rank puts one more key.
/// - PMIx_Fence and PMIx_Fence_nb are wrapped, to see whether the fence exchanges all keys
///   (PMIX_COLLECT_DATA).
/// No MPI message and no connection is added.
class Participation {
public:
    /// Result of everyone_present().
    enum class Answer {
        all,         ///< every rank has the recorder
        not_all,     ///< `missing` lacks it
        no_exchange  ///< MPI does not give all ranks' keys to all ranks over PMIx
    };
    struct Result {
        Answer answer;
        int missing = -1;       ///< lowest rank without the recorder
        bool is_first = false;  ///< this rank is the lowest rank with the recorder
    };

    /// Bracket the MPI_Init of a process that wants to take part.
    /// @param group  at most 100 letters; a rank with another group counts as a rank without the
    ///               library. The recorder's group is the hash of its sources, because no build can
    ///               read the records of another one.
    static void open(std::string_view group) noexcept;
    static void close() noexcept;

    /// Returns whether everyone_present() can find out anything. For use after MPI_Init. Sends no
    /// question to a server.
    [[nodiscard]] static bool can_answer(int size) noexcept;
    /// Returns whether each rank asks for itself, when it comes to its end. Then the node's server
    /// gets at most 512 questions.
    /// Otherwise one rank of each node asks the server about every rank of the world, and tells the
    /// result to the other ranks of the node. All ranks take part at once, right after MPI_Init,
    /// because the ends of ranks may be far apart.
    /// All ranks of a node get the same value here, and all ranks get the same answer either way.
    [[nodiscard]] static bool asks_separately(int size) noexcept;
    /// Finds out whether every rank has the recorder. Needs can_answer().
    /// Every rank with the recorder gets the same answer, whenever it asks.
    /// Cost: one lookup in this process for each rank of the world.
    /// PMIx 5 under Slurm keeps other ranks' keys out of this process. Then each lookup is a
    /// question of 0.1 ms to the node's server.
    [[nodiscard]] static Result everyone_present(int rank, int size, bool separately) noexcept;

    /// Returns the length in bytes up to which a record travels with everyone_leaving(): 8 KiB
    /// each, 128 KiB all together.
    /// Above 256 ranks no record travels so.
    /// Cost: every node's PMIx server holds all these records. The fence takes 7 ms more for every
    /// 100 KiB of all together (8 nodes, two CPUs).
    /// A communicator that gathers the records takes 30 ms.
    [[nodiscard]] static constexpr std::size_t most_bytes_of_record(int size) noexcept {
        constexpr std::size_t most = std::size_t{8} << 10;
        constexpr std::size_t together = std::size_t{128} << 10;
        if (size < 1 || size > 256) return 0;
        return std::min(most, together / static_cast<std::size_t>(size));
    }
    struct Departure {
        Result everyone;
        /// Says that some records are too long, so that all ranks have yet to gather them.
        bool to_gather = false;
        /// Other ranks' records, by rank. Only on rank 0, when there is nothing to gather.
        Gathered handed_over;
    };

    /// Finds out, at the end of the run, whether every rank comes to its end. Called by every rank
    /// that comes there.
    /// A rank that has ended without MPI_Finalize must not be waited for: Slurm takes a job for
    /// broken whose ranks outlive one of them.
    /// Short records travel with the answers. A communicator to gather them costs more (30 ms for
    /// 16 ranks on 8 nodes): each of its ranks connects to log P others to agree on it.
    /// @param root_has_room  on rank 0: rank 0 can keep the records that travel with the answers;
    ///                       else all ranks have to gather
    /// @return               the same on every rank, unless a rank dies between the fences and the
    ///                       lookups
    /// Cost:
    /// - a PMIx fence like that of MPI_Finalize, in which ranks wait for each other;
    /// - a PMIx fence that carries data (5 ms on 8 nodes, two CPUs);
    /// - the lookups of everyone_present(), by one rank of a node.
    [[nodiscard]] static Departure everyone_leaving(int rank, int size, const std::string& record,
                                                    bool root_has_room = true) noexcept;
};

}  // namespace commmap::hooks
