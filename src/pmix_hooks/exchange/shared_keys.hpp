#pragma once

#include <pmix.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "pmix_hooks/exchange/pmix_library.hpp"

namespace commmap::hooks {

/// Whether this process's PMIx has taken it. Who goes on when it has not is, for the others, a rank
/// without the key.
/// @param scope  PMIX_GLOBAL: to all, with the next fence that carries data; PMIX_LOCAL: to this
///               node, with the next commit
bool put_key(const PmixLibrary& pmix, const char* key, pmix_value_t value,
             pmix_scope_t scope = PMIX_GLOBAL) noexcept;
/// Sends this node's server the keys put so far. True says sent, not kept: PMIx drops the answer.
bool commit_keys(const PmixLibrary& pmix) noexcept;

/// Good as long as the bytes are; PMIx copies them when they are put.
[[nodiscard]] pmix_value_t bytes_value(std::string_view bytes) noexcept;
/// Empty when it holds no bytes.
[[nodiscard]] std::string_view bytes_in(const pmix_value_t& value) noexcept;

/// Null when that rank has not put it, or has gone.
/// @param limit_s  as for PmixSession::get()
[[nodiscard]] PmixValue key_of(int rank, const char* key, const PmixSession& pmix,
                               PmixSession::Reach reach = PmixSession::Reach::node,
                               int limit_s = 1) noexcept;

/// Of all ranks, who has a key.
struct KeyHolders {
    int first_without = -1;  ///< lowest rank; -1 for none
    int first_with = -1;
    bool some_marked = false;  ///< by what is said about the values

    [[nodiscard]] bool both() const noexcept { return first_with >= 0 && first_without >= 0; }
    void add(int rank, bool has_it, bool is_marked) noexcept {
        int& first = has_it ? first_with : first_without;
        if (first < 0) first = rank;
        some_marked = some_marked || is_marked;
    }
};

/// Until there is one with the key and one without. Where PMIx keeps the keys of others out of this
/// process (PMIx 5 under Slurm), a question to this node's server per rank, about 0.1 ms.
/// @param look  at each rank that has it and at the value, in the order of the ranks; whether it is
///              marked
template <class Look>
[[nodiscard]] KeyHolders holders_of(const char* key, const PmixSession& pmix, int size, Look look) {
    KeyHolders found;
    for (int rank = 0; rank < size && !found.both(); ++rank) {
        const PmixValue value = key_of(rank, key, pmix);
        found.add(rank, value != nullptr, value != nullptr && look(rank, *value));
    }
    return found;
}

/// The rank of this node that asks for all of it: the lowest that has the key. -1 when there is
/// none. Where PMIx does not list who is on this node (PMIX_LOCAL_PEERS), the first of them
/// (PMIX_LOCALLDR), with the key or without. A question for that rank and for each before it.
[[nodiscard]] int speaker_of_node(const char* key, const PmixSession& pmix, int size) noexcept;
/// What that rank has found. Nothing when all are in sight without a question, or when it has not
/// told within 1 s and 1 ms for each rank of the world.
[[nodiscard]] std::optional<KeyHolders> told_by(int speaker, const char* key, const char* told_key,
                                                const PmixSession& pmix, int size) noexcept;
/// To the ranks of this node. Nothing told: they ask for themselves.
void tell_node(const char* told_key, const KeyHolders& found, const PmixLibrary& pmix) noexcept;

/// As holders_of(), with fewer questions: the speaker of each node asks and tells the others, who
/// wait for it. By all ranks at about the same time.
/// @param told_key  of the speaker, what it has found; one for each use
/// @param looks_itself  this rank wants the values, whoever speaks
template <class Look>
[[nodiscard]] KeyHolders ask_around(const char* key, const char* told_key, const PmixSession& pmix,
                                    int rank, int size, bool looks_itself, Look look) {
    const int speaker = speaker_of_node(key, pmix, size);
    if (!looks_itself && speaker >= 0 && rank != speaker)
        if (const auto told = told_by(speaker, key, told_key, pmix, size)) return *told;
    const KeyHolders found = holders_of(key, pmix, size, look);
    if (rank == speaker) tell_node(told_key, found, pmix.library());
    return found;
}

/// Of the job on this node; nothing when PMIx does not tell.
[[nodiscard]] std::optional<std::uint32_t> job_number(const char* key,
                                                      const PmixSession& pmix) noexcept;

}  // namespace commmap::hooks
