#include "pmix_hooks/roll_call.hpp"

#include <dlfcn.h>
#include <pmix.h>
#include <semaphore.h>
#include <time.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/pmix_library.hpp"

namespace commmap::hooks {
namespace {

constexpr const char* present_key = "commmap.recorder";
constexpr const char* leaving_key = "commmap.leaving";
constinit std::atomic<bool> is_open{false};
/// MPI has given everybody's keys to everybody.
constinit std::atomic<bool> collected{false};

/// A key that is not there is what the others see when this fails.
void put(const PmixLibrary& pmix, const char* key, pmix_value_t value) noexcept {
    auto* put_value = pmix.find<decltype(PMIx_Put)>("PMIx_Put");
    if (put_value != nullptr) static_cast<void>(put_value(PMIX_GLOBAL, key, &value));
}

/// A rank's report as the value of its key: whether it is there, and the report.
class HandedOver {
public:
    HandedOver(const std::string& report, std::size_t most_bytes)
        : bytes_(report.size() <= most_bytes ? whole + report : std::string(1, too_long)) {}

    /// Good as long as this lives.
    [[nodiscard]] pmix_value_t value() noexcept {
        pmix_value_t value;
        std::memset(&value, 0, sizeof value);
        value.type = PMIX_BYTE_OBJECT;
        value.data.bo.bytes = bytes_.data();
        value.data.bo.size = bytes_.size();
        return value;
    }
    [[nodiscard]] static bool is_there(const pmix_value_t& value) noexcept {
        return value.type == PMIX_BYTE_OBJECT && value.data.bo.size > 0 &&
               value.data.bo.bytes[0] == whole;
    }
    /// Of a value that is_there().
    [[nodiscard]] static std::string_view report_in(const pmix_value_t& value) noexcept {
        return {value.data.bo.bytes + 1, value.data.bo.size - 1};
    }

private:
    static constexpr char whole = 1;
    static constexpr char too_long = 0;
    std::string bytes_;
};

RollCall::Result no_exchange(int rank) noexcept {
    return {.answer = RollCall::Answer::no_exchange, .is_first = rank == 0};
}

/// Lowest rank without the key and lowest with it; -1 for none.
struct KeyHolders {
    int first_without = -1;
    int first_with = -1;

    [[nodiscard]] RollCall::Result result(int rank) const noexcept {
        return {.answer = first_without < 0 ? RollCall::Answer::all : RollCall::Answer::not_all,
                .missing = first_without,
                .is_first = first_with == rank};
    }
};

/// Stops when it has seen a rank with the key and one without.
/// @param look  at each value, in the order of the ranks
template <class Look>
KeyHolders holders_of(const char* key, const PmixSession& pmix, int size, Look look) {
    KeyHolders found;
    pmix_proc_t process = pmix.self();
    for (int rank = 0; rank < size && (found.first_with < 0 || found.first_without < 0); ++rank) {
        process.rank = static_cast<pmix_rank_t>(rank);
        PmixValue value = pmix.get(process, key);
        // Without shared memory (PMIX_MCA_gds=hash) only the server has them all.
        if (value == nullptr) value = pmix.get(process, key, PmixSession::Reach::node);
        int& first = value != nullptr ? found.first_with : found.first_without;
        if (first < 0) first = rank;
        if (value != nullptr) look(*value);
    }
    return found;
}

void fence_done(pmix_status_t, void* done) { ::sem_post(static_cast<sem_t*>(done)); }

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

/// Like the one in MPI_Finalize: MPI goes on delivering what other ranks still wait for (a buffered
/// send, say), soon once a millisecond only: where ranks share CPUs with the PMIx servers, whom all
/// wait for, more is taken from those. A rank that has died does not hold it up: PMIx takes it out.
bool exchange(const PmixLibrary& pmix) noexcept {
    auto* commit = pmix.find<decltype(PMIx_Commit)>("PMIx_Commit");
    auto* fence = pmix.find<decltype(PMIx_Fence_nb)>("PMIx_Fence_nb");
    if (commit == nullptr || fence == nullptr || commit() != PMIX_SUCCESS) return false;
    const pmix_info_t collect = directive(PMIX_COLLECT_DATA);
    static sem_t done;  // outlives a late answer
    if (::sem_init(&done, 0, 0) != 0 ||
        fence(nullptr, 0, &collect, 1, fence_done, &done) != PMIX_SUCCESS)
        return false;
    constexpr long longest_nap_ns = 1000000;
    for (long nap_ns = 50000;; nap_ns = std::min(nap_ns * 5 / 4, longest_nap_ns)) {
        int flag = 0;
        PMPI(Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_self(), &flag, MPI_STATUS_IGNORE);
        if (done_within(done, nap_ns)) return true;
    }
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
    if (!pmix.open() || !collected.load()) return no_exchange(rank);
    const KeyHolders found = holders_of(present_key, pmix, size, [](const pmix_value_t&) {});
    // Not even this rank's own answer: the keys are somewhere else.
    return found.first_with < 0 ? no_exchange(rank) : found.result(rank);
}

RollCall::Departure RollCall::everyone_leaving(int rank, int size,
                                               const std::string& report) noexcept {
    Gathered reports{.end = Gathered::End::complete, .reports = {}};
    const auto keep = [&](std::string_view of_a_rank) {
        if (rank != 0 || reports.end != Gathered::End::complete) return;
        try {
            reports.reports.emplace_back(of_a_rank);
        } catch (const std::exception&) {
            reports = {};
        }
    };
    if (size <= 1) {
        keep(report);
        return {{.answer = Answer::all, .is_first = true}, std::move(reports)};
    }
    const PmixSession pmix;
    if (!pmix.open()) return {no_exchange(rank), {}};
    try {
        HandedOver mine(report, most_bytes_of_report(size));
        put(pmix.library(), leaving_key, mine.value());
    } catch (const std::exception&) {
        put(pmix.library(), leaving_key, true_value());  // like one that is too long
    }
    if (!exchange(pmix.library())) return {no_exchange(rank), {}};
    bool all_there = true;
    const KeyHolders found = holders_of(leaving_key, pmix, size, [&](const pmix_value_t& value) {
        all_there = all_there && HandedOver::is_there(value);
        if (all_there) keep(HandedOver::report_in(value));
    });
    return {found.result(rank), all_there ? std::optional(std::move(reports)) : std::nullopt};
}

}  // namespace commmap::hooks

using namespace commmap::hooks;

extern "C" pmix_status_t PMIx_Commit() {
    if (is_open.load()) put(PmixLibrary(), present_key, true_value());
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
