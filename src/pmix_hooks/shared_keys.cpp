#include "pmix_hooks/shared_keys.hpp"

#include <cstring>

namespace commmap::hooks {
namespace {

/// Without asking the node's server.
bool all_in_sight(const char* key, const PmixSession& pmix, int size) noexcept {
    for (int rank = 0; rank < size; ++rank)
        if (key_of(rank, key, pmix, PmixSession::Reach::process) == nullptr) return false;
    return true;
}

/// The rank that asks the server for the others of its node; -1 when PMIx names none.
int speaker_of_node(const PmixSession& pmix, int size) noexcept {
    const std::uint32_t rank = job_number(PMIX_LOCALLDR, pmix).value_or(PMIX_RANK_UNDEF);
    return rank < static_cast<std::uint32_t>(size) ? static_cast<int>(rank) : -1;
}

std::uint64_t packed(const KeyHolders& found) noexcept {
    const auto half = [](int rank) { return std::uint64_t{static_cast<std::uint32_t>(rank + 1)}; };
    return half(found.first_without) << 32 | half(found.first_with);
}
KeyHolders unpacked(std::uint64_t packed) noexcept {
    return {.first_without = static_cast<int>(packed >> 32 & INT32_MAX) - 1,
            .first_with = static_cast<int>(packed & INT32_MAX) - 1};
}

/// To the ranks of this node. Nothing told: they ask for themselves.
void tell(const char* key, const KeyHolders& found, const PmixLibrary& pmix) noexcept {
    pmix_value_t value = true_value();
    value.type = PMIX_UINT64;
    value.data.uint64 = packed(found);
    if (put_key(pmix, key, value, PMIX_LOCAL)) commit_keys(pmix);
}

/// The server answers when that rank has told, or the limit is over.
std::optional<KeyHolders> told_by(int speaker, const char* key, const PmixSession& pmix,
                                  int size) noexcept {
    const PmixValue value = key_of(speaker, key, pmix, PmixSession::Reach::job, 1 + size / 1000);
    if (value == nullptr || value->type != PMIX_UINT64) return std::nullopt;
    return unpacked(value->data.uint64);
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
    value.data.bo.bytes = const_cast<char*>(bytes.data());  // PMIx copies them
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

KeyHolders holders_of(const char* key, const PmixSession& pmix, int size) noexcept {
    return holders_of(key, pmix, size, [](int, const pmix_value_t&) {});
}

KeyHolders lowest_holder_of(const char* key, const PmixSession& pmix, int size) noexcept {
    KeyHolders found;
    for (int rank = 0; rank < size && found.first_with < 0; ++rank)
        found.add(rank, key_of(rank, key, pmix) != nullptr);
    return found;
}

KeyHolders ask_around(const char* key, const char* told_key, const PmixSession& pmix, int rank,
                      int size) noexcept {
    const int speaker = speaker_of_node(pmix, size);
    if (rank != speaker && speaker >= 0 && !all_in_sight(key, pmix, size) &&
        key_of(speaker, key, pmix) != nullptr)
        if (const std::optional<KeyHolders> told = told_by(speaker, told_key, pmix, size))
            return *told;
    const KeyHolders found = holders_of(key, pmix, size);
    if (rank == speaker) tell(told_key, found, pmix.library());
    return found;
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
