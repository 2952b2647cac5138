// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>

namespace commmap {

/// Runs work on a bounded number of threads, the caller's among them. The work must not depend on
/// which thread does it, so that results are the same for any number of threads. An exception is
/// rethrown when both parts of the work are done; if both throw, the first part's. Thread-safe.
class Threads {
public:
    explicit Threads(unsigned most = 1) : spare_(most > 1 ? static_cast<int>(most) - 1 : 0) {}

    /// Calls both functions and returns when both are done. They run at the same time when a thread
    /// is free.
    template <class First, class Second>
    void parallel_invoke(First&& first, Second&& second) {
        std::exception_ptr of_first;
        std::exception_ptr of_second;
        if (take()) {
            at_once(first, of_first, second, of_second);
        } else {
            keep_exception(first, of_first);
            keep_exception(second, of_second);
        }
        if (of_first || of_second) std::rethrow_exception(of_first ? of_first : of_second);
    }

    /// Calls use(begin, end) for pieces of at most `piece` numbers that together are 0 .. count-1.
    template <class Use>
    void parallel_for(std::size_t count, std::size_t piece, const Use& use) {
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
    /// @pre take() returned true; the thread that it took is given back
    template <class First, class Second>
    void at_once(First& first, std::exception_ptr& of_first, Second& second,
                 std::exception_ptr& of_second) {
        // Who is done first leaves its thread to what the other one still does.
        std::atomic<bool> one_is_done{false};
        const auto give_back = [&] {
            if (!one_is_done.exchange(true)) ++spare_;
        };
        std::thread other;
        try {
            other = std::thread([&] {
                keep_exception(first, of_first);
                give_back();
            });
        } catch (...) {  // as many as the system lets us have, or no memory for one more
            keep_exception(first, of_first);
        }
        keep_exception(second, of_second);
        give_back();
        if (other.joinable()) other.join();
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
        parallel_invoke([&] { between(begin, middle, piece, use); },
                        [&] { between(middle, end, piece, use); });
    }

    std::atomic<int> spare_;
};

}  // namespace commmap
