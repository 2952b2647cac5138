// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/steps/steps.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace commmap {
namespace {

/// Number of a step, from 0 on. The rest of the run, which is in no step, has the next number.
using StepNumber = std::uint32_t;

/// The number of a rank's rounds with one signature in each step.
using Shares = std::map<StepNumber, std::uint64_t>;

/// Divides an amount in proportion to shares. The parts are whole numbers and add up to the amount.
class Division {
public:
    Division(std::uint64_t amount, const Shares& shares) : amount_(amount) {
        for (const auto& [step, share] : shares) all_ += share;
    }
    /// Returns the part for the next share. Call it with all shares in their order.
    std::uint64_t next(std::uint64_t share) {
        before_ += share;
        __extension__ using Wide = unsigned __int128;
        const auto until = static_cast<std::uint64_t>(Wide{amount_} * before_ / all_);
        return until - std::exchange(given_, until);
    }

private:
    std::uint64_t amount_;
    std::uint64_t all_ = 0;
    std::uint64_t before_ = 0;
    std::uint64_t given_ = 0;
};

/// Returns the bytes, plus a constant for each message or call.
double weight_of(std::uint64_t count, std::uint64_t bytes) {
    constexpr double bytes_a_message = 100.0;
    return static_cast<double>(bytes) + bytes_a_message * static_cast<double>(count);
}

/// Calls take(source, cell) for each cell of a rank's signature, with the data's destination as the
/// cell's peer. Fetched data come from the peer, so `rank` becomes the cell's peer.
template <class Take>
void for_each_cell(RankId rank, const Signature& signature, Take&& take) {
    for (const auto* cells : {&signature.sent, &signature.put})
        for (const TrafficCell& cell : *cells) take(rank, cell);
    for (TrafficCell cell : signature.fetched) {
        const RankId from = std::exchange(cell.peer, rank);
        take(from, cell);
    }
}

class Steps {
public:
    Steps(const Profile& profile, std::vector<StepKind> kinds)
        : profile_(profile),
          rounds_(profile.rounds.ranks),
          kinds_(std::move(kinds)),
          num_rounds_(rounds_.size()),
          out_(rounds_.size()),
          in_(rounds_.size()) {
        for (RankId rank = 0; rank < rounds_.size(); ++rank)
            num_rounds_[rank].resize(rounds_[rank].signatures.size());
        for (const StepKind& kind : kinds_)
            for (const StepMember& member : kind.members)
                num_rounds_[member.rank][member.signature] += kind.count;
    }

    std::vector<Step> build(std::size_t most) {
        join(most);
        rows_.assign(steps_.size(), std::vector<std::vector<TrafficCell>>(rounds_.size()));
        calls_.resize(steps_.size());
        for (Step& step : steps_) step.sending_rounds.assign(rounds_.size(), 0.0);
        const auto shares = all_shares();
        for (RankId rank = 0; rank < rounds_.size(); ++rank) divide(rank, shares[rank]);
        for (StepNumber step = 0; step < steps_.size(); ++step) {
            for (auto& row : rows_[step]) {
                row.resize(reduce_by_key(row));
                steps_[step].sent.add_row(row);
            }
            add_collectives(step);
        }
        add_rest();
        return std::move(steps_);
    }

private:
    /// Returns the largest weight that leaves or enters a rank in steps of this kind. A collective
    /// counts with its payload, as if its members sent the payload.
    [[nodiscard]] double weight_of_kind(const StepKind& kind) {
        double most = 0.0;
        touched_.clear();
        const auto add = [&](std::vector<double>& to, RankId rank, double weight) {
            to[rank] += weight;
            touched_.push_back(rank);
            most = std::max(most, to[rank]);
        };
        for (const StepMember& member : kind.members) {
            const Signature& signature = rounds_[member.rank].signatures[member.signature];
            const double share = static_cast<double>(kind.count) /
                                 static_cast<double>(num_rounds_[member.rank][member.signature]);
            for_each_cell(member.rank, signature, [&](RankId from, const TrafficCell& cell) {
                add(out_, from, share * weight_of(cell.count, cell.bytes));
                add(in_, cell.peer, share * weight_of(cell.count, cell.bytes));
            });
            for (const Signature::Begun& begun : signature.collectives)
                add(out_, member.rank, share * weight_of(begun.calls, begun.bytes));
        }
        for (const RankId rank : touched_) out_[rank] = in_[rank] = 0.0;
        return most;
    }

    /// Gives each kind a step. Kinds with a small part of the run's weight share steps; that part
    /// doubles until there are at most max(most, 2) steps.
    void join(std::size_t most) {
        std::vector<double> weights;
        double all = 0.0;
        for (const StepKind& kind : kinds_) all += weights.emplace_back(weight_of_kind(kind));
        for (double least = 0.01;; least *= 2.0) {
            steps_.clear();
            step_of_kind_.clear();
            StepNumber open = no_id;  // the step that takes kinds of little weight
            double in_open = 0.0;
            for (std::size_t i = 0; i < kinds_.size(); ++i) {
                StepNumber step = static_cast<StepNumber>(steps_.size());
                if (weights[i] > 0.0 && weights[i] >= least * all) {
                    steps_.emplace_back();
                } else {
                    if (open == no_id) {
                        open = step;
                        in_open = 0.0;
                        steps_.emplace_back();
                    }
                    step = open;
                    in_open += weights[i];
                    if (in_open > 0.0 && in_open >= least * all) open = no_id;
                }
                steps_[step].count += kinds_[i].count;
                step_of_kind_.push_back(step);
            }
            if (steps_.size() <= std::max<std::size_t>(most, 2) || least > 1.0) return;
        }
    }

    /// Returns the shares by rank and signature.
    [[nodiscard]] std::vector<std::vector<Shares>> all_shares() const {
        std::vector<std::vector<Shares>> shares(rounds_.size());
        for (RankId rank = 0; rank < rounds_.size(); ++rank)
            shares[rank].resize(rounds_[rank].signatures.size());
        for (std::size_t i = 0; i < kinds_.size(); ++i)
            for (const StepMember& member : kinds_[i].members)
                shares[member.rank][member.signature][step_of_kind_[i]] += kinds_[i].count;
        return shares;
    }

    void divide(RankId rank, const std::vector<Shares>& shares_of) {
        std::map<std::pair<StepNumber, std::uint32_t>, std::uint64_t> calls;
        for (std::size_t s = 0; s < shares_of.size(); ++s) {
            const Signature& signature = rounds_[rank].signatures[s];
            const Shares& shares = shares_of[s];
            if (shares.empty()) continue;
            for_each_cell(rank, signature, [&](RankId from, const TrafficCell& cell) {
                divide(cell, shares, [&](StepNumber step, const TrafficCell& part) {
                    rows_[step][from].push_back(part);
                });
            });
            for (const Signature::Begun& begun : signature.collectives) {
                Division of_calls(begun.calls, shares);
                Division of_bytes(begun.bytes, shares);
                for (const auto& [step, share] : shares) {
                    Calls& sum = calls_[step][begun.collective];
                    const std::uint64_t part = of_calls.next(share);
                    sum.member_calls += part;
                    sum.member_bytes += of_bytes.next(share);
                    calls[{step, begun.collective}] += part;
                }
            }
            if (signature.sent.empty() && signature.put.empty()) continue;
            double all = 0.0;
            for (const auto& [step, share] : shares) all += static_cast<double>(share);
            for (const auto& [step, share] : shares)
                steps_[step].sending_rounds[rank] +=
                    static_cast<double>(signature.rounds) * static_cast<double>(share) / all;
        }
        for (const auto& [what, count] : calls) {
            Calls& sum = calls_[what.first][what.second];
            sum.most = std::max(sum.most, count);
        }
    }

    /// Divides a cell's messages by the shares, and its bytes by the messages that each step gets.
    template <class Take>
    static void divide(const TrafficCell& cell, const Shares& shares, Take&& take) {
        Division of_count(cell.count, shares);
        Shares counts;
        for (const auto& [step, share] : shares)
            if (const std::uint64_t count = of_count.next(share); count > 0) counts[step] = count;
        Division of_bytes(cell.bytes, counts);
        for (const auto& [step, count] : counts)
            take(step, TrafficCell{cell.peer, cell.bucket, count, of_bytes.next(count)});
    }

    /// Returns the bucket in CollectiveRecord's sense: 0 for collectives in the peers' traffic.
    static std::uint8_t bucket_of(const RoundCollective& kind) {
        return kind.in_peer_traffic ? std::uint8_t{0} : kind.bucket;
    }

    void add_collectives(StepNumber step) {
        for (const auto& [number, sum] : calls_[step]) {
            if (sum.member_calls == 0) continue;
            const RoundCollective& kind = profile_.rounds.collectives[number];
            steps_[step].collectives.push_back({.op = kind.op,
                                                .communicator = kind.communicator,
                                                .root = kind.root,
                                                .calls = sum.most,
                                                .member_calls = sum.member_calls,
                                                .member_bytes = sum.member_bytes,
                                                .in_peer_traffic = kind.in_peer_traffic,
                                                .bucket = bucket_of(kind)});
        }
    }

    /// Scales the steps' messages so that with the rest they add up to the profile's.
    ///
    /// The profile may be the mean of several runs, but the rounds are those of one run. So each
    /// amount of the profile is divided as that one run's amount. Messages in no step are the rest.
    void add_rest() {
        const Phase whole = whole_run(profile_);
        const auto rest_number = static_cast<StepNumber>(steps_.size());
        steps_.emplace_back();
        const std::vector<std::vector<TrafficCell>> in_rounds =
            profile_.runs > 1 ? rows_of_rounds() : std::vector<std::vector<TrafficCell>>();
        std::vector<TrafficMatrix> sent(steps_.size());
        for (RankId rank = 0; rank < rounds_.size(); ++rank) {
            std::map<std::uint64_t, Shares> shares;
            for (StepNumber step = 0; step < rest_number; ++step)
                for (const TrafficCell& cell : steps_[step].sent.sent_by(rank))
                    shares[cell.key()][step] += cell.count;
            std::map<std::uint64_t, std::uint64_t> all;  // messages of the run that has the rounds
            for (const TrafficCell& cell : profile_.runs > 1
                                               ? std::span<const TrafficCell>(in_rounds[rank])
                                               : whole.sent.sent_by(rank))
                all[cell.key()] += cell.count;
            std::vector<std::vector<TrafficCell>> rows(steps_.size());
            for (const TrafficCell& cell : whole.sent.sent_by(rank)) {
                Shares& of_cell = shares[cell.key()];
                std::uint64_t in_steps = 0;
                for (const auto& [step, count] : of_cell) in_steps += count;
                const std::uint64_t known = all[cell.key()];
                if (known > in_steps || of_cell.empty())
                    of_cell[rest_number] = std::max<std::uint64_t>(1, known - in_steps);
                divide(cell, of_cell, [&](StepNumber step, const TrafficCell& part) {
                    rows[step].push_back(part);
                });
            }
            for (StepNumber step = 0; step < steps_.size(); ++step) sent[step].add_row(rows[step]);
        }
        for (StepNumber step = 0; step < steps_.size(); ++step)
            steps_[step].sent = std::move(sent[step]);
        add_rest_of_collectives(whole);
        const Step& rest = steps_.back();
        if (rest.sent.num_cells() == 0 && rest.collectives.empty()) steps_.pop_back();
    }

    /// Returns by rank what the rank sends in all its rounds.
    [[nodiscard]] std::vector<std::vector<TrafficCell>> rows_of_rounds() const {
        std::vector<std::vector<TrafficCell>> rows(rounds_.size());
        for (RankId rank = 0; rank < rounds_.size(); ++rank)
            for (const Signature& signature : rounds_[rank].signatures)
                for_each_cell(rank, signature, [&](RankId from, const TrafficCell& cell) {
                    rows[from].push_back(cell);
                });
        for (auto& row : rows) row.resize(reduce_by_key(row));
        return rows;
    }

    void add_rest_of_collectives(const Phase& whole) {
        std::map<CollectiveRecord::Key, CollectiveRecord> left;
        for (const CollectiveRecord& record : whole.collectives) left[record.key()] = record;
        const auto find = [&](const CollectiveRecord& record) {
            const auto at = left.find(record.key());
            if (at != left.end()) return at;
            // A file without size buckets has one record for all sizes, with the mean's bucket.
            return std::find_if(left.begin(), left.end(), [&](const auto& one) {
                CollectiveRecord as_one = record;
                as_one.bucket = one.second.bucket;
                return as_one.key() == one.first;
            });
        };
        for (Step& step : steps_)
            for (CollectiveRecord& record : step.collectives) {
                // The mean of several runs may have fewer calls than the run that has the rounds.
                const auto at = find(record);
                CollectiveRecord none;
                CollectiveRecord& of = at == left.end() ? none : at->second;
                record.calls = std::min(of.calls, record.calls);
                record.member_calls = std::min(of.member_calls, record.member_calls);
                record.member_bytes = std::min(of.member_bytes, record.member_bytes);
                of.calls -= record.calls;
                of.member_calls -= record.member_calls;
                of.member_bytes -= record.member_bytes;
            }
        for (Step& step : steps_)
            std::erase_if(step.collectives,
                          [](const CollectiveRecord& record) { return record.member_calls == 0; });
        for (const auto& [key, record] : left)
            if (record.member_calls > 0) steps_.back().collectives.push_back(record);
    }

    struct Calls {
        std::uint64_t most = 0;  ///< the largest number of calls of one member
        std::uint64_t member_calls = 0;
        std::uint64_t member_bytes = 0;
    };

    const Profile& profile_;
    const std::vector<RankRounds>& rounds_;
    std::vector<StepKind> kinds_;
    std::vector<std::vector<std::uint64_t>> num_rounds_;  ///< in kinds_, by rank and signature
    std::vector<StepNumber> step_of_kind_;
    std::vector<Step> steps_;
    std::vector<std::vector<std::vector<TrafficCell>>> rows_;  ///< by step and rank
    std::vector<std::map<std::uint32_t, Calls>> calls_;        ///< by step and collective
    std::vector<double> out_;  ///< scratch of weight_of_kind(), by rank; 0 between its calls
    std::vector<double> in_;
    std::vector<RankId> touched_;
};

}  // namespace

std::vector<Step> steps_of(const Profile& profile, std::vector<StepKind> kinds, std::size_t most) {
    return Steps(profile, std::move(kinds)).build(most);
}

}  // namespace commmap
