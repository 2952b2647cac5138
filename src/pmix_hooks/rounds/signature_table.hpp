#pragma once

#include <cstdint>
#include <mutex>
#include <span>

#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/rounds/round_event.hpp"
#include "pmix_hooks/rounds/round_log.hpp"

namespace commmap::hooks {

/// A round that has closed.
struct ClosedRound {
    std::span<const RoundEvent> events;
    /// Names the signature: whom messages go to and come from and how many, the bucket of the
    /// largest, and the collectives.
    std::uint64_t hash = 0;
    bool is_whole = true;  ///< else there were more acts than are in `events`
    std::uint64_t ticks = 0;
    std::uint64_t before_wait_ticks = 0;
};

/// The signatures of a process. Programs repeat themselves: a round is first compared with the one
/// that followed the last round the last time. Cost of that: one addition for each of its events.
class SignatureTable {
public:
    void open(Arena& arena, RoundLog& log) noexcept {
        arena_ = &arena;
        log_ = &log;
    }
    /// @param thread  whose round that is; rounds of several cannot be told apart
    /// @param locked  other threads may be adding too
    [[gnu::always_inline]] void add(const ClosedRound& round, const void* thread,
                                    bool locked) noexcept {
        if (locked) [[unlikely]]
            return add_locked(round, thread);
        add(round);
    }
    void set_unclear() noexcept { log_->unclear.store(1, std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t num_slots = 128;

    [[gnu::noinline]] void add_locked(const ClosedRound& round, const void* thread) noexcept {
        // rounds that cannot be told apart are of no use
        if (log_->unclear.load(std::memory_order_relaxed) != 0) return;
        const std::lock_guard lock(mutex_);
        if (thread_ != nullptr && thread_ != thread) set_unclear();
        thread_ = thread;
        add(round);
    }
    [[gnu::always_inline]] void add(const ClosedRound& round) noexcept {
        const std::uint8_t guess = successor_[last_];
        const std::uint8_t number = guess < log_->num_signatures.load(std::memory_order_relaxed) &&
                                            log_->signatures[guess].hash == round.hash &&
                                            round.is_whole
                                        ? guess
                                        : find(round.hash, round.events, round.is_whole);
        if (number == RoundLog::other) [[unlikely]]
            log_->other_rounds.add(1, false);
        else
            add_to(log_->signatures[number], round);
        note_order(number);
    }
    void add_to(SignatureRecord& record, const ClosedRound& round) noexcept {
        record.rounds.add(1, false);
        record.ticks.add(round.ticks, false);
        record.before_wait_ticks.add(round.before_wait_ticks, false);
        SignatureCell* cell = cells_of(record);
        for (const RoundEvent& event : round.events) {
            // Acts come in the same order nearly always, one or several of a kind.
            if (key_of(*cell) != event.key) {
                cell = next_cell(record, cell, event.key);
                if (cell == nullptr) [[unlikely]] {
                    cell = cells_of(record);  // there is no room: in no signature
                    continue;
                }
            }
            cell->count.add(1, false);
            cell->bytes.add(event.bytes, false);
        }
    }
    [[nodiscard]] static SignatureCell* cells_of(const SignatureRecord& record) noexcept {
        return record.cells.load(std::memory_order_relaxed);
    }
    [[nodiscard]] static std::uint64_t key_of(const SignatureCell& cell) noexcept {
        return cell.key.load(std::memory_order_relaxed);
    }
    [[nodiscard]] SignatureCell* next_cell(SignatureRecord& record, SignatureCell* cell,
                                           std::uint64_t key) noexcept {
        if (++cell == cells_of(record) + record.num_cells.load(std::memory_order_relaxed))
            cell = cells_of(record);
        return key_of(*cell) == key ? cell : find_cell(record, key);
    }
    void note_order(std::uint8_t number) noexcept {
        const std::uint32_t listed = log_->num_listed.load(std::memory_order_relaxed);
        if (listed < RoundLog::most_listed) {
            log_->order[listed] = number;
            log_->num_listed.store(listed + 1, std::memory_order_release);
        }
        if (any_) {
            std::atomic<std::uint32_t>& count = log_->successions[last_][number];
            const std::uint32_t before = count.load(std::memory_order_relaxed);
            if (before < UINT32_MAX) count.store(before + 1, std::memory_order_relaxed);
            successor_[last_] = number;
        }
        any_ = true;
        last_ = number;
    }
    /// The number of the signature, made where it is new; RoundLog::other where there is no room.
    [[nodiscard]] std::uint8_t find(std::uint64_t hash, std::span<const RoundEvent> events,
                                    bool is_whole) noexcept;
    [[nodiscard]] std::uint8_t make(std::uint64_t hash,
                                    std::span<const RoundEvent> events) noexcept;
    /// The cell with that key, made where there is room; null where there is none.
    [[nodiscard]] SignatureCell* find_cell(SignatureRecord& record, std::uint64_t key) noexcept;
    [[nodiscard]] bool grow(SignatureRecord& record) noexcept;

    std::mutex mutex_;  ///< guards what follows, where several threads add
    Arena* arena_ = nullptr;
    RoundLog* log_ = nullptr;
    std::uint32_t num_cells_ = 0;  ///< of all signatures
    bool is_full_ = false;         ///< a signature had no room: nor have others
    const void* thread_ = nullptr;
    bool any_ = false;  ///< a round came before
    std::uint8_t last_ = RoundLog::other;
    std::uint8_t successor_[RoundLog::most_signatures + 1]{};
    std::uint8_t slots_[num_slots]{};  ///< number + 1; 0: none
};

}  // namespace commmap::hooks
