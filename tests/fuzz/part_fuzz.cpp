// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What a node keeps of its ranks: an input behind a right header, its checksum put right; and made
// of an input: number of ranks, then ranks' records with `between_records` between them. Their
// lengths are put right, so that records of several ranks are merged.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/recording/rank_record_codec.hpp"
#include "core/profile/store/unfinished_run.hpp"
#include "fuzz/merged.hpp"
#include "fuzz/right_size.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap::fuzz {
namespace {

constexpr std::string_view between_records = "\xffRECORD";

void read(std::string_view bytes) {
    auto part = decode_node_part(bytes);
    if (!part) return;
    require(decode_node_part(encode_node_part(part.value())).ok(),
            "what was read and written is not read again");
    if (merge(std::move(part).value())) ++taken;
}

/// Behind the header of this build.
std::string with_header(std::string_view rest) {
    static const std::string empty = encode_node_part({});
    constexpr std::size_t header_bytes = 24;
    constexpr std::size_t hash_at = 8;
    std::string part = empty.substr(0, header_bytes) + std::string(rest);
    constexpr std::size_t hashed_from = hash_at + sizeof(std::uint64_t);
    const std::uint64_t hash = XXH3_64bits(part.data() + hashed_from, part.size() - hashed_from);
    std::memcpy(part.data() + hash_at, &hash, sizeof hash);
    return part;
}

/// With records that may be anything.
std::string part_of(std::uint32_t num_ranks, const std::vector<std::string_view>& records) {
    // the reader's own checksum is right only over what the writer wrote: the records go through it
    // one by one
    NodePart part{"/x/app", "Some MPI", num_ranks, {}};
    for (const std::string_view record : records) {
        auto decoded = decode_rank_record(with_right_size(record));
        if (decoded) part.records.push_back(std::move(decoded).value());
    }
    return encode_node_part(part);
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap::fuzz;
    std::string_view input = text_of(data, size);
    read(with_header(input));
    std::uint32_t num_ranks = 0;
    if (input.size() < sizeof num_ranks) return 0;
    std::memcpy(&num_ranks, input.data(), sizeof num_ranks);
    input.remove_prefix(sizeof num_ranks);
    std::vector<std::string_view> records;
    for (;;) {
        const auto end = input.find(between_records);
        records.push_back(input.substr(0, end));
        if (end == std::string_view::npos) break;
        input.remove_prefix(end + between_records.size());
    }
    read(part_of(num_ranks, records));
    return 0;
}
