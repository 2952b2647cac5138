// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/inside.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pmix_hooks/exchange/participation.hpp"
#include "pmix_hooks/inside/communicators/tuned_variables.hpp"
#include "pmix_hooks/inside/inside_sources_generated.hpp"
#include "pmix_hooks/mpi/comm_attribute.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/process/environment.hpp"
#include "pmix_hooks/process/errno_saved.hpp"
#include "pmix_hooks/process/print_line.hpp"

namespace commmap::inside {

using hooks::Participation;

constinit Inside inside;

namespace {

/// Returns the position of this node in the order of the machine; 0 where nobody says.
int position_of_node() noexcept {
    for (const char* variable : {node_variable, "SLURM_NODEID"}) {
        const char* text = std::getenv(variable);
        if (text == nullptr) continue;
        int position = 0;
        const std::string_view digits(text);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), position);
        if (error == std::errc{} && end == digits.data() + digits.size()) return position;
    }
    return 0;
}

/// Ranks with the same text run the same algorithms for the same calls.
std::string group_of(std::string_view choices) {
    const XXH128_hash_t hash = XXH3_128bits(choices.data(), choices.size());
    return "inside." + std::string(inside_sources) + "." + std::to_string(hash.high64) + "." +
           std::to_string(hash.low64);
}

/// Returns the first part of what the MPI library says of itself; empty where it says nothing.
std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    if (PMPI(Get_library_version)(text.data(), &length) != MPI_SUCCESS) return {};
    const std::string_view version(text.data());
    return std::string(version.substr(0, version.find_first_of(",\n")));
}

void say(int rank, std::string_view message, std::string_view rest = {}) noexcept {
    if (rank == 0 && hooks::is_set_to(verbose_variable, "1")) hooks::print_line(message, rest);
}

int stop_choosing(MPI_Comm, int, void*, void*) noexcept {
    inside.end();
    return MPI_SUCCESS;
}

}  // namespace

void Inside::before_init() noexcept {
    if (is_active()) return;  // a faulty program may call MPI_Init again
    const char* text = std::getenv(choices_variable);
    if (text != nullptr && hooks::loaded_abi() == hooks::own_abi) read_choices(text);
}

/// A rank that has not read its choices puts no key, and makes all others call natively.
void Inside::read_choices(std::string_view text) noexcept {
    try {
        auto choices = Choices::parse(text);
        if (!choices) {
            why_native_ = new std::string(choices.error().message);
            return;
        }
        if (!choices.value().suit(library_version())) {
            why_native_ = new std::string("they were measured with another MPI library than " +
                                          library_version());
            return;
        }
        choices_ = new Choices(std::move(choices).value());
        Participation::open(group_of(text));
    } catch (const std::exception&) {
        choices_ = nullptr;
    }
}

void Inside::after_init(bool succeeded) noexcept {
    Participation::close();
    const hooks::ErrnoSaved errno_saved;
    if (!succeeded || is_active() || std::getenv(choices_variable) == nullptr ||
        hooks::loaded_abi() != hooks::own_abi) {
        return;
    }
    hooks::leave_preload();
    if (!choose_with_all()) return;
    // From here on all ranks choose: this one has to, whatever fails.
    CommState::prepare();
    TunedVariables::prepare();
    if (!hooks::call_at_finalize(stop_choosing)) CommState::leave_all();
    active_.store(true);
    // The rules are taken: programs that this one starts have no use for them. In place, for other
    // threads may be reading the environment.
    if (char* const rules = std::getenv(choices_variable); rules != nullptr) *rules = '\0';
}

bool Inside::choose_with_all() noexcept {
    int size = 0;
    if (PMPI(Comm_rank)(hooks::comm_world(), &rank_) != MPI_SUCCESS ||
        PMPI(Comm_size)(hooks::comm_world(), &size) != MPI_SUCCESS || size < 2) {
        return false;
    }
    if (choices_ == nullptr) {
        say(rank_,
            "collectives stay native: ", why_native_ == nullptr ? "no memory" : *why_native_);
        return false;
    }
    if (!Participation::can_answer(size)) {
        say(rank_,
            "collectives stay native: ranks cannot tell each other over PMIx that they have this "
            "library");
        return false;
    }
    const auto everyone =
        Participation::everyone_present(rank_, size, Participation::asks_separately(size));
    if (everyone.answer != Participation::Answer::all) {
        say(rank_, "collectives stay native: not all ranks have this library and the same choices");
        return false;
    }
    node_ = position_of_node();
    return true;
}

Plan Inside::plan(CollectiveOp op, std::uint64_t num_bytes, MPI_Comm comm) noexcept {
    CommState* state = CommState::of(comm);
    if (state == nullptr) return {};
    const Choice choice = choices_->find(op, state->size(), num_bytes);
    if (choice.algorithm.kind == AlgorithmKind::native) return {};
    const CommNeed& need = choices_->needs(state->size())[choice.comm];
    const OrderedComm* order = state->ordered(choice.comm, need, node_);
    const bool is_tuned = choice.algorithm.kind == AlgorithmKind::tuned;
    if (order == nullptr || (is_tuned && !order->has_tuned())) return {};
    num_chosen_.fetch_add(1, std::memory_order_relaxed);
    return {choice.algorithm, order, state->rank()};
}

void Inside::end() noexcept {
    active_.store(false);
    CommState::leave_all();
    TunedVariables::end();
    try {
        say(rank_, std::to_string(num_chosen_.load()),
            " collective calls of rank 0 were not run natively");
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace commmap::inside
