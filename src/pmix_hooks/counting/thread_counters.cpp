// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/thread_counters.hpp"

namespace commmap::hooks {
namespace {

/// The one table of the process: pthread's callback has no argument for it.
constinit ThreadTable* table = nullptr;

}  // namespace

constinit thread_local ThreadCounters* ThreadTable::mine_ = nullptr;

bool ThreadTable::open(Arena& arena, std::uint32_t num_ranks, bool concurrent,
                       std::atomic<ThreadCounters*>& all, SignatureTable& signatures) noexcept {
    signatures_ = &signatures;
    arena_ = &arena;
    num_ranks_ = num_ranks;
    all_ = &all;
    locked_ = concurrent;
    shared_ = make(concurrent);
    if (shared_ == nullptr) return false;
    only_round_ = shared_->round;
    table = this;
    concurrent_ = concurrent && ::pthread_key_create(&at_thread_end_, [](void* counters) {
                                    table->give_back(*static_cast<ThreadCounters*>(counters));
                                }) == 0;
    return true;
}

void ThreadTable::finish_rounds() noexcept {
    for (ThreadCounters* counters = all_->load(std::memory_order_acquire); counters != nullptr;
         counters = counters->next)
        if (counters->round != nullptr) counters->round->finish();
}

ThreadCounters* ThreadTable::make(bool is_shared) noexcept {
    const std::size_t spared = locked_ && !is_shared ? for_all : 0;
    auto* counters = arena_->make<ThreadCounters>(spared);
    if (counters == nullptr || !counters->sent.open(*arena_, num_ranks_, is_shared, spared) ||
        !counters->fetched.open(*arena_, num_ranks_, is_shared, spared))
        return nullptr;
    if (!locked_ || !is_shared) {
        counters->round = rounds_.make_of<OpenRound>(*signatures_, locked_);
        if (counters->round == nullptr) return nullptr;
    }
    counters->next = all_->load(std::memory_order_relaxed);
    all_->store(counters, std::memory_order_release);
    return counters;
}

ThreadCounters& ThreadTable::take() noexcept {
    {
        const std::lock_guard lock(mutex_);
        mine_ = unused_;
        if (mine_ != nullptr) {
            unused_ = mine_->next_unused;
        } else if (!full_) {
            mine_ = make(false);
            full_ = mine_ == nullptr;
        }
    }
    if (mine_ == nullptr || ::pthread_setspecific(at_thread_end_, mine_) != 0) {
        mine_ = shared_;
        signatures_->set_unclear();  // these counters have no round
    }
    return *mine_;
}

void ThreadTable::give_back(ThreadCounters& counters) noexcept {
    if (left_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    counters.next_unused = unused_;
    unused_ = &counters;
    mine_ = nullptr;  // a later destructor of the thread may still send
}

}  // namespace commmap::hooks
