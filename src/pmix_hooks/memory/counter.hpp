// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>

namespace commmap::hooks {

/// Says whether two threads may be inside MPI at once (MPI_THREAD_MULTIPLE). Set once, before
/// recording starts.
inline std::atomic<bool> threads_concurrent{false};

/// Values of a pair of counters at the last boundary between two phases. The new phase's share is
/// the difference.
struct Snapshot {
    std::uint64_t count;
    std::uint64_t amount;
};

/// A sum that several threads may add to.
/// Cost: a locked addition costs 5 ns more than a plain one, so Counter locks only when threads may
/// collide.
class Counter {
public:
    void add(std::uint64_t amount) noexcept {
        add(amount, threads_concurrent.load(std::memory_order_relaxed));
    }
    /// @param locked  another thread may be adding too
    void add(std::uint64_t amount, bool locked) noexcept {
        if (locked) [[unlikely]]
            value_.fetch_add(amount, std::memory_order_relaxed);
        else
            value_.store(value_.load(std::memory_order_relaxed) + amount,
                         std::memory_order_relaxed);
    }
    /// Raises the value to `amount` if `amount` is larger. Must not be mixed with add().
    void raise(std::uint64_t amount, bool locked) noexcept {
        std::uint64_t most = value_.load(std::memory_order_relaxed);
        if (!locked && amount > most) value_.store(amount, std::memory_order_relaxed);
        while (locked && amount > most &&
               !value_.compare_exchange_weak(most, amount, std::memory_order_relaxed)) {
        }
    }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace commmap::hooks
