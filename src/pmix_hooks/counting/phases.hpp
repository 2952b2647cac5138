#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "pmix_hooks/counting/phase_log.hpp"
#include "pmix_hooks/counting/thread_counters.hpp"
#include "pmix_hooks/memory/arena.hpp"

namespace commmap::hooks {

class CommMap;

/// Divides a run into sections: at each boundary what the counters have more than at the last one
/// goes into the log. The counters themselves know nothing of it, so a send costs the same.
/// Boundaries are the ends of time slices, which a timed call notices when it begins, or, from the
/// first MPI_Pcontrol on, that. Cost of a boundary: O(peers + collectives), and
/// now and then the sorting of the log. Labels are those of the process, whichever thread says
/// them.
class Phases {
public:
    struct Counters {
        const std::atomic<ThreadCounters*>& threads;
        const CommMap& comms;
    };
    /// @param sliced  time slices end; else only labels divide the run
    void open(Arena& arena, PhaseLog& log, const Counters& counters, bool sliced, double start_s,
              std::uint64_t start_ticks) noexcept;

    /// Whether a slice has ended, or it is time to look. On each timed call.
    [[nodiscard]] bool is_due(std::uint64_t now_ticks) const noexcept {
        return now_ticks >= due_.load(std::memory_order_relaxed);
    }
    void look(std::uint64_t now_ticks) noexcept;
    /// The end of the run: a call that took longer than its slice goes into all that it took.
    void finish(std::uint64_t now_ticks) noexcept {
        if (due_.load(std::memory_order_relaxed) == UINT64_MAX) return;  // no slices
        due_.store(0, std::memory_order_relaxed);
        look(now_ticks);
        due_.store(UINT64_MAX, std::memory_order_relaxed);
    }

    /// MPI_Pcontrol: the innermost label counts; a level is what is outside of them, 0 none.
    void begin_label(const char* label) noexcept;
    /// Those begun since then end too; of one that has not begun: nothing.
    void end_label(const char* label) noexcept;
    void set_level(int level) noexcept;

private:
    static constexpr std::uint32_t most_nested = 32;

    /// Into the log what was counted since the last boundary. Under the lock.
    void close_section(std::uint64_t now_ticks) noexcept;
    /// Of one thread, since the last boundary.
    void add_mpi_ticks(std::uint64_t amount, std::uint64_t now_ticks) noexcept;
    void enter(std::uint32_t label) noexcept;
    [[nodiscard]] std::uint32_t innermost() const noexcept {
        return depth_ == 0 ? level_ : nested_[(depth_ < most_nested ? depth_ : most_nested) - 1];
    }
    void begin_labels() noexcept;

    std::atomic<std::uint64_t> due_{UINT64_MAX};
    std::mutex mutex_;  ///< guards what follows
    Arena* arena_ = nullptr;
    PhaseLog* log_ = nullptr;
    const std::atomic<ThreadCounters*>* threads_ = nullptr;
    const CommMap* comms_ = nullptr;
    double start_s_ = 0.0;
    std::uint64_t start_ticks_ = 0;
    double ticks_per_s_ = 0.0;         ///< 0: not known yet
    std::uint64_t section_ticks_ = 0;  ///< when the open section began
    std::uint32_t level_ = 0;
    std::uint32_t depth_ =
        0;  ///< labels begun and not ended; those above most_nested are not known
    std::uint32_t nested_[most_nested]{};
};

}  // namespace commmap::hooks
