#include "pmix_hooks/fence.hpp"

#include <pmix.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>

#include "pmix_hooks/handles.hpp"
#include "pmix_hooks/mpi_library.hpp"

namespace commmap::hooks {
namespace {

struct FenceEnd {
    sem_t reached{};
    pmix_status_t status = PMIX_ERROR;
};

void fence_done(pmix_status_t status, void* data) {
    auto* end = static_cast<FenceEnd*>(data);
    end->status = status;
    ::sem_post(&end->reached);
}

bool done_within(sem_t& done, long nanoseconds) noexcept {
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += nanoseconds;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        ++until.tv_sec;
    }
    return ::sem_clockwait(&done, CLOCK_MONOTONIC, &until) == 0;
}

/// MPI goes on delivering what other ranks still wait for (a buffered send, say), soon once a
/// millisecond only: where ranks share CPUs with the PMIx servers, whom all wait for, more is taken
/// from those.
pmix_status_t join_fence(const PmixLibrary& pmix, bool collects) noexcept {
    auto* fence = pmix.find<decltype(PMIx_Fence_nb)>("PMIx_Fence_nb");
    const pmix_info_t collect = directive(PMIX_COLLECT_DATA);
    static FenceEnd end;  // whoever posts it may still be in sem_post when this function is not
    end.status = PMIX_ERROR;
    if (fence == nullptr || ::sem_init(&end.reached, 0, 0) != 0) return PMIX_ERROR;
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
    // Of a job on one node PMIx says that somebody was taken out; else the keys will.
    return status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS;
}

bool exchange_keys(const PmixLibrary& pmix) noexcept {
    return join_fence(pmix, true) == PMIX_SUCCESS;
}

}  // namespace commmap::hooks
