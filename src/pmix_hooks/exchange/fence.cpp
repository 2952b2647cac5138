// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/fence.hpp"

#include <linux/futex.h>
#include <pmix.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {
namespace {

/// Futex of a fence: 0, then 1 when the fence has ended.
using Reached = std::atomic<std::uint32_t>;
static_assert(sizeof(Reached) == 4 && Reached::is_always_lock_free, "a futex");

struct FenceEnd {
    Reached reached{0};
    pmix_status_t status = PMIX_ERROR;
};

long futex(Reached& word, int operation, std::uint32_t value, const timespec* limit) noexcept {
    return ::syscall(SYS_futex, &word, operation, value, limit, nullptr, 0);
}

void fence_done(pmix_status_t status, void* data) {
    auto* end = static_cast<FenceEnd*>(data);
    end->status = status;
    end->reached.store(1);
    futex(end->reached, FUTEX_WAKE_PRIVATE, 1, nullptr);
}

/// Waits until the fence has ended, or for `nanoseconds`; returns whether it has ended.
/// Uses a futex, for a semaphore's wait by the monotonic clock came only with glibc 2.30
/// (older_libc.cpp).
bool done_within(Reached& done, long nanoseconds) noexcept {
    const timespec limit{0, nanoseconds};
    if (done.load() == 0) futex(done, FUTEX_WAIT_PRIVATE, 0, &limit);
    return done.load() != 0;
}

/// Joins a fence of all ranks, and waits for its end.
/// MPI goes on delivering meanwhile, for other ranks may still wait for a message, such as a
/// buffered send.
/// Soon it does so only once a millisecond: where ranks share CPUs with the PMIx servers, more
/// would slow down the servers.
pmix_status_t join_fence(const PmixLibrary& pmix, bool collects) noexcept {
    auto* fence = pmix.find<decltype(PMIx_Fence_nb)>("PMIx_Fence_nb");
    const pmix_info_t collect = directive(PMIX_COLLECT_DATA);
    // static, for the thread that ends the fence may still use it when this function has returned
    static FenceEnd end;
    end.status = PMIX_ERROR;
    end.reached.store(0);
    if (fence == nullptr) return PMIX_ERROR;
    const pmix_status_t joined =
        fence(nullptr, 0, collects ? &collect : nullptr, collects ? 1 : 0, fence_done, &end);
    if (joined != PMIX_SUCCESS) return joined;
    constexpr long longest_nap_ns = 1000000;
    for (long nap_ns = 50000;; nap_ns = std::min(nap_ns * 5 / 4, longest_nap_ns)) {
        int flag = 0;
        PMPI(Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_self(), &flag, MPI_STATUS_IGNORE);
        if (done_within(end.reached, nap_ns)) return end.status;
    }
}

}  // namespace

bool all_came(const PmixLibrary& pmix) noexcept {
    const pmix_status_t status = join_fence(pmix, false);
    // In a job on one node PMIx says that a rank was taken out; else the missing keys tell.
    return status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS;
}

bool exchange_keys(const PmixLibrary& pmix) noexcept {
    return join_fence(pmix, true) == PMIX_SUCCESS;
}

}  // namespace commmap::hooks
