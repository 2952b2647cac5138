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

}  // namespace

void RollCall::open() noexcept { is_open.store(true); }
void RollCall::close() noexcept { is_open.store(false); }

RollCall::Result RollCall::everyone_present(int rank, int size) noexcept {
    if (size == 1) return {.answer = Answer::all, .is_first = true};
    const PmixSession pmix;
    if (!pmix.open()) return {.answer = Answer::no_exchange, .is_first = rank == 0};
    pmix_proc_t process = pmix.self();
    int missing = -1;
    int first = -1;
    for (int other = 0; other < size; ++other) {
        process.rank = static_cast<pmix_rank_t>(other);
        pmix_value_t* value = pmix.get(process, key);
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

extern "C" pmix_status_t PMIx_Commit() {
    using commmap::hooks::find_next_symbol;
    if (commmap::hooks::is_open.load()) commmap::hooks::answer();
    auto* commit = reinterpret_cast<decltype(PMIx_Commit)*>(
        find_next_symbol("PMIx_Commit", reinterpret_cast<void*>(&PMIx_Commit)));
    return commit == nullptr ? PMIX_ERR_NOT_SUPPORTED : commit();
}
