// What a rank sends to rank 0.
#include "core/profile/rank_report.hpp"

#include <string>
#include <utility>
#include <vector>

#include "fuzz/merged.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    using namespace commmap::fuzz;
    const auto report = decode_rank_report(text_of(data, size));
    if (!report) return 0;
    ++taken;
    const std::string bytes = encode_rank_report(report.value());
    const auto again = decode_rank_report(bytes);
    require(again.ok(), "what was read and written is not read again");
    require(encode_rank_report(again.value()) == bytes, "another report");
    RankReport limited = report.value();
    limit_sections(limited, size / 2);
    require(
        decode_rank_report(encode_rank_report(limited)).ok() ||
            limited.slice_s > RankReport::longest_slice_s,  // it was limited before it came here
        "limited, it is not read again");
    std::vector<RankReport> reports(2);
    reports[0] = report.value();
    reports[1] = std::move(limited);
    for (RankId rank = 0; rank < 2; ++rank) reports[rank].rank = rank;
    const auto merged = merge_rank_reports(std::move(reports));
    if (merged) require_readable(merged.value());
    return 0;
}
