// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/participation.hpp"

#include <pmix.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "core/profile/recording/record_sources_generated.hpp"
#include "pmix_hooks/exchange/fence.hpp"
#include "pmix_hooks/exchange/shared_keys.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {
namespace {

/// Name of a PMIx key: a word, and the group of this library behind the word (open()).
class Key {
public:
    constexpr explicit Key(std::string_view word) : word_bytes_(word.size()) {
        std::copy(word.begin(), word.end(), text_.begin());
        set_group(record_sources);
    }
    constexpr void set_group(std::string_view group) {
        group = group.substr(0, text_.size() - 1 - word_bytes_);
        const auto end = std::copy(group.begin(), group.end(), text_.begin() + word_bytes_);
        std::fill(end, text_.end(), '\0');
    }
    [[nodiscard]] const char* text() const noexcept { return text_.data(); }

private:
    std::array<char, 128> text_{};
    std::size_t word_bytes_;
};
constinit Key present_key("commmap.present.");
/// Key under which one rank tells its node what it has found about all ranks' present_key.
constinit Key found_key("commmap.found.");
constinit Key leaving_key("commmap.leaving.");
/// Key under which one rank tells its node what it has found about all ranks' leaving_key.
constinit Key left_key("commmap.left.");

constinit std::atomic<bool> is_open{false};
/// Says that MPI has given all ranks' keys to all ranks.
constinit std::atomic<bool> collected{false};

Participation::Result no_exchange(int rank) noexcept {
    return {.answer = Participation::Answer::no_exchange, .is_first = rank == 0};
}

Participation::Result result(const KeyHolders& found, int rank) noexcept {
    if (found.first_with < 0) return no_exchange(rank);
    return {.answer = found.first_without < 0 ? Participation::Answer::all
                                              : Participation::Answer::not_all,
            .missing = found.first_without,
            .is_first = found.first_with == rank};
}

/// First byte of leaving_key's value. Behind record_here stands the record, but rank 0 keeps its
/// own.
constexpr char record_here = 1;
constexpr char record_too_long = 0;

/// Puts this rank's leaving_key in time for the fence. Rank 0 has its own record already.
bool announce(const PmixLibrary& pmix, int rank, int size, const std::string& record,
              bool root_has_room) noexcept {
    const bool carries = rank != 0 && record.size() <= Participation::most_bytes_of_record(size);
    const bool is_here = rank == 0 ? root_has_room : carries;
    try {
        std::string bytes(1, is_here ? record_here : record_too_long);
        if (carries) bytes += record;
        put_key(pmix, leaving_key.text(), bytes_value(bytes));
    } catch (const std::exception&) {
        const char too_long[] = {record_too_long};  // this short value may still fit into memory
        put_key(pmix, leaving_key.text(), bytes_value({too_long, 1}));
    }
    return commit_keys(pmix);
}

void look_at_fence(const pmix_info_t info[], std::size_t count) noexcept {
    for (std::size_t i = 0; is_open.load() && i < count; ++i)
        if (std::strncmp(info[i].key, PMIX_COLLECT_DATA, sizeof info[i].key) == 0 &&
            (info[i].value.type != PMIX_BOOL || info[i].value.data.flag))
            collected.store(true);
}

template <class Function>
Function* next(const char* name) noexcept {
    return reinterpret_cast<Function*>(find_next_symbol(name));
}

}  // namespace

void Participation::open(std::string_view group) noexcept {
    for (Key* key : {&present_key, &found_key, &leaving_key, &left_key}) key->set_group(group);
    collected.store(false);
    is_open.store(true);
}
void Participation::close() noexcept { is_open.store(false); }

bool Participation::can_answer(int size) noexcept {
    // Without a collecting fence some servers may know all ranks and others not, so there is no
    // answer.
    return size == 1 || (collected.load() && PmixSession().open());
}

bool Participation::asks_separately(int size) noexcept {
    constexpr std::int64_t most_questions = 512;
    if (size == 1) return true;
    const PmixSession pmix;
    const std::optional<std::uint32_t> on_node = job_number(PMIX_LOCAL_SIZE, pmix);
    return on_node && std::int64_t{*on_node} * size <= most_questions;
}

Participation::Result Participation::everyone_present(int rank, int size,
                                                      bool separately) noexcept {
    if (size == 1) return {.answer = Answer::all, .is_first = true};
    const PmixSession pmix;
    if (!pmix.open()) return no_exchange(rank);
    const auto look = [](int, const pmix_value_t&) { return false; };
    return result(separately ? holders_of(present_key.text(), pmix, size, look)
                             : ask_around(present_key.text(), found_key.text(), pmix, rank, size,
                                          false, look),
                  rank);
}

Participation::Departure Participation::everyone_leaving(int rank, int size,
                                                         const std::string& record,
                                                         bool root_has_room) noexcept {
    Departure departure{.everyone = no_exchange(rank),
                        .handed_over = {.end = Gathered::End::complete, .records = {}}};
    if (size <= 1) {
        departure.everyone = {.answer = Answer::all, .is_first = true};
        return departure;
    }
    const PmixSession pmix;
    if (!pmix.open() || !announce(pmix.library(), rank, size, record, root_has_room) ||
        !all_came(pmix.library()) || !exchange_keys(pmix.library()))
        return departure;
    const auto look = [&](int of, const pmix_value_t& held) {
        const std::string_view bytes = bytes_in(held);
        if (bytes.empty() || bytes.front() != record_here) return true;
        if (rank == 0 && of != 0) keep_record(departure.handed_over, bytes.substr(1));
        return false;
    };
    const KeyHolders found =
        ask_around(leaving_key.text(), left_key.text(), pmix, rank, size, rank == 0, look);
    departure.everyone = result(found, rank);
    departure.to_gather = found.some_marked;
    return departure;
}

}  // namespace commmap::hooks

using namespace commmap::hooks;

extern "C" pmix_status_t PMIx_Commit() {
    if (is_open.load()) put_key(PmixLibrary(), present_key.text(), true_value());
    auto* next_commit = next<decltype(PMIx_Commit)>("PMIx_Commit");
    return next_commit == nullptr ? PMIX_ERR_NOT_SUPPORTED : next_commit();
}

extern "C" pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t num_procs,
                                    const pmix_info_t info[], size_t num_info) {
    look_at_fence(info, num_info);
    auto* fence = next<decltype(PMIx_Fence)>("PMIx_Fence");
    return fence == nullptr ? PMIX_ERR_NOT_SUPPORTED : fence(procs, num_procs, info, num_info);
}

extern "C" pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t num_procs,
                                       const pmix_info_t info[], size_t num_info,
                                       pmix_op_cbfunc_t done, void* data) {
    look_at_fence(info, num_info);
    auto* fence = next<decltype(PMIx_Fence_nb)>("PMIx_Fence_nb");
    return fence == nullptr ? PMIX_ERR_NOT_SUPPORTED
                            : fence(procs, num_procs, info, num_info, done, data);
}
