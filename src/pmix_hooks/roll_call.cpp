#include "pmix_hooks/roll_call.hpp"

#include <pmix.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>

#include "pmix_hooks/fence.hpp"
#include "pmix_hooks/handover.hpp"
#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/shared_keys.hpp"

namespace commmap::hooks {
namespace {

constexpr const char* present_key = "commmap.present";
constinit std::atomic<bool> is_open{false};
/// MPI has given everybody's keys to everybody.
constinit std::atomic<bool> collected{false};

RollCall::Result no_exchange(int rank) noexcept {
    return {.answer = RollCall::Answer::no_exchange, .is_first = rank == 0};
}

RollCall::Result result(const KeyHolders& found, int rank) noexcept {
    if (found.first_with < 0) return no_exchange(rank);
    return {.answer = found.first_without < 0 ? RollCall::Answer::all : RollCall::Answer::not_all,
            .missing = found.first_without,
            .is_first = found.first_with == rank};
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

bool RollCall::can_answer(int size) noexcept {
    // Some servers may know everybody without a collecting fence, and others not: no answer then.
    return size == 1 || (collected.load() && PmixSession().open());
}

bool RollCall::may_wait(int size) noexcept {
    constexpr std::int64_t most_questions = 4096;
    if (size == 1) return true;
    if (size > Handover::most_ranks) return false;
    const PmixSession pmix;
    const std::optional<std::uint32_t> on_node = job_number(PMIX_LOCAL_SIZE, pmix);
    return on_node && std::int64_t{*on_node} * size <= most_questions;
}

RollCall::Result RollCall::everyone_present(int rank, int size, When when) noexcept {
    if (size == 1) return {.answer = Answer::all, .is_first = true};
    const PmixSession pmix;
    if (!pmix.open()) return no_exchange(rank);
    const KeyHolders found = when == When::together
                                 ? ask_around(present_key, "commmap.found", pmix, rank, size)
                                 : holders_of(present_key, pmix, size);
    return result(found, rank);
}

RollCall::Departure RollCall::everyone_leaving(int rank, int size,
                                               const std::string& report) noexcept {
    Departure departure{.everyone = no_exchange(rank), .reports = {}};
    if (size == 1) {
        departure.everyone = {.answer = Answer::all, .is_first = true};
        departure.reports.end = Gathered::End::complete;
        return departure;
    }
    const PmixSession pmix;
    if (!pmix.open()) return departure;
    departure.to_gather = size > Handover::most_ranks;
    const Handover handover(rank, size, departure.to_gather ? std::string_view{} : report);
    handover.announce(pmix.library());
    if (!commit_keys(pmix.library()) || !all_came(pmix.library()) || !exchange_keys(pmix.library()))
        return departure;
    try {
        KeyHolders found;
        if (departure.to_gather)
            found = ask_around(Handover::announced_key, "commmap.left", pmix, rank, size);
        else if (rank == 0)
            found = Handover::collect(pmix, size, departure.reports);
        else
            found = lowest_holder_of(Handover::announced_key, pmix, size);
        departure.everyone = result(found, rank);
    } catch (const std::exception&) {  // on rank 0, without memory: its reports are lost
        departure.everyone = {.answer = Answer::all, .is_first = true};
        departure.reports = {};
    }
    handover.follow_up(pmix.library());
    return departure;
}

}  // namespace commmap::hooks

using namespace commmap::hooks;

extern "C" pmix_status_t PMIx_Commit() {
    if (is_open.load()) put_key(PmixLibrary(), present_key, true_value());
    auto* next_commit = next("PMIx_Commit", &PMIx_Commit);
    return next_commit == nullptr ? PMIX_ERR_NOT_SUPPORTED : next_commit();
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
