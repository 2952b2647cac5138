// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pmix.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "pmix_hooks/exchange/pmix_library.hpp"

namespace commmap::hooks {

/// Puts a key into this process's PMIx, and returns whether PMIx has taken it.
/// A rank that goes on after a failure looks to the others like a rank without the key.
/// @param scope  PMIX_GLOBAL: goes to all ranks with the next fence that carries data; PMIX_LOCAL:
///               goes to this node with the next commit
bool put_key(const PmixLibrary& pmix, const char* key, pmix_value_t value,
             pmix_scope_t scope = PMIX_GLOBAL) noexcept;
/// Sends the keys put so far to this node's server. True means sent, not kept: PMIx drops the
/// server's answer.
bool commit_keys(const PmixLibrary& pmix) noexcept;

/// Returns a PMIx value that points to `bytes`, and is valid as long as they are. PMIx copies the
/// bytes when they are put.
[[nodiscard]] pmix_value_t bytes_value(std::string_view bytes) noexcept;
/// Returns the bytes that a PMIx value holds; empty when the value holds no bytes.
[[nodiscard]] std::string_view bytes_in(const pmix_value_t& value) noexcept;

/// Returns a rank's value of a key; null when the rank has not put the key, or has gone.
/// @param limit_s  as for PmixSession::get()
[[nodiscard]] PmixValue key_of(int rank, const char* key, const PmixSession& pmix,
                               PmixSession::Reach reach = PmixSession::Reach::node,
                               int limit_s = 1) noexcept;

/// The lowest rank with a key, and the lowest rank without.
struct KeyHolders {
    int first_without = -1;  ///< lowest rank; -1 for none
    int first_with = -1;
    bool some_marked = false;  ///< the caller's function has marked a value

    [[nodiscard]] bool both() const noexcept { return first_with >= 0 && first_without >= 0; }
    void add(int rank, bool has_it, bool is_marked) noexcept {
        int& first = has_it ? first_with : first_without;
        if (first < 0) first = rank;
        some_marked = some_marked || is_marked;
    }
};

/// Asks the ranks one by one for a key, until one rank with the key and one without are found.
/// Cost: PMIx 5 under Slurm keeps other ranks' keys out of this process. Then each rank costs a
/// question of about 0.1 ms to this node's server.
/// @param look  called for each rank that has the key, in the order of the ranks, with the rank and
///              the value; returns whether the value is marked
template <class Look>
[[nodiscard]] KeyHolders holders_of(const char* key, const PmixSession& pmix, int size, Look look) {
    KeyHolders found;
    for (int rank = 0; rank < size && !found.both(); ++rank) {
        const PmixValue value = key_of(rank, key, pmix);
        found.add(rank, value != nullptr, value != nullptr && look(rank, *value));
    }
    return found;
}

/// Returns the rank of this node that asks for all of this node's ranks: the lowest rank that has
/// the key; -1 when there is none.
/// Where PMIx does not list this node's ranks (PMIX_LOCAL_PEERS), returns the node's first rank
/// (PMIX_LOCALLDR), with the key or without.
/// Cost: one question for the returned rank and for each rank before it.
[[nodiscard]] int speaker_of_node(const char* key, const PmixSession& pmix, int size) noexcept;
/// Waits for the result that the node's speaker has found.
/// Returns nothing when
/// - this process sees all keys without a question;
/// - the speaker has not told within 1 s plus 1 ms for each rank of the world.
[[nodiscard]] std::optional<KeyHolders> told_by(int speaker, const char* key, const char* told_key,
                                                const PmixSession& pmix, int size) noexcept;
/// Tells a result to the ranks of this node. Ranks that are told nothing ask for themselves.
void tell_node(const char* told_key, const KeyHolders& found, const PmixLibrary& pmix) noexcept;

/// Does the same as holders_of() with fewer questions: the speaker of each node asks, and tells its
/// result to the node's other ranks.
/// All ranks must call this function at about the same time, for the others wait for the speaker.
/// @param told_key  key under which the speaker tells its result; a different one for each use
/// @param looks_itself  this rank needs the values, whoever speaks
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

/// Returns a number that PMIx has about the whole job; nothing when PMIx does not tell.
[[nodiscard]] std::optional<std::uint32_t> job_number(const char* key,
                                                      const PmixSession& pmix) noexcept;

}  // namespace commmap::hooks
