#pragma once

#include <chrono>
#include <optional>

namespace commmap {

/// A moment after which work that has something to show for itself stops; without one it never
/// comes. Cost of a question: a clock read.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    Deadline() = default;
    explicit Deadline(Clock::time_point at) : at_(at) {}
    [[nodiscard]] static Deadline after(double seconds) {
        return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds)));
    }

    [[nodiscard]] bool passed() const { return at_ && Clock::now() >= *at_; }

private:
    std::optional<Clock::time_point> at_;
};

}  // namespace commmap
