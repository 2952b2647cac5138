#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace commmap {

/// Up to so many threads at once, the caller's among them. What they do must not depend on which of
/// them does it, so that results are the same for any number. An exception of one is thrown when
/// both are done. Thread-safe.
class Threads {
public:
    explicit Threads(unsigned most = 1) : spare_(most > 1 ? static_cast<int>(most) - 1 : 0) {}

    /// Calls both and returns when both are done; at the same time where a thread is to be had.
    template <class First, class Second>
    void both(First&& first, Second&& second) {
        if (!take()) {
            std::forward<First>(first)();
            std::forward<Second>(second)();
            return;
        }
        // Who is done first leaves its thread to what the other one still does.
        std::atomic<bool> one_is_done{false};
        const auto give_back = [&] {
            if (!one_is_done.exchange(true)) ++spare_;
        };
        std::exception_ptr thrown;
        std::thread other;
        try {
            other = std::thread([&] {
                keep_exception(first, thrown);
                give_back();
            });
        } catch (const std::system_error&) {  // as many as the system lets us have
            keep_exception(first, thrown);
        }
        std::exception_ptr here;
        keep_exception(second, here);
        give_back();
        if (other.joinable()) other.join();
        if (thrown || here) std::rethrow_exception(thrown ? thrown : here);
    }

    /// Calls use(begin, end) for pieces that together are 0 .. count-1.
    template <class Use>
    void pieces(std::size_t count, std::size_t piece, const Use& use) {
        between(0, count, piece, use);
    }

private:
    template <class Work>
    static void keep_exception(Work& work, std::exception_ptr& thrown) {
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
    }
    bool take() {
        int spare = spare_.load();
        while (spare > 0) {
            if (spare_.compare_exchange_weak(spare, spare - 1)) return true;
        }
        return false;
    }
    template <class Use>
    void between(std::size_t begin, std::size_t end, std::size_t piece, const Use& use) {
        if (end - begin <= piece) {
            if (begin < end) use(begin, end);
            return;
        }
        const std::size_t middle = begin + ((end - begin) / piece + 1) / 2 * piece;
        if (middle >= end) {
            use(begin, end);
            return;
        }
        both([&] { between(begin, middle, piece, use); },
             [&] { between(middle, end, piece, use); });
    }

    std::atomic<int> spare_;
};

}  // namespace commmap
