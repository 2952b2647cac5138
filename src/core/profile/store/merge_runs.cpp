// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/merge_runs.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/profile/format/profile_codec.hpp"

namespace commmap {
namespace {

/// A weighted mean of whole numbers, which neither loses a bit nor overflows.
class Mean {
public:
    void add(std::uint64_t value, std::uint64_t weight, std::uint64_t all) {
        whole_ += value / all * weight;
        rest_ += value % all * weight;
    }
    [[nodiscard]] std::uint64_t of(std::uint64_t all) const {
        const std::uint64_t mean = whole_ + (rest_ + all / 2) / all;
        return mean == 0 && rest_ != 0 ? 1 : mean;
    }

private:
    std::uint64_t whole_ = 0;
    std::uint64_t rest_ = 0;  ///< below all * all
};

/// One phase of one run.
struct Part {
    const Phase* phase;
    const std::vector<std::uint32_t>* communicators;  ///< merged index, by the run's index
    std::uint64_t weight;
};

TrafficMatrix mean_traffic(const std::vector<Part>& parts, std::size_t num_ranks,
                           std::uint64_t all) {
    struct Weighed {
        TrafficCell cell;
        std::uint64_t weight;
    };
    TrafficMatrix mean;
    std::vector<Weighed> cells;
    std::vector<TrafficCell> row;
    for (RankId rank = 0; rank < num_ranks; ++rank) {
        cells.clear();
        row.clear();
        for (const Part& part : parts)
            for (const TrafficCell& cell : part.phase->sent.sent_by(rank))
                cells.push_back({cell, part.weight});
        std::sort(cells.begin(), cells.end(),
                  [](const Weighed& a, const Weighed& b) { return a.cell.key() < b.cell.key(); });
        for (auto begin = cells.begin(); begin != cells.end();) {
            TrafficCell cell = begin->cell;
            Mean count;
            Mean bytes;
            for (; begin != cells.end() && begin->cell.key() == cell.key(); ++begin) {
                count.add(begin->cell.count, begin->weight, all);
                bytes.add(begin->cell.bytes, begin->weight, all);
            }
            cell.count = count.of(all);
            cell.bytes = bytes.of(all);
            row.push_back(cell);
        }
        mean.add_row(row);
    }
    return mean;
}

std::vector<CollectiveRecord> mean_collectives(const std::vector<Part>& parts, std::uint64_t all) {
    struct Means {
        Mean calls;
        Mean member_calls;
        Mean member_bytes;
    };
    std::map<CollectiveRecord::Key, Means> means;
    for (const Part& part : parts)
        for (CollectiveRecord record : part.phase->collectives) {
            record.communicator = (*part.communicators)[record.communicator];
            Means& to = means[record.key()];
            to.calls.add(record.calls, part.weight, all);
            to.member_calls.add(record.member_calls, part.weight, all);
            to.member_bytes.add(record.member_bytes, part.weight, all);
        }
    std::vector<CollectiveRecord> collectives;
    for (const auto& [key, mean] : means) {
        CollectiveRecord& record = collectives.emplace_back();
        std::tie(record.communicator, record.op, record.root, record.in_peer_traffic,
                 record.bucket) = key;
        record.calls = mean.calls.of(all);
        record.member_calls = mean.member_calls.of(all);
        record.member_bytes = mean.member_bytes.of(all);
    }
    return collectives;
}

/// Returns the mean times of each rank. Empty: some run does not have such times.
std::vector<PhaseTime> mean_rank_times(const std::vector<Part>& parts, std::size_t num_ranks,
                                       std::uint64_t all) {
    for (const Part& part : parts)
        if (part.phase->rank_times.size() != num_ranks) return {};
    std::vector<PhaseTime> mean(num_ranks);
    for (RankId rank = 0; rank < num_ranks; ++rank) {
        double wall_s = 0.0;
        double mpi_s = 0.0;
        for (const Part& part : parts) {
            const double share = static_cast<double>(part.weight) / static_cast<double>(all);
            wall_s += share * static_cast<double>(part.phase->rank_times[rank].wall_s);
            mpi_s += share * static_cast<double>(part.phase->rank_times[rank].mpi_s);
        }
        mean[rank] = {static_cast<float>(wall_s), static_cast<float>(mpi_s)};
    }
    return mean;
}

Phase mean_phase(const std::vector<Part>& parts, std::size_t num_ranks, std::uint64_t all) {
    Phase mean;
    mean.label = parts.front().phase->label;
    mean.times = parts.front().phase->times;
    Mean entered;
    for (const Part& part : parts) {
        const double share = static_cast<double>(part.weight) / static_cast<double>(all);
        mean.wall_s += share * part.phase->wall_s;
        mean.mpi_s += share * part.phase->mpi_s;
        entered.add(part.phase->entered, part.weight, all);
    }
    mean.entered = entered.of(all);
    mean.rank_times = mean_rank_times(parts, num_ranks, all);
    mean.sent = mean_traffic(parts, num_ranks, all);
    mean.collectives = mean_collectives(parts, all);
    return mean;
}

/// Matches the phases of the runs by label. The phases keep the order of the first run that has
/// them.
std::vector<std::vector<Part>> matched(const std::vector<std::vector<Part>>& runs) {
    std::vector<std::vector<Part>> phases;
    std::map<std::pair<std::string, std::size_t>, std::size_t>
        known;  // a label, and which phase of that label
    for (const std::vector<Part>& run : runs) {
        std::map<std::string, std::size_t> seen;
        for (const Part& part : run) {
            const std::string& label = part.phase->label;
            const auto [phase, is_new] = known.try_emplace({label, seen[label]++}, phases.size());
            if (is_new) phases.emplace_back();
            phases[phase->second].push_back(part);
        }
    }
    return phases;
}

bool are_comparable(const std::vector<Profile>& runs) {
    const bool sliced = runs.front().slice_s > 0.0;
    return std::all_of(runs.begin(), runs.end(), [&](const Profile& run) {
        return (run.slice_s > 0.0) == sliced &&
               (!sliced || run.phases.size() == runs.front().phases.size());
    });
}

/// Joins lists of names. add() returns the indices of its names in the joined list.
class Names {
public:
    std::vector<std::uint32_t> add(const std::vector<std::string>& names) {
        std::vector<std::uint32_t> indices;
        for (const std::string& name : names) {
            const auto [known, is_new] =
                known_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
            if (is_new) names_.push_back(name);
            indices.push_back(known->second);
        }
        return indices;
    }
    std::vector<std::string> take() { return std::move(names_); }

private:
    std::map<std::string, std::uint32_t> known_;
    std::vector<std::string> names_;
};

/// Tells whether a run has waits. A run has none if it was recorded without times, or by an older
/// recorder.
bool has_waits(const Profile& run) {
    return std::ranges::any_of(run.ranks,
                               [](const ProfileRank& rank) { return !rank.waits.empty(); });
}

void mean_ranks(std::vector<Profile>& runs, Profile& mean, std::uint64_t all) {
    Names names;
    std::vector<std::vector<std::uint32_t>> indices;
    indices.reserve(runs.size());
    for (const Profile& run : runs) indices.push_back(names.add(run.call_names));
    const bool have_waits = std::ranges::all_of(runs, has_waits);
    for (RankId rank = 0; rank < mean.num_ranks(); ++rank) {
        ProfileRank& to = mean.ranks[rank];
        to.open_sends = std::move(runs.front().ranks[rank].open_sends);
        to.early_messages = runs.front().ranks[rank].early_messages;
        to.node = runs.front().ranks[rank].node;
        to.locality = runs.front().ranks[rank].locality;
        to.program = runs.front().ranks[rank].program;
        to.cpus = std::move(runs.front().ranks[rank].cpus);
        struct Sums {
            double seconds = 0.0;
            Mean count;
            Mean bytes;
        };
        std::map<std::uint32_t, Sums> calls;
        std::map<RankId, Sums> waits;
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const ProfileRank& from = runs[run].ranks[rank];
            const double share = static_cast<double>(runs[run].runs) / static_cast<double>(all);
            to.wall_s += share * from.wall_s;
            to.mpi_s += share * from.mpi_s;
            for (const CallTime& time : from.calls) {
                Sums& sums = calls[indices[run][time.call]];
                sums.seconds += share * static_cast<double>(time.seconds);
                sums.count.add(time.count, runs[run].runs, all);
                sums.bytes.add(time.bytes, runs[run].runs, all);
            }
            if (!have_waits) continue;
            for (const PeerWait& wait : from.waits) {
                Sums& sums = waits[wait.peer];
                sums.seconds += share * static_cast<double>(wait.seconds);
                sums.count.add(wait.calls, runs[run].runs, all);
            }
        }
        for (const auto& [call, sums] : calls)
            to.calls.push_back(
                {call, static_cast<float>(sums.seconds), sums.count.of(all), sums.bytes.of(all)});
        for (const auto& [peer, sums] : waits)
            to.waits.push_back({peer, static_cast<float>(sums.seconds), sums.count.of(all)});
    }
    mean.call_names = names.take();
}

/// Joins the runs' lists of communicators.
/// @return  index of each communicator in the joined list, as [run][communicator]
std::vector<std::vector<std::uint32_t>> join_communicators(std::vector<Profile>& runs,
                                                           Profile& mean) {
    std::map<std::vector<RankId>, std::uint32_t> known;
    std::vector<std::vector<std::uint32_t>> indices(runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run)
        for (std::vector<RankId>& members : runs[run].communicators) {
            const auto next = static_cast<std::uint32_t>(known.size());
            indices[run].push_back(known.try_emplace(std::move(members), next).first->second);
        }
    mean.communicators.resize(known.size());
    while (!known.empty()) {
        auto node = known.extract(known.begin());
        mean.communicators[node.mapped()] = std::move(node.key());
    }
    return indices;
}

}  // namespace

Profile merge_runs(std::vector<Profile> runs) {
    assert(!runs.empty() && "no runs");
    if (runs.size() == 1) return std::move(runs.front());
    Profile& first = runs.front();
    Profile mean;
    mean.application_id = std::move(first.application_id);
    mean.command = std::move(first.command);
    mean.mpi_library = std::move(first.mpi_library);
    mean.recorder_version = std::move(first.recorder_version);
    mean.recorded_unix_s = first.recorded_unix_s;
    mean.job_id = first.job_id;
    mean.step_id = first.step_id;
    mean.nodes = std::move(first.nodes);
    mean.localities = std::move(first.localities);
    mean.programs = std::move(first.programs);
    mean.ranks.resize(first.num_ranks());
    std::uint64_t all = 0;
    for (const Profile& run : runs) {
        assert(run.num_ranks() == mean.num_ranks() && "runs of different sizes");
        all += run.runs;
        mean.phases_lost = mean.phases_lost || run.phases_lost;
        mean.complete = mean.complete && run.complete;
        mean.missing.insert(mean.missing.end(), run.missing.begin(), run.missing.end());
    }
    std::sort(mean.missing.begin(), mean.missing.end());
    mean.missing.erase(std::unique(mean.missing.begin(), mean.missing.end()), mean.missing.end());
    mean.runs = static_cast<std::uint32_t>(std::min<std::uint64_t>(all, max_profile_runs));

    mean_ranks(runs, mean, all);
    const auto communicators = join_communicators(runs, mean);
    // The first run's communicators keep their numbers, unless a made-up file has a communicator
    // twice.
    if (std::is_sorted(communicators.front().begin(), communicators.front().end(),
                       std::less_equal<>())) {
        mean.rounds = std::move(first.rounds);
        mean.topologies = std::move(first.topologies);
    }
    const auto parts_of = [&](std::size_t run, const std::vector<Phase>& phases) {
        std::vector<Part> parts;
        parts.reserve(phases.size());
        for (const Phase& phase : phases)
            parts.push_back({&phase, &communicators[run], runs[run].runs});
        return parts;
    };
    std::vector<std::vector<Part>> parts;
    parts.reserve(runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run)
        parts.push_back(parts_of(run, runs[run].phases));
    auto phases = matched(parts);
    if (are_comparable(runs) && phases.size() <= max_profile_phases) {
        mean.slice_s = first.slice_s;
        for (const std::vector<Part>& phase : phases)
            mean.phases.push_back(mean_phase(phase, mean.num_ranks(), all));
        return mean;
    }
    std::vector<std::vector<Phase>> wholes(runs.size());
    std::vector<Part> whole;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        wholes[run].push_back(whole_run(runs[run]));
        whole.push_back(parts_of(run, wholes[run]).front());
    }
    mean.phases.push_back(mean_phase(whole, mean.num_ranks(), all));
    return mean;
}

}  // namespace commmap
