// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <mutex>
#include <span>

#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/rounds/round_event.hpp"
#include "pmix_hooks/rounds/round_log.hpp"

namespace commmap::hooks {

/// A closed round, to be added to a signature.
struct ClosedRound {
    std::span<const RoundEvent> events;
    /// Name of the signature: receivers, senders, numbers of messages, bucket of the largest
    /// message, and collectives.
    std::uint64_t hash = 0;
    bool is_whole = true;  ///< false: there were more acts than `events` holds
    std::uint64_t ticks = 0;
    std::uint64_t before_wait_ticks = 0;
};

/// The signatures of a process's rounds. Programs repeat their rounds.
/// So a round is first compared with the signature that followed the last round's signature the
/// last time.
/// Cost, where they are equal: one addition for each event of the round.
class SignatureTable {
public:
    void open(Arena& arena, RoundLog& log) noexcept {
        arena_ = &arena;
        log_ = &log;
    }
    /// Adds a round to its signature.
    /// @param thread  the round's thread; the rounds become unclear when several threads add
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
        // unclear rounds are of no use
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
            // Acts nearly always come in the same order, one or several with the same key.
            if (key_of(*cell) != event.key) {
                cell = next_cell(record, cell, event.key);
                if (cell == nullptr) [[unlikely]] {
                    cell = cells_of(record);  // no room: the act is in no signature
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
    /// Returns the number of a signature, made when it is new; RoundLog::other when there is no
    /// room.
    [[nodiscard]] std::uint8_t find(std::uint64_t hash, std::span<const RoundEvent> events,
                                    bool is_whole) noexcept;
    [[nodiscard]] std::uint8_t make(std::uint64_t hash,
                                    std::span<const RoundEvent> events) noexcept;
    /// Returns the cell with a key, made when it is new; null when there is no room.
    [[nodiscard]] SignatureCell* find_cell(SignatureRecord& record, std::uint64_t key) noexcept;
    [[nodiscard]] bool grow(SignatureRecord& record) noexcept;

    std::mutex mutex_;  ///< guards the members below, where several threads add
    Arena* arena_ = nullptr;
    RoundLog* log_ = nullptr;
    std::uint32_t num_cells_ = 0;  ///< cells of all signatures
    bool is_full_ = false;         ///< a signature had no room: no further signature is made
    const void* thread_ = nullptr;
    bool any_ = false;  ///< there was a round before
    std::uint8_t last_ = RoundLog::other;
    std::uint8_t successor_[RoundLog::most_signatures + 1]{};
    std::uint8_t slots_[num_slots]{};  ///< number + 1; 0: none
};

}  // namespace commmap::hooks
