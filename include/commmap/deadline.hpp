// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

namespace commmap {

/// Tells a search when to stop: at a moment in time, when a flag is set, or never.
/// A search that stops returns the best result it has found so far.
/// - A default-constructed Deadline never passes.
/// - A signal handler may set the flag of or_when(), so that Ctrl-C ends a search and not the
///   program.
/// Thread-safe.
/// Cost of passed(): one clock read.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    Deadline() = default;
    explicit Deadline(Clock::time_point at) : at_(at) {}
    /// Returns the deadline `seconds` from now, by the steady clock.
    [[nodiscard]] static Deadline after(double seconds) {
        return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds)));
    }

    /// Returns this deadline, which also passes as soon as `flag` is true. `flag` must outlive all
    /// copies.
    [[nodiscard]] Deadline or_when(const std::atomic<bool>& flag) const {
        Deadline deadline = *this;
        deadline.flag_ = &flag;
        return deadline;
    }

    /// Returns this deadline, but no later than `seconds` from now. A deadline without a moment
    /// stays without one.
    [[nodiscard]] Deadline at_most(double seconds) const {
        Deadline deadline = *this;
        if (at_) deadline.at_ = std::min(*at_, *after(seconds).at_);
        return deadline;
    }
    /// Seconds until the moment, negative after it; nullopt: the deadline has no moment.
    [[nodiscard]] std::optional<double> seconds_left() const {
        if (!at_) return std::nullopt;
        return std::chrono::duration<double>(*at_ - Clock::now()).count();
    }

    [[nodiscard]] bool passed() const {
        return (flag_ != nullptr && flag_->load(std::memory_order_relaxed)) ||
               (at_ && Clock::now() >= *at_);
    }

private:
    std::optional<Clock::time_point> at_;
    const std::atomic<bool>* flag_ = nullptr;
};

}  // namespace commmap
