// What a node keeps of its ranks, as it is, and made of an input: number of ranks, then ranks'
// reports with `between_reports` between them. Lengths, version and checksum are put right, so that
// reports of several ranks are merged.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/store/unfinished_run.hpp"
#include "fuzz/merged.hpp"

namespace commmap::fuzz {
namespace {

constexpr std::string_view between_reports = "\xffREPORT";

void read(std::string_view bytes) {
    auto part = decode_node_part(bytes);
    if (!part) return;
    require(decode_node_part(encode_node_part(part.value())).ok(),
            "what was read and written is not read again");
    if (merge(std::move(part).value())) ++taken;
}

/// With reports that may be anything.
std::string part_of(std::uint32_t num_ranks, const std::vector<std::string_view>& reports) {
    // the reader's own checksum is right only over what the writer wrote: the reports go through it
    // one by one
    NodePart part{"/x/app", "Some MPI", num_ranks, {}};
    for (const std::string_view report : reports) {
        auto decoded = decode_rank_report(report);
        if (decoded) part.reports.push_back(std::move(decoded).value());
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
    std::vector<std::string_view> reports;
    for (;;) {
        const auto end = input.find(between_reports);
        reports.push_back(input.substr(0, end));
        if (end == std::string_view::npos) break;
        input.remove_prefix(end + between_reports.size());
    }
    read(part_of(num_ranks, reports));
    return 0;
}
