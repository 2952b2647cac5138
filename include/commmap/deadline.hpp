#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

namespace commmap {

/// A moment after which work that has something to show for itself stops; without one it never
/// comes. It can also come when a flag is set, by a signal handler for one. Thread-safe. Cost of a
/// question: a clock read.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    Deadline() = default;
    explicit Deadline(Clock::time_point at) : at_(at) {}
    [[nodiscard]] static Deadline after(double seconds) {
        return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds)));
    }

    /// The same, or when `flag` is set; it must outlive all copies.
    [[nodiscard]] Deadline or_when(const std::atomic<bool>& flag) const {
        Deadline deadline = *this;
        deadline.flag_ = &flag;
        return deadline;
    }

    /// The same, or `seconds` from now, what comes first. Without a moment of its own it gets none.
    [[nodiscard]] Deadline at_most(double seconds) const {
        Deadline deadline = *this;
        if (at_) deadline.at_ = std::min(*at_, *after(seconds).at_);
        return deadline;
    }
    /// Until its moment; none: it has no moment.
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
