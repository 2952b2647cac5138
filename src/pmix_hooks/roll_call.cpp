#include "pmix_hooks/roll_call.hpp"

#include <pmix.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/pmix_library.hpp"

namespace commmap::hooks {
namespace {

constexpr const char* present_key = "commmap.present";
/// Of one rank, to its node: what it found of everybody's present_key.
constexpr const char* found_key = "commmap.found";
constexpr const char* leaving_key = "commmap.leaving";
/// The same of everybody's leaving_key.
constexpr const char* left_key = "commmap.left";
constinit std::atomic<bool> is_open{false};
/// MPI has given everybody's keys to everybody.
constinit std::atomic<bool> collected{false};

/// A key that is not there is what the others see when this fails.
bool put(const PmixLibrary& pmix, const char* key, pmix_value_t value,
         pmix_scope_t scope = PMIX_GLOBAL) noexcept {
    auto* put_value = pmix.find<decltype(PMIx_Put)>("PMIx_Put");
    return put_value != nullptr && put_value(scope, key, &value) == PMIX_SUCCESS;
}

bool commit(const PmixLibrary& pmix) noexcept {
    auto* commit_all = pmix.find<decltype(PMIx_Commit)>("PMIx_Commit");
    return commit_all != nullptr && commit_all() == PMIX_SUCCESS;
}

/// A rank's report as the value of its key: whether it is there, and the report.
class HandedOver {
public:
    /// None: it is too long.
    explicit HandedOver(std::optional<std::string_view> report)
        : bytes_(1, report ? whole : too_long) {
        if (report) bytes_ += *report;
    }

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
    bool some_long = false;  ///< one at least has a report that is too long

    [[nodiscard]] RollCall::Result result(int rank) const noexcept {
        if (first_with < 0) return no_exchange(rank);
        return {.answer = first_without < 0 ? RollCall::Answer::all : RollCall::Answer::not_all,
                .missing = first_without,
                .is_first = first_with == rank};
    }

    [[nodiscard]] std::uint64_t packed() const noexcept {
        const auto half = [](int rank) {
            return std::uint64_t{static_cast<std::uint32_t>(rank + 1)};
        };
        return std::uint64_t{some_long} << 63 | half(first_without) << 32 | half(first_with);
    }
    [[nodiscard]] static KeyHolders unpacked(std::uint64_t packed) noexcept {
        return {.first_without = static_cast<int>(packed >> 32 & INT32_MAX) - 1,
                .first_with = static_cast<int>(packed & INT32_MAX) - 1,
                .some_long = packed >> 63 != 0};
    }
};

/// Null when that rank has not put it, or has gone.
PmixValue key_of(int rank, const char* key, const PmixSession& pmix,
                 PmixSession::Reach reach = PmixSession::Reach::node) noexcept {
    pmix_proc_t process = pmix.self();
    process.rank = static_cast<pmix_rank_t>(rank);
    return pmix.get(process, key, reach);
}

/// Stops when it has seen a rank with the key and one without.
/// @param look  at each rank that has it and at the value, in the order of the ranks; whether the
///              rank has a report that is too long
template <class Look>
KeyHolders holders_of(const char* key, const PmixSession& pmix, int size, Look look) {
    KeyHolders found;
    for (int rank = 0; rank < size && (found.first_with < 0 || found.first_without < 0); ++rank) {
        const PmixValue value = key_of(rank, key, pmix);
        int& first = value != nullptr ? found.first_with : found.first_without;
        if (first < 0) first = rank;
        if (value != nullptr && look(rank, *value)) found.some_long = true;
    }
    return found;
}

/// Without asking the node's server.
bool all_in_sight(const char* key, const PmixSession& pmix, int size) noexcept {
    for (int rank = 0; rank < size; ++rank)
        if (key_of(rank, key, pmix, PmixSession::Reach::process) == nullptr) return false;
    return true;
}

/// The rank that asks the server for the others of its node; -1 when PMIx names none.
int speaker_of_node(const PmixSession& pmix, int size) noexcept {
    pmix_proc_t job = pmix.self();
    job.rank = PMIX_RANK_WILDCARD;
    const PmixValue value = pmix.get(job, PMIX_LOCALLDR);
    if (value == nullptr) return -1;
    const std::uint32_t rank = value->type == PMIX_PROC_RANK ? value->data.rank
                               : value->type == PMIX_UINT32  ? value->data.uint32
                                                             : PMIX_RANK_UNDEF;
    return rank < static_cast<std::uint32_t>(size) ? static_cast<int>(rank) : -1;
}

/// To the ranks of this node. Nothing told: they ask for themselves.
void tell(const char* key, const KeyHolders& found, const PmixLibrary& pmix) noexcept {
    pmix_value_t value = true_value();
    value.type = PMIX_UINT64;
    value.data.uint64 = found.packed();
    if (put(pmix, key, value, PMIX_LOCAL)) commit(pmix);
}

/// Waits for a rank of this node that is about to tell, for as long as it may need for its
/// questions. Each of ours would hold the server up.
std::optional<KeyHolders> told_by(int speaker, const char* key, const PmixSession& pmix,
                                  int size) noexcept {
    constexpr std::int64_t question_ns = 100000;
    const std::int64_t nap_ns = std::max<std::int64_t>(question_ns * size / 2, 500000);
    for (std::int64_t waited_ns = 0; waited_ns < 1000000000 + 10 * question_ns * size;
         waited_ns += nap_ns) {
        const timespec nap{.tv_sec = nap_ns / 1000000000, .tv_nsec = nap_ns % 1000000000};
        ::nanosleep(&nap, nullptr);
        const PmixValue value = key_of(speaker, key, pmix);
        if (value != nullptr && value->type == PMIX_UINT64)
            return KeyHolders::unpacked(value->data.uint64);
    }
    return std::nullopt;
}

/// What is known of everybody's key, by as few questions as there can be: in this process, from the
/// speaker of this node, or from its server.
/// @param told_key  of the speaker, what it has found
/// @param look  as for holders_of(); by rank 0 and by whoever was not told
template <class Look>
KeyHolders ask_around(const char* key, const char* told_key, const PmixSession& pmix, int rank,
                      int size, Look look) {
    const int speaker = speaker_of_node(pmix, size);
    // Rank 0 wants the values themselves, whoever speaks.
    if (rank != 0 && rank != speaker && speaker >= 0 && !all_in_sight(key, pmix, size) &&
        key_of(speaker, key, pmix) != nullptr)
        if (const std::optional<KeyHolders> told = told_by(speaker, told_key, pmix, size))
            return *told;
    const KeyHolders found = holders_of(key, pmix, size, look);
    if (rank == speaker) tell(told_key, found, pmix.library());
    return found;
}

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
    static FenceEnd end;  // outlives a late answer
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

/// The keys put so far, to everybody. Where all ranks come at once: with Slurm's own mpi.conf a
/// node that loses a rank meanwhile joins another kind of fence than the rest (pmixp_client.c,
/// pmixp_lib_fence: a tree where there is no data, else a ring), and all wait for its timeout.
bool exchange(const PmixLibrary& pmix) noexcept {
    return commit(pmix) && join_fence(pmix, true) == PMIX_SUCCESS;
}

/// Like the fence in MPI_Finalize. A rank that has died does not hold it up: PMIx takes it out.
bool all_came(const PmixLibrary& pmix) noexcept {
    const pmix_status_t status = join_fence(pmix, false);
    // Of a job on one node PMIx says that somebody was taken out; else the keys will.
    return status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS;
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
    return ask_around(present_key, found_key, pmix, rank, size,
                      [](int, const auto&) { return false; })
        .result(rank);
}

RollCall::Departure RollCall::everyone_leaving(int rank, int size,
                                               const std::string& report) noexcept {
    Departure departure{.everyone = no_exchange(rank),
                        .handed_over = {.end = Gathered::End::complete, .reports = {}}};
    if (size <= 1) {
        departure.everyone = {.answer = Answer::all, .is_first = true};
        return departure;
    }
    const PmixSession pmix;
    if (!pmix.open()) return departure;
    std::optional<std::string_view> carried;
    if (rank == 0)
        carried = "";  // it has its own
    else if (report.size() <= most_bytes_of_report(size))
        carried = report;
    try {
        put(pmix.library(), leaving_key, HandedOver(carried).value());
    } catch (const std::exception&) {
        put(pmix.library(), leaving_key, true_value());  // like one that is too long
    }
    if (!all_came(pmix.library()) || !exchange(pmix.library())) return departure;
    const auto look = [&](int of, const pmix_value_t& held) {
        const bool is_long = !HandedOver::is_there(held);
        if (rank == 0 && of != 0 && !is_long)
            keep_report(departure.handed_over, HandedOver::report_in(held));
        return is_long;
    };
    const KeyHolders found = ask_around(leaving_key, left_key, pmix, rank, size, look);
    departure.everyone = found.result(rank);
    departure.to_gather = found.some_long;
    return departure;
}

}  // namespace commmap::hooks

using namespace commmap::hooks;

extern "C" pmix_status_t PMIx_Commit() {
    if (is_open.load()) put(PmixLibrary(), present_key, true_value());
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
