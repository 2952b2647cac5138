#pragma once

#include <pmix.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "pmix_hooks/pmix_library.hpp"

namespace commmap::hooks {

/// A key that is not there is what the others see when this fails.
/// @param scope  PMIX_GLOBAL, to all, with the next fence that carries data; PMIX_LOCAL, to this
///               node, with the next commit
bool put_key(const PmixLibrary& pmix, const char* key, pmix_value_t value,
             pmix_scope_t scope = PMIX_GLOBAL) noexcept;
/// Tells this node's server of the keys put so far.
bool commit_keys(const PmixLibrary& pmix) noexcept;

/// Good as long as the bytes are.
[[nodiscard]] pmix_value_t bytes_value(std::string_view bytes) noexcept;
/// Empty when it holds no bytes.
[[nodiscard]] std::string_view bytes_in(const pmix_value_t& value) noexcept;

/// Null when that rank has not put it, or has gone.
[[nodiscard]] PmixValue key_of(int rank, const char* key, const PmixSession& pmix,
                               PmixSession::Reach reach = PmixSession::Reach::node,
                               int limit_s = 1) noexcept;

/// Lowest rank without a key and lowest with it; -1 for none.
struct KeyHolders {
    int first_without = -1;
    int first_with = -1;

    void add(int rank, bool has_it) noexcept {
        int& first = has_it ? first_with : first_without;
        if (first < 0) first = rank;
    }
};

/// A question to this node's server per rank where PMIx keeps the keys of others out of this
/// process (PMIx 5 under Slurm), about 0.1 ms; until there is one with the key and one without.
/// @param look  at the value of each rank that has it, in the order of the ranks
template <class Look>
[[nodiscard]] KeyHolders holders_of(const char* key, const PmixSession& pmix, int size, Look look) {
    KeyHolders found;
    for (int rank = 0; rank < size && (found.first_with < 0 || found.first_without < 0); ++rank) {
        const PmixValue value = key_of(rank, key, pmix);
        found.add(rank, value != nullptr);
        if (value != nullptr) look(rank, *value);
    }
    return found;
}
[[nodiscard]] KeyHolders holders_of(const char* key, const PmixSession& pmix, int size) noexcept;
/// Until there is one with the key.
[[nodiscard]] KeyHolders lowest_holder_of(const char* key, const PmixSession& pmix,
                                          int size) noexcept;

/// The same answer with fewer questions: one rank of the node, PMIX_LOCALLDR, asks and tells the
/// others, who wait for it, 1 s and 1 ms for each rank of the world at most. By all ranks at about
/// the same time.
/// @param told_key  of the rank that asks, what it has found; a key of its own for each use
[[nodiscard]] KeyHolders ask_around(const char* key, const char* told_key, const PmixSession& pmix,
                                    int rank, int size) noexcept;

/// Of the job on this node; nothing when PMIx does not tell.
[[nodiscard]] std::optional<std::uint32_t> job_number(const char* key,
                                                      const PmixSession& pmix) noexcept;

}  // namespace commmap::hooks
