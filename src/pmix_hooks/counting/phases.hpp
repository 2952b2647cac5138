// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "pmix_hooks/counting/phase_log.hpp"
#include "pmix_hooks/counting/thread_counters.hpp"
#include "pmix_hooks/memory/arena.hpp"

namespace commmap::hooks {

class CommMap;

/// Divides a run into sections. At each boundary, the growth of each counter since the last
/// boundary goes into the log.
/// The counters do not know about sections, so a send costs the same.
/// Boundaries are
/// - the ends of time slices, which a timed call notices when it begins;
/// - from the first MPI_Pcontrol on, only the calls of MPI_Pcontrol.
/// Labels hold for the whole process, whichever thread sets them.
/// Cost of a boundary: O(peers + collectives), and now and then the sorting of the log.
class Phases {
public:
    struct Counters {
        const std::atomic<ThreadCounters*>& threads;
        const CommMap& comms;
    };
    /// @param sliced  divide the run into time slices; else only labels divide it
    void open(Arena& arena, PhaseLog& log, const Counters& counters, bool sliced, double start_s,
              std::uint64_t start_ticks) noexcept;

    /// Returns whether a slice may have ended, so that look() must be called. Checked at each timed
    /// call.
    [[nodiscard]] bool is_due(std::uint64_t now_ticks) const noexcept {
        return now_ticks >= due_.load(std::memory_order_relaxed);
    }
    void look(std::uint64_t now_ticks) noexcept;
    /// Closes the last slice at the end of the run. The time of a call that took longer than its
    /// slice is spread over all slices that it took.
    void finish(std::uint64_t now_ticks) noexcept {
        if (due_.load(std::memory_order_relaxed) == UINT64_MAX) return;  // no slices
        due_.store(0, std::memory_order_relaxed);
        look(now_ticks);
        due_.store(UINT64_MAX, std::memory_order_relaxed);
    }

    /// MPI_Pcontrol: the innermost label counts. Outside of all labels the level counts; level 0
    /// means none.
    void begin_label(const char* label) noexcept;
    /// Ends a label, and the labels begun since then. Does nothing for a label that has not begun.
    void end_label(const char* label) noexcept;
    void set_level(int level) noexcept;

private:
    static constexpr std::uint32_t most_nested = 32;

    /// Logs what was counted since the last boundary. The caller holds the lock.
    void close_section(std::uint64_t now_ticks) noexcept;
    /// Logs one thread's ticks inside MPI since the last boundary.
    void add_mpi_ticks(std::uint64_t amount, std::uint64_t now_ticks) noexcept;
    void enter(std::uint32_t label) noexcept;
    [[nodiscard]] std::uint32_t innermost() const noexcept {
        return depth_ == 0 ? level_ : nested_[(depth_ < most_nested ? depth_ : most_nested) - 1];
    }
    void begin_labels() noexcept;

    std::atomic<std::uint64_t> due_{UINT64_MAX};
    std::mutex mutex_;  ///< guards the members below
    Arena* arena_ = nullptr;
    PhaseLog* log_ = nullptr;
    const std::atomic<ThreadCounters*>* threads_ = nullptr;
    const CommMap* comms_ = nullptr;
    double start_s_ = 0.0;
    std::uint64_t start_ticks_ = 0;
    double ticks_per_s_ = 0.0;         ///< 0 until it is known
    std::uint64_t section_ticks_ = 0;  ///< when the open section began
    std::uint32_t level_ = 0;
    /// Labels begun and not ended; the numbers of those above most_nested are not kept.
    std::uint32_t depth_ = 0;
    std::uint32_t nested_[most_nested]{};
};

}  // namespace commmap::hooks
