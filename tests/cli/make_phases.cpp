// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Writes a profile of RANKS ranks from lines of standard input:
//   phase LABEL BEGINS     a phase begins; the label - is none
//   slice BEGIN_S END_S    the last phase was found from time slices, and was then
//   FROM TO BYTES COUNT    in the last phase so many messages of this length
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "core/profile/store/store.hpp"

namespace {

using namespace commmap;

using Rows = std::vector<std::vector<TrafficCell>>;

void end_phase(Profile& profile, Rows& rows) {
    if (profile.phases.empty()) return;
    for (std::vector<TrafficCell>& row : rows) {
        row.resize(reduce_by_key(row));
        profile.phases.back().sent.add_row(row);
        row.clear();
    }
}

/// Reads one line; false when it is none of those above.
bool read_line(const std::string& line, Profile& profile, Rows& rows) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "phase") {
        end_phase(profile, rows);
        Phase& phase = profile.phases.emplace_back();
        words >> phase.label >> phase.entered;
        if (phase.label == "-") phase.label.clear();
        return !words.fail();
    }
    if (profile.phases.empty()) return false;
    if (first == "slice") {
        profile.slice_s = 1.0;
        TimeRange& time = profile.phases.back().times.emplace_back();
        words >> time.begin_s >> time.end_s;
        return !words.fail();
    }
    RankId to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    words >> to >> bytes >> count;
    if (words.fail()) return false;
    rows.at(std::strtoul(first.c_str(), nullptr, 10))
        .push_back({to, static_cast<std::uint32_t>(size_bucket(bytes)), count, bytes * count});
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: make_phases FILE RANKS < LINES\n");
        return 2;
    }
    Profile profile;
    profile.application_id = "build-id:00";
    profile.command = "/made/by/a/test";
    profile.nodes = {"n0"};
    profile.ranks.resize(std::strtoul(argv[2], nullptr, 10));
    for (ProfileRank& rank : profile.ranks) rank.cpus = "0";
    Rows rows(profile.ranks.size());
    for (std::string line; std::getline(std::cin, line);) {
        if (read_line(line, profile, rows)) continue;
        std::fprintf(stderr, "make_phases: '%s'\n", line.c_str());
        return 2;
    }
    end_phase(profile, rows);
    const auto status = write_profile_file(argv[1], profile);
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return status ? 0 : 1;
}
