// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/check_series.hpp"

#include <cstddef>
#include <set>

#include "core/calibration/blocks.hpp"

namespace commmap {

void add_in_rounds(CheckOf of, std::span<const CheckPair> pairs, std::uint32_t at_once,
                   std::vector<CheckSeries>& series) {
    struct Round {
        CheckSeries series;
        std::set<NodeId> busy;
    };
    std::vector<Round> rounds;
    std::size_t first_open = 0;
    for (const CheckPair& pair : pairs) {
        std::size_t r = first_open;
        for (; r < rounds.size(); ++r) {
            const Round& round = rounds[r];
            if (round.series.pairs.size() < at_once && !round.busy.contains(pair.sender) &&
                !round.busy.contains(pair.receiver)) {
                break;
            }
        }
        if (r == rounds.size()) rounds.push_back({{of, {}}, {}});
        rounds[r].series.pairs.push_back(pair);
        rounds[r].busy.insert({pair.sender, pair.receiver});
        while (first_open < rounds.size() && rounds[first_open].series.pairs.size() >= at_once) {
            ++first_open;
        }
    }
    for (Round& round : rounds) series.push_back(std::move(round.series));
}

std::vector<NamedSeries> named(const CheckPlan& plan, const Allocation& allocation) {
    std::vector<NamedSeries> all;
    for (const CheckSeries& one : plan.series) {
        NamedSeries& named = all.emplace_back();
        const bool work = one.of == CheckOf::work;
        named.pattern = work ? MeasuringPattern::work : MeasuringPattern::each_pair;
        named.lengths_bytes = {work ? check_operations : check_message_bytes};
        for (const CheckPair& pair : one.pairs) {
            named.pairs.emplace_back(allocation.nodes[pair.sender].name,
                                     allocation.nodes[pair.receiver].name);
        }
    }
    return all;
}

double expected_s(const CheckPlan& plan) {
    // beside the blocks: two short exchanges to see how long one takes, and the first that connects
    constexpr double of_streams = blocks_of_length * seconds_of_stream_block + 0.2;
    constexpr double of_work = blocks_of_length * 0.5;
    double sum = 0.0;
    for (const CheckSeries& one : plan.series)
        sum += one.of == CheckOf::work ? of_work : of_streams;
    return sum;
}

}  // namespace commmap
