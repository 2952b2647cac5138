// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/node/shared_answer.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <new>

namespace commmap::spank {
namespace {

// states of the question, in the order in which they come
constexpr std::uint32_t nobody_asked = 0;
constexpr std::uint32_t asked = 1;
constexpr std::uint32_t answered = 2;
constexpr std::uint32_t failed = 3;

using Clock = std::chrono::steady_clock;

}  // namespace

struct SharedAnswer::Page {
    std::atomic<std::uint32_t> state{nobody_asked};
    std::size_t size = 0;
    std::array<char, most_bytes> bytes;

    /// Waits for another process, until the state changes or `limit` has passed.
    void wait_while_asked(std::chrono::milliseconds limit) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
        const timespec most{seconds.count(), std::chrono::nanoseconds(limit - seconds).count()};
        ::syscall(SYS_futex, &state, FUTEX_WAIT, asked, &most, nullptr, 0);
    }
    void tell(const Result<std::string>& answer) {
        const std::string& text = answer ? answer.value() : answer.error().message;
        size = std::min(text.size(), bytes.size());
        std::memcpy(bytes.data(), text.data(), size);
        state.store(answer ? answered : failed, std::memory_order_release);
        ::syscall(SYS_futex, &state, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
    [[nodiscard]] std::string text() const { return {bytes.data(), std::min(size, bytes.size())}; }
};

void SharedAnswer::share() {
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
    void* const memory =
        ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    page_ = memory == MAP_FAILED ? nullptr : ::new (memory) Page;
}

bool SharedAnswer::worked_out() const {
    return page_ != nullptr && page_->state.load(std::memory_order_acquire) == answered;
}

Result<std::string> SharedAnswer::get(const std::function<Result<std::string>()>& work,
                                      std::chrono::milliseconds limit) const {
    if (known_) return *known_;
    if (page_ == nullptr) return work();
    std::uint32_t state = nobody_asked;
    if (page_->state.compare_exchange_strong(state, asked)) {
        auto answer = work();
        if (answer && answer.value().size() > most_bytes)
            answer = Error{Errc::library, "an answer of more than 512 KiB"};
        page_->tell(answer);
        return answer;
    }
    const auto deadline = Clock::now() + limit;
    while ((state = page_->state.load(std::memory_order_acquire)) == asked) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0)
            return Error{Errc::library,
                         "no answer within " + std::to_string(limit.count()) + " ms"};
        page_->wait_while_asked(left);
    }
    if (state == answered) return page_->text();
    return Error{Errc::library, page_->text()};
}

}  // namespace commmap::spank
