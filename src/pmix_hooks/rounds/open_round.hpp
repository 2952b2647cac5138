// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/profile/size_bucket.hpp"
#include "pmix_hooks/rounds/call_times.hpp"
#include "pmix_hooks/rounds/open_requests.hpp"
#include "pmix_hooks/rounds/round_event.hpp"
#include "pmix_hooks/rounds/signature_table.hpp"

namespace commmap::hooks {

/// The round that a thread is in (docs/developer/steps.md): all that the thread begins between two
/// closes.
/// A closed round is added to the signatures when the next round begins.
/// Until then the ends of its requests count for it, whichever call waits for them.
/// Times are those of the thread's last call (last_call).
class OpenRound {
public:
    /// @param locked  other threads use the table too
    OpenRound(SignatureTable& table, bool locked) noexcept : table_(&table), locked_(locked) {}

    /// Counts the beginning of a message to a rank, or of one-sided data from a rank.
    /// @param bucket  size_bucket(bytes)
    void message(RoundAct act, std::uint32_t peer, std::uint64_t bytes,
                 std::size_t bucket) noexcept {
        begin();
        add({round_key(act, peer, bucket), bytes}, round_key(act, peer));
        if (bucket > largest_bucket_) largest_bucket_ = bucket;
    }
    void collective(std::uint32_t number, std::uint64_t bytes) noexcept {
        begin();
        const std::uint64_t key = round_key(RoundAct::collective, number, size_bucket(bytes));
        add({key, bytes}, key);
    }
    /// Counts the beginning of a collective call on a group.
    void meeting(std::uint32_t group) noexcept {
        begin();
        act(round_key(RoundAct::begun, group));
    }
    /// Marks that something begins which becomes an act only when it completes.
    void begin() noexcept {
        if (is_closed_) finish();
        if (!has_begun_) {
            has_begun_ = true;
            begin_ticks_ = last_call.begin;
        }
    }
    /// Notes that a request begins in the open round. Without a handle only the beginning is noted.
    void request(OpenRequest request) noexcept {
        begin();
        if (request.handle == 0) return;
        request.round = number_;
        if (request.handle == handle_of_done_) request.is_send = false;
        OpenRequest replaced;
        if (!requests_.insert(request, replaced)) [[unlikely]]
            return table_->set_unclear();
        if (replaced.handle != 0) [[unlikely]] {
            // MPI gives this one handle to all sends that are done at once
            if (replaced.is_send && request.is_send) handle_of_done_ = request.handle;
            forget(replaced);
        }
        ++num_open_;
        if (request.senders != nullptr) ++num_from_anyone_;
        if (request.is_send) ++num_open_sends_;
    }
    [[nodiscard]] const OpenRequest* find(std::uintptr_t handle) const noexcept {
        return requests_.find(handle);
    }
    /// Takes out a request that has ended; the result's handle is 0 when there is none.
    [[gnu::always_inline]] OpenRequest take(std::uintptr_t handle) noexcept {
        const OpenRequest taken = requests_.take(handle);
        if (taken.handle != 0) forget(taken);
        return taken;
    }
    /// Adds an act to the round, also to a round that has closed already.
    [[gnu::always_inline]] void act(std::uint64_t key) noexcept { add({key, 0}, key); }

    /// Returns whether requests that began in this round are open.
    [[nodiscard]] bool has_open() const noexcept { return num_open_ > 0; }
    /// Returns the number of open sends of all rounds. Leaves out sends that are done at once, from
    /// the second one on.
    [[nodiscard]] std::uint32_t num_open_sends() const noexcept { return num_open_sends_; }
    /// Returns whether receives from MPI_ANY_SOURCE are open.
    [[nodiscard]] bool receives_from_anyone() const noexcept { return num_from_anyone_ > 0; }
    /// Closes the round if anything has begun in it: a call that waited has returned.
    void close() noexcept {
        if (!has_begun_) return;
        if (!is_closed_) wait_ticks_ = last_call.begin;
        is_closed_ = true;
        end_ticks_ = last_call.end;
    }
    /// Adds the round to the signatures, and begins the next round.
    void finish() noexcept {
        // a round may have a beginning and no act: a cancelled receive, MPI_PROC_NULL
        if (num_events_ > 0 || !is_whole_) {
            // the hash is a sum of mixed numbers: this last number need not be mixed
            const std::uint64_t of_largest = largest_bucket_ * 0x9e37'79b9'7f4a'7c15;
            table_->add({.events = {events_, num_events_},
                         .hash = hash_ + of_largest,
                         .is_whole = is_whole_,
                         .ticks = CallTimes{begin_ticks_, end_ticks_}.ticks(),
                         .before_wait_ticks = CallTimes{begin_ticks_, wait_ticks_}.ticks()},
                        this, locked_);
        }
        ++number_;
        num_open_ = 0;
        num_events_ = 0;
        hash_ = 0;
        largest_bucket_ = 0;
        has_begun_ = false;
        is_closed_ = false;
        is_whole_ = true;
    }

    /// Marks the rounds unclear: nobody knows who sent a message, or a request has no place.
    void set_unclear() noexcept { table_->set_unclear(); }
    /// Returns room that lasts for one call; null where there is no memory.
    [[nodiscard]] std::uintptr_t* room_for_handles(std::size_t count) noexcept;

private:
    static constexpr std::uint32_t most_events = 4096;

    void forget(const OpenRequest& request) noexcept {
        if (request.round == number_) --num_open_;
        if (request.senders != nullptr) --num_from_anyone_;
        if (request.is_send) --num_open_sends_;
    }
    [[gnu::always_inline]] void add(const RoundEvent& event, std::uint64_t hashed) noexcept {
        hash_ += mixed(hashed);
        if (num_events_ == capacity_ && !grow()) [[unlikely]] {
            is_whole_ = false;
            return;
        }
        events_[num_events_++] = event;
    }
    [[nodiscard]] bool grow() noexcept;

    static constexpr std::uint32_t first_events = 64;
    SignatureTable* table_;
    bool locked_;
    RoundEvent first_[first_events];
    RoundEvent* events_ = first_;
    std::uint32_t num_events_ = 0;
    std::uint32_t capacity_ = first_events;
    std::uint64_t hash_ = 0;
    std::size_t largest_bucket_ = 0;
    std::uint32_t number_ = 1;
    std::uint32_t num_open_ = 0;
    std::uint32_t num_from_anyone_ = 0;
    std::uint32_t num_open_sends_ = 0;
    std::uintptr_t handle_of_done_ = 0;
    bool has_begun_ = false;
    bool is_closed_ = false;
    bool is_whole_ = true;
    std::uint64_t begin_ticks_ = 0;
    std::uint64_t wait_ticks_ = 0;
    std::uint64_t end_ticks_ = 0;
    OpenRequests requests_;
    ScratchPages pages_;
    ScratchPages handles_;
    std::size_t handles_room_ = 0;
};

}  // namespace commmap::hooks
