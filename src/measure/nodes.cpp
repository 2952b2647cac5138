// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/nodes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "core/text/one_line.hpp"

namespace commmap::measure {

std::map<std::string, int, std::less<>> rank_of_nodes(const std::optional<std::uint32_t>& cpu) {
    std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
    int length = 0;
    MPI_Get_processor_name(host.data(), &length);
    const char* slurms = std::getenv("SLURMD_NODENAME");
    std::string name = slurms != nullptr ? slurms : host.data();
    if (cpu) name += ":" + std::to_string(*cpu);
    std::array<char, MPI_MAX_PROCESSOR_NAME> own{};
    name.copy(own.data(), own.size() - 1);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<char> all(static_cast<std::size_t>(size) * own.size());
    MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(),
                  static_cast<int>(own.size()), MPI_CHAR, MPI_COMM_WORLD);
    std::map<std::string, int, std::less<>> rank_of;
    for (int rank = 0; rank < size; ++rank) {
        rank_of.try_emplace(all.data() + static_cast<std::size_t>(rank) * own.size(), rank);
    }
    return rank_of;
}

Result<std::vector<RankPair>> rank_pairs(const NamedSeries& series,
                                         const std::map<std::string, int, std::less<>>& rank_of) {
    std::vector<RankPair> pairs;
    std::set<int> used;
    const bool once =
        series.pattern == MeasuringPattern::together ||
        (series.pattern != MeasuringPattern::streams && !answers_by_pair(series.pattern));
    for (const auto& [sender, receiver] : series.pairs) {
        for (const std::string& name : {sender, receiver}) {
            const auto found = rank_of.find(name);
            if (found == rank_of.end()) {
                return Error{Errc::invalid_input,
                             "no rank runs on node " + quoted(name) + ": start one on each node"};
            }
            if (!used.insert(found->second).second && once) {
                return Error{Errc::invalid_input,
                             "node " + quoted(name) + " is in two pairs, which only streams allow"};
            }
        }
        pairs.push_back({rank_of.find(sender)->second, rank_of.find(receiver)->second});
    }
    return pairs;
}

std::vector<int> ranks_of(const std::vector<RankPair>& pairs) {
    std::set<int> ranks;
    for (const RankPair& pair : pairs) ranks.insert({pair.sender, pair.receiver});
    return {ranks.begin(), ranks.end()};
}

std::vector<RankPair> numbered_within(const std::vector<int>& ranks,
                                      const std::vector<RankPair>& pairs) {
    const auto place = [&](int rank) {
        return static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
    };
    std::vector<RankPair> numbered;
    numbered.reserve(pairs.size());
    for (const RankPair& pair : pairs) {
        numbered.push_back({place(pair.sender), place(pair.receiver)});
    }
    return numbered;
}

}  // namespace commmap::measure
