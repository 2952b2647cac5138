// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/shared_keys.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace commmap::hooks {
namespace {

/// Returns whether this process sees every rank's key without a question to the node's server.
bool all_in_sight(const char* key, const PmixSession& pmix, int size) noexcept {
    for (int rank = 0; rank < size; ++rank)
        if (key_of(rank, key, pmix, PmixSession::Reach::process) == nullptr) return false;
    return true;
}

std::uint64_t packed(const KeyHolders& found) noexcept {
    const auto half = [](int rank) { return std::uint64_t{static_cast<std::uint32_t>(rank + 1)}; };
    return std::uint64_t{found.some_marked} << 63 | half(found.first_without) << 32 |
           half(found.first_with);
}
KeyHolders unpacked(std::uint64_t packed) noexcept {
    return {.first_without = static_cast<int>(packed >> 32 & INT32_MAX) - 1,
            .first_with = static_cast<int>(packed & INT32_MAX) - 1,
            .some_marked = packed >> 63 != 0};
}

}  // namespace

bool put_key(const PmixLibrary& pmix, const char* key, pmix_value_t value,
             pmix_scope_t scope) noexcept {
    auto* put = pmix.find<decltype(PMIx_Put)>("PMIx_Put");
    return put != nullptr && put(scope, key, &value) == PMIX_SUCCESS;
}

bool commit_keys(const PmixLibrary& pmix) noexcept {
    auto* commit = pmix.find<decltype(PMIx_Commit)>("PMIx_Commit");
    return commit != nullptr && commit() == PMIX_SUCCESS;
}

pmix_value_t bytes_value(std::string_view bytes) noexcept {
    pmix_value_t value;
    std::memset(&value, 0, sizeof value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = const_cast<char*>(bytes.data());
    value.data.bo.size = bytes.size();
    return value;
}

std::string_view bytes_in(const pmix_value_t& value) noexcept {
    if (value.type != PMIX_BYTE_OBJECT || value.data.bo.bytes == nullptr) return {};
    return {value.data.bo.bytes, value.data.bo.size};
}

PmixValue key_of(int rank, const char* key, const PmixSession& pmix, PmixSession::Reach reach,
                 int limit_s) noexcept {
    pmix_proc_t process = pmix.self();
    process.rank = static_cast<pmix_rank_t>(rank);
    return pmix.get(process, key, reach, limit_s);
}

int speaker_of_node(const char* key, const PmixSession& pmix, int size) noexcept {
    pmix_proc_t job = pmix.self();
    job.rank = PMIX_RANK_WILDCARD;
    const PmixValue peers = pmix.get(job, PMIX_LOCAL_PEERS);
    if (peers == nullptr || peers->type != PMIX_STRING || peers->data.string == nullptr) {
        const std::uint32_t first = job_number(PMIX_LOCALLDR, pmix).value_or(PMIX_RANK_UNDEF);
        return first < static_cast<std::uint32_t>(size) ? static_cast<int>(first) : -1;
    }
    const char* text = peers->data.string;  // such as "0,1,8"
    for (char* end = nullptr;; text = end + 1) {
        const long rank = std::strtol(text, &end, 10);
        if (end == text || rank < 0 || rank >= size) return -1;
        if (key_of(static_cast<int>(rank), key, pmix) != nullptr) return static_cast<int>(rank);
        if (*end != ',') return -1;
    }
}

std::optional<KeyHolders> told_by(int speaker, const char* key, const char* told_key,
                                  const PmixSession& pmix, int size) noexcept {
    if (all_in_sight(key, pmix, size)) return std::nullopt;
    const PmixValue told =
        key_of(speaker, told_key, pmix, PmixSession::Reach::awaited, 1 + size / 1000);
    if (told == nullptr || told->type != PMIX_UINT64) return std::nullopt;
    return unpacked(told->data.uint64);
}

void tell_node(const char* told_key, const KeyHolders& found, const PmixLibrary& pmix) noexcept {
    pmix_value_t value = true_value();
    value.type = PMIX_UINT64;
    value.data.uint64 = packed(found);
    if (put_key(pmix, told_key, value, PMIX_LOCAL)) commit_keys(pmix);
}

std::optional<std::uint32_t> job_number(const char* key, const PmixSession& pmix) noexcept {
    pmix_proc_t job = pmix.self();
    job.rank = PMIX_RANK_WILDCARD;
    const PmixValue value = pmix.get(job, key);
    if (value != nullptr && value->type == PMIX_PROC_RANK) return value->data.rank;
    if (value != nullptr && value->type == PMIX_UINT32) return value->data.uint32;
    return std::nullopt;
}

}  // namespace commmap::hooks
