// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cli/profile/phase_name.hpp"
#include "core/text/one_line.hpp"
#include "core/text/ranges.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

/// Returns the missing ranks: " 3-5 9".
std::string missing_ranks(const Profile& profile) {
    std::string text;
    for (const std::string& range : ranges_of(profile.missing)) text += " " + range;
    return text;
}

std::string time_range(const TimeRange& time) {
    return fmt::format("{:.3g}-{:.3g} s", time.begin_s, time.end_s);
}

/// Adds up the seconds that ranks lose in one way.
class LostTime {
public:
    void add(double seconds) {
        sum_s_ += seconds;
        least_s_ = std::min(least_s_, seconds);
        most_s_ = std::max(most_s_, seconds);
    }
    [[nodiscard]] double sum_s() const { return sum_s_; }
    /// Returns the difference between the ranks with the most and the least.
    /// @pre there is a rank
    [[nodiscard]] double spread_s() const { return most_s_ - least_s_; }

private:
    double sum_s_ = 0.0;
    double least_s_ = std::numeric_limits<double>::infinity();
    double most_s_ = 0.0;
};

/// The four ways of losing time: computing, MPI, and the differences between ranks in both.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, Sec. 2.
struct LostTimes {
    LostTime computing;
    LostTime in_mpi;
    void add(double wall_s, double mpi_s) {
        computing.add(std::max(0.0, wall_s - mpi_s));
        in_mpi.add(mpi_s);
    }
};

/// Returns "; ranks differ by 0.12 s in computing, 0.2 s in MPI"; empty when the times are not
/// known.
std::string spread_of(const Phase& phase) {
    LostTimes losses;
    for (const PhaseTime& time : phase.rank_times)
        losses.add(static_cast<double>(time.wall_s), static_cast<double>(time.mpi_s));
    if (losses.in_mpi.sum_s() <= 0.0) return {};
    return fmt::format("; ranks differ by {:.3g} s in computing, {:.3g} s in MPI",
                       losses.computing.spread_s(), losses.in_mpi.spread_s());
}

/// Returns a line about each phase, if there are several.
std::string phases_of(const Profile& profile) {
    std::string text;
    if (profile.phases_lost) text += "phases       not known: a rank ran out of memory for them\n";
    if (profile.phases.size() < 2) return text;
    for (std::size_t i = 0; i < profile.phases.size(); ++i) {
        const Phase& phase = profile.phases[i];
        const TrafficSum sent = sum_of(phase.sent.cells());
        const std::string name = phase_name(profile.slice_s > 0.0, i, phase.label);
        text +=
            fmt::format("phase        {}: {:.3g} s, {:.1f} % of it in MPI, {} messages, {}", name,
                        phase.wall_s, phase.wall_s > 0.0 ? 100.0 * phase.mpi_s / phase.wall_s : 0.0,
                        sent.count, format_bytes(static_cast<double>(sent.bytes)));
        if (phase.entered > 1) text += fmt::format(", {} times", phase.entered);
        constexpr std::size_t most_times = 4;
        for (std::size_t t = 0; t < std::min(phase.times.size(), most_times); ++t)
            text += (t == 0 ? "; at " : ", ") + time_range(phase.times[t]);
        if (phase.times.size() > most_times) text += ", ...";
        text += spread_of(phase) + '\n';
    }
    return text;
}

/// Returns which ranks run which program, if there are several programs.
std::string programs_of(const Profile& profile) {
    std::string text;
    for (std::uint32_t i = 0; i < profile.programs.size(); ++i) {
        std::vector<RankId> ranks;
        for (RankId rank = 0; rank < profile.num_ranks(); ++rank)
            if (profile.ranks[rank].program == i) ranks.push_back(rank);
        text += "program      " + one_line(profile.programs[i].name) + ", ranks";
        for (const std::string& range : ranges_of(ranks)) text += " " + range;
        text += '\n';
    }
    return text;
}

/// Returns the data moved to and from files.
std::string files_of(const Profile& profile) {
    std::uint64_t count = 0;
    double seconds = 0.0;
    double bytes = 0.0;
    for (const ProfileRank& rank : profile.ranks)
        for (const CallTime& time : rank.calls) {
            if (!profile.call_names[time.call].starts_with("MPI_File_")) continue;
            count += time.count;
            seconds += static_cast<double>(time.seconds);
            bytes += static_cast<double>(time.bytes);
        }
    if (count == 0) return {};
    return fmt::format("files        {} calls, {}, {:.3f} s (mean over ranks)\n", count,
                       format_bytes(bytes), seconds / static_cast<double>(profile.num_ranks()));
}

/// Returns the calls with most of the time in MPI.
std::string calls_of(const Profile& profile) {
    struct Sum {
        double seconds = 0.0;
        std::uint64_t count = 0;
        std::uint32_t call = 0;
    };
    std::vector<Sum> sums(profile.call_names.size());
    double all = 0.0;
    for (const ProfileRank& rank : profile.ranks)
        for (const CallTime& time : rank.calls) {
            sums[time.call].seconds += static_cast<double>(time.seconds);
            sums[time.call].count += time.count;
            sums[time.call].call = time.call;
            all += static_cast<double>(time.seconds);
        }
    std::sort(sums.begin(), sums.end(),
              [](const Sum& a, const Sum& b) { return a.seconds > b.seconds; });
    constexpr std::size_t most_calls = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(sums.size(), most_calls); ++i) {
        text += fmt::format("call         {}: {:.1f} % of the time in MPI, {} calls\n",
                            one_line(profile.call_names[sums[i].call], 80),
                            all > 0.0 ? 100.0 * sums[i].seconds / all : 0.0, sums[i].count);
    }
    return text;
}

/// Returns "waits        4.500 s of all ranks in calls for one message, longest for rank 3: 1.200
/// s".
std::string waits_of(const Profile& profile) {
    std::vector<std::pair<double, RankId>> for_rank;
    for (RankId rank = 0; rank < profile.num_ranks(); ++rank) for_rank.emplace_back(0.0, rank);
    double all = 0.0;
    for (const ProfileRank& rank : profile.ranks)
        for (const PeerWait& wait : rank.waits) {
            for_rank[wait.peer].first += static_cast<double>(wait.seconds);
            all += static_cast<double>(wait.seconds);
        }
    if (all <= 0.0) return {};
    const auto longest = *std::max_element(for_rank.begin(), for_rank.end());
    return fmt::format(
        "waits        {:.3f} s of all ranks in calls for one message, longest for rank {}: {:.3f} "
        "s\n",
        all, longest.second, longest.first);
}

/// Returns "open sends   at most 11 (3.2 on average) when another send begins".
std::string open_sends_of(const Profile& profile) {
    std::uint64_t sends = 0;
    std::uint64_t others = 0;
    std::uint32_t most = 0;
    for (const ProfileRank& rank : profile.ranks)
        for (const OpenSends& of_size : rank.open_sends) {
            sends += of_size.sends;
            others += of_size.others;
            most = std::max(most, of_size.most);
        }
    if (sends == 0) return {};
    return fmt::format("open sends   at most {} ({:.1f} on average) when another send begins\n",
                       most, static_cast<double>(others) / static_cast<double>(sends));
}

/// Returns "early        37 % of 512 receives that were looked at found their message there".
std::string early_messages_of(const Profile& profile) {
    EarlyMessages all;
    for (const ProfileRank& rank : profile.ranks) {
        all.looked_at += rank.early_messages.looked_at;
        all.early += rank.early_messages.early;
    }
    if (all.looked_at == 0) return {};
    return fmt::format(
        "early        {:.0f} % of {} receives that were looked at found their message there\n",
        100.0 * static_cast<double>(all.early) / static_cast<double>(all.looked_at), all.looked_at);
}

/// Returns the number of messages of each size, as lines below the line of all messages.
std::string sizes_of(const Phase& whole) {
    std::array<std::uint64_t, num_size_buckets> buckets{};
    for (const TrafficCell& cell : whole.sent.cells()) buckets[cell.bucket] += cell.count;
    std::string text;
    for (std::size_t i = 0; i < num_size_buckets; ++i) {
        if (buckets[i] == 0) continue;
        const bool open = i + 1 == num_size_buckets;
        const std::uint64_t limit = bucket_limit_bytes(open ? i - 1 : i);
        text += fmt::format("  {} {} B: {}\n", open ? ">" : "<=", limit, buckets[i]);
    }
    return text;
}

/// Returns the losses of the whole run, in two lines.
std::string losses_of(const Profile& profile) {
    LostTimes losses;
    for (const ProfileRank& rank : profile.ranks) losses.add(rank.wall_s, rank.mpi_s);
    if (losses.in_mpi.sum_s() <= 0.0) return {};  // recorded without times
    const auto line = [&](const char* name, const LostTime& lost) {
        return fmt::format(
            "{:<12} {:.3f} s (mean over ranks), longest and shortest differ by {:.3f} s\n", name,
            lost.sum_s() / static_cast<double>(profile.ranks.size()), lost.spread_s());
    };
    return line("computing", losses.computing) + line("in MPI", losses.in_mpi);
}

/// Returns a line for each of the first topologies: "grid         4 x 2, periodic in 1 of them, on
/// 8 ranks".
std::string topologies_of(const Profile& profile) {
    constexpr std::size_t most_lines = 8;
    std::string text;
    const std::size_t num_lines = std::min(profile.topologies.size(), most_lines);
    for (const ProcessTopology& topology : std::span(profile.topologies).first(num_lines)) {
        text += topology.dims.empty() ? "graph        " : "grid         ";
        for (std::size_t i = 0; i < topology.dims.size(); ++i)
            text += fmt::format("{}{}", i > 0 ? " x " : "", topology.dims[i]);
        if (topology.dims.empty()) {
            std::size_t edges = 0;
            for (const std::vector<RankId>& of_member : topology.destinations)
                edges += of_member.size();
            text += fmt::format("{} edges", edges);
        }
        const auto periodic = std::count(topology.periodic.begin(), topology.periodic.end(), 1);
        if (periodic > 0)
            text += periodic == static_cast<std::ptrdiff_t>(topology.dims.size())
                        ? ", periodic in all directions"
                        : fmt::format(", periodic in {} of them", periodic);
        text += fmt::format(", on {} ranks\n", profile.communicators[topology.communicator].size());
    }
    if (const std::size_t others = profile.topologies.size() - num_lines; others > 0)
        text += fmt::format("             and {} other grids and graphs\n", others);
    return text;
}

}  // namespace

std::string profile_summary(const Profile& profile) {
    std::size_t pairs = 0;
    double wall = 0.0;
    double mpi = 0.0;
    for (const ProfileRank& rank : profile.ranks) {
        wall = std::max(wall, rank.wall_s);
        mpi += rank.wall_s > 0.0 ? rank.mpi_s / rank.wall_s : 0.0;
    }
    const Phase whole = whole_run(profile);
    const TrafficSum sent = sum_of(whole.sent.cells());
    for (RankId rank = 0; rank < profile.num_ranks(); ++rank)
        pairs += peers_of(whole.sent.sent_by(rank)).size();
    std::string text = fmt::format(
        "command      {}\n"
        "identity     {}\n"
        "MPI          {}\n"
        "ranks        {} on {} nodes\n"
        "wall time    {:.3f} s, {:.1f} % of it in MPI (mean over ranks)\n"
        "messages     {}, {}, {} pairs of ranks\n",
        one_line(profile.command), one_line(profile.application_id), one_line(profile.mpi_library),
        profile.num_ranks(), profile.nodes.size(), wall,
        profile.ranks.empty() ? 0.0 : 100.0 * mpi / static_cast<double>(profile.ranks.size()),
        sent.count, format_bytes(static_cast<double>(sent.bytes)), pairs);
    text += sizes_of(whole) + losses_of(profile) + programs_of(profile);
    if (profile.runs > 1)
        text += fmt::format("runs         {}, this is their mean\n", profile.runs);
    if (!profile.complete)
        text += profile.missing.empty()
                    ? "partial      the run was ended before every rank came to MPI_Finalize\n"
                    : fmt::format("partial      {} ranks recorded nothing:{}\n",
                                  profile.missing.size(), missing_ranks(profile));
    text += calls_of(profile) + waits_of(profile) + open_sends_of(profile) +
            early_messages_of(profile) + files_of(profile) + phases_of(profile) +
            topologies_of(profile);
    for (const CollectiveRecord& record : whole.collectives) {
        const std::string root = record.root == no_id ? "" : fmt::format(", root {}", record.root);
        text += fmt::format("collective   {} on {} ranks{}: {} calls of {} B\n",
                            collective_name(record.op),
                            profile.communicators[record.communicator].size(), root, record.calls,
                            record.bytes_per_call());
    }
    return text;
}

}  // namespace commmap::cli
