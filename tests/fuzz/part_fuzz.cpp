// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What a node keeps of its ranks, as it is, and made of an input: number of ranks, then ranks'
// records with `between_records` between them. Lengths, version and checksum are put right, so that
// records of several ranks are merged.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/store/unfinished_run.hpp"
#include "fuzz/merged.hpp"

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

/// With records that may be anything.
std::string part_of(std::uint32_t num_ranks, const std::vector<std::string_view>& records) {
    // the reader's own checksum is right only over what the writer wrote: the records go through it
    // one by one
    NodePart part{"/x/app", "Some MPI", num_ranks, {}};
    for (const std::string_view record : records) {
        auto decoded = decode_rank_record(record);
        if (decoded) part.records.push_back(std::move(decoded).value());
    }
    return encode_node_part(part);
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap::fuzz;
    std::string_view input = text_of(data, size);
    read(input);
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
