#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pmix_hooks/gather.hpp"
#include "pmix_hooks/shared_keys.hpp"

namespace commmap::hooks {

/// How the ranks' reports get to rank 0 as keys of PMIx: a short one in the fence that carries
/// data, to everybody; a longer one when rank 0 asks its node's server for it (direct modex), which
/// takes 0.2 to 3 ms and the time for its bytes. Nobody connects to anybody: a communicator to
/// gather over takes 30 ms for 16 ranks on 8 nodes, for its ranks connect to log P others each.
///
/// announce(), exchange_keys(), follow_up(), and on rank 0 collect().
class Handover {
public:
    /// Above that rank 0's questions, one after the other, take longer than gathering.
#ifdef COMMMAP_TEST_MOST_RANKS
    static constexpr int most_ranks = COMMMAP_TEST_MOST_RANKS;
#else
    static constexpr int most_ranks = 256;
#endif
    /// For the fence: 128 KiB together. Every node's server holds them all, and the fence takes 7
    /// ms more for every 100 KiB of all together (8 nodes, two CPUs).
    [[nodiscard]] static constexpr std::size_t most_short_bytes(int size) noexcept {
        return size <= 128 ? std::size_t{1} << 10 : std::size_t{1} << 9;
    }
    /// Seen to be answered by PMIx 4.2 under Slurm 22.05 and 5.0 under 24.11; 7 MB were not,
    /// by 4.2.
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;

    Handover(int rank, int size, std::string_view report) noexcept;

    /// That this rank is at its end, and the report if it is short. Needs commit_keys().
    void announce(const PmixLibrary& pmix) const noexcept;
    /// What did not go with the fence.
    void follow_up(const PmixLibrary& pmix) const noexcept;
    /// By rank 0, after the fence: the others' reports, in no particular order, once all of them
    /// have announced. Waits ten seconds for one that follows.
    /// @return  who has announced
    [[nodiscard]] static KeyHolders collect(const PmixSession& pmix, int size, Gathered& reports);

    static constexpr const char* announced_key = "commmap.leaving";

private:
    enum class Kind : char { whole, follows, too_long };

    std::string_view report_;
    Kind kind_;
};

}  // namespace commmap::hooks
