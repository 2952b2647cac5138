#include "pmix_hooks/roll_call.hpp"

#include <dlfcn.h>
#include <pmix.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/pmix_library.hpp"

namespace commmap::hooks {
namespace {

constexpr const char* key = "commmap.recorder";
constinit std::atomic<bool> is_open{false};
/// MPI has given everybody's keys to everybody.
constinit std::atomic<bool> collected{false};

void answer() noexcept {
    const PmixLibrary pmix;
    auto* put = pmix.find<decltype(PMIx_Put)>("PMIx_Put");
    if (put == nullptr) return;
    pmix_value_t value;
    std::memset(&value, 0, sizeof value);
    value.type = PMIX_BOOL;
    value.data.flag = true;
    static_cast<void>(put(PMIX_GLOBAL, key, &value));  // not there: the others see that
}

void look_at_fence(const pmix_info_t info[], std::size_t count) noexcept {
    for (std::size_t i = 0; is_open.load() && i < count; ++i)
        if (std::strncmp(info[i].key, PMIX_COLLECT_DATA, sizeof info[i].key) == 0 &&
            (info[i].value.type != PMIX_BOOL || info[i].value.data.flag))
            collected.store(true);
}

template <class Function>
Function* next(const char* name, Function* own) noexcept {
    return reinterpret_cast<Function*>(find_next_symbol(name, reinterpret_cast<void*>(own)));
}

}  // namespace

void RollCall::open() noexcept {
    collected.store(false);
    is_open.store(true);
}
void RollCall::close() noexcept { is_open.store(false); }

RollCall::Result RollCall::everyone_present(int rank, int size) noexcept {
    if (size == 1) return {.answer = Answer::all, .is_first = true};
    const PmixSession pmix;
    // Some servers may know everybody without a collecting fence, and others not: no answer then.
    if (!pmix.open() || !collected.load())
        return {.answer = Answer::no_exchange, .is_first = rank == 0};
    pmix_proc_t process = pmix.self();
    int missing = -1;
    int first = -1;
    for (int other = 0; other < size; ++other) {
        process.rank = static_cast<pmix_rank_t>(other);
        pmix_value_t* value = pmix.get(process, key);
        // Without shared memory (PMIX_MCA_gds=hash) only the server has them all.
        if (value == nullptr) value = pmix.get(process, key, PmixSession::Reach::node);
        if (value == nullptr) {
            if (missing < 0) missing = other;
        } else {
            if (first < 0) first = other;
            std::free(value);
        }
        if (missing >= 0 && first >= 0) break;
    }
    // Not even this rank's own answer: the keys are somewhere else.
    if (first < 0) return {.answer = Answer::no_exchange, .is_first = rank == 0};
    return {.answer = missing < 0 ? Answer::all : Answer::not_all,
            .missing = missing,
            .is_first = first == rank};
}

}  // namespace commmap::hooks

using namespace commmap::hooks;

extern "C" pmix_status_t PMIx_Commit() {
    if (is_open.load()) answer();
    auto* commit = next("PMIx_Commit", &PMIx_Commit);
    return commit == nullptr ? PMIX_ERR_NOT_SUPPORTED : commit();
}

extern "C" pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t num_procs,
                                    const pmix_info_t info[], size_t num_info) {
    look_at_fence(info, num_info);
    auto* fence = next("PMIx_Fence", &PMIx_Fence);
    return fence == nullptr ? PMIX_ERR_NOT_SUPPORTED : fence(procs, num_procs, info, num_info);
}

extern "C" pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t num_procs,
                                       const pmix_info_t info[], size_t num_info,
                                       pmix_op_cbfunc_t done, void* data) {
    look_at_fence(info, num_info);
    auto* fence = next("PMIx_Fence_nb", &PMIx_Fence_nb);
    return fence == nullptr ? PMIX_ERR_NOT_SUPPORTED
                            : fence(procs, num_procs, info, num_info, done, data);
}
