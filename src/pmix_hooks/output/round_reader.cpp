// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/output/round_reader.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/profile/rounds_checks.hpp"
#include "pmix_hooks/rounds/round_event.hpp"

namespace commmap::hooks {
namespace {

class RoundLogReader {
public:
    RoundLogReader(const MemoryView& view, const RoundLog& log, const RoundNumbers& numbers,
                   double ticks_per_s)
        : view_(view), log_(log), numbers_(numbers), ticks_per_s_(ticks_per_s) {}

    std::optional<RankRounds> read() {
        RankRounds rounds;
        const std::uint32_t size = log_.num_signatures.load();
        const std::uint32_t listed = log_.num_listed.load();
        if (size > RoundLog::most_signatures || listed > RoundLog::most_listed) return std::nullopt;
        collect_collectives(size);
        for (std::uint32_t i = 0; i < size; ++i) {
            auto signature = read(log_.signatures[i]);
            if (!signature) return std::nullopt;
            rounds.signatures.push_back(std::move(*signature));
        }
        rounds.other_rounds = log_.other_rounds.value();
        rounds.order.assign(log_.order, log_.order + listed);
        const std::uint32_t others = RoundLog::other;
        for (std::uint32_t from = 0; from <= others; ++from)
            for (std::uint32_t to = 0; to <= others; ++to)
                if (const std::uint64_t count = log_.successions[from][to].load(); count > 0)
                    rounds.successions.push_back(
                        {static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(to), count});
        rounds.unclear = log_.unclear.load() != 0;
        return rounds;
    }

    [[nodiscard]] std::vector<RoundCollective> collectives() const {
        std::vector<RoundCollective> all;
        for (const auto& [key, number] : collective_of_) {
            RoundCollective& collective = all.emplace_back();
            std::tie(collective.communicator, collective.op, collective.root,
                     collective.in_peer_traffic, collective.bucket) = key;
        }
        return all;
    }

private:
    using CollectiveKey = decltype(RoundCollective().key());

    /// Returns a signature's cells; nothing where they are not inside of the memory.
    /// Size and address are read once, for the task may still write there.
    std::optional<std::span<const SignatureCell>> cells_of(const SignatureRecord& record) const {
        const std::uint32_t size = record.num_cells.load();
        if (size == 0) return std::span<const SignatureCell>();
        const SignatureCell* cells =
            size > RoundLog::most_cells ? nullptr : view_.at(record.cells.load(), size);
        if (cells == nullptr) return std::nullopt;
        return std::span(cells, size);
    }

    [[nodiscard]] std::optional<CollectiveKey> key_of(std::uint64_t key) const {
        const auto known = numbers_.collectives.find(what_of(key));
        if (known == numbers_.collectives.end()) return std::nullopt;
        const RankRecord::Collective& collective = known->second;
        return CollectiveKey(collective.communicator, collective.op, collective.root,
                             collective.in_peer_traffic, static_cast<std::uint8_t>(bucket_of(key)));
    }

    /// Numbers all collectives that occur in rounds, in the order of their keys.
    void collect_collectives(std::uint32_t num_signatures) {
        for (std::uint32_t i = 0; i < num_signatures; ++i) {
            const auto cells = cells_of(log_.signatures[i]);
            if (!cells) continue;
            for (const SignatureCell& cell : *cells) {
                const std::uint64_t key = cell.key.load();
                if (act_of(key) != RoundAct::collective) continue;
                if (const auto kind = key_of(key)) collective_of_.emplace(*kind, 0);
            }
        }
        std::uint32_t next = 0;
        for (auto& [key, number] : collective_of_) number = next++;
    }

    [[nodiscard]] double seconds(std::uint64_t ticks) const {
        const double seconds = ticks_per_s_ > 0.0 ? static_cast<double>(ticks) / ticks_per_s_ : 0.0;
        return std::min(seconds, RankRecord::longest_s);
    }

    std::optional<Signature> read(const SignatureRecord& record) {
        Signature signature;
        signature.rounds = record.rounds.value();
        signature.seconds = seconds(record.ticks.value());
        signature.before_wait_s = seconds(record.before_wait_ticks.value());
        const auto cells = cells_of(record);
        if (!cells || signature.rounds == 0) return std::nullopt;
        std::map<std::uint32_t, Signature::Meeting> meetings;
        std::map<std::uint32_t, Signature::Begun> begun;
        for (const SignatureCell& cell : *cells) {
            const std::uint64_t key = cell.key.load();
            const std::uint64_t count = cell.count.value();
            const std::uint64_t bytes = cell.bytes.value();
            if (count == 0) continue;
            const std::uint32_t each = in_each_round(count, signature.rounds);
            const auto bucket = static_cast<std::uint32_t>(bucket_of(key));
            switch (act_of(key)) {
                case RoundAct::sent:
                    signature.sent.push_back({what_of(key), bucket, count, bytes});
                    break;
                case RoundAct::put:
                    signature.put.push_back({what_of(key), bucket, count, bytes});
                    break;
                case RoundAct::fetched:
                    signature.fetched.push_back({what_of(key), bucket, count, bytes});
                    break;
                case RoundAct::received:
                    if (each > 0) signature.received.push_back({what_of(key), each});
                    break;
                case RoundAct::collective: {
                    const auto kind = key_of(key);
                    if (!kind || !collective_of_.contains(*kind)) return std::nullopt;
                    const std::uint32_t number = collective_of_[*kind];
                    Signature::Begun& sum = begun[number];
                    sum = {number, sum.calls + count, sum.bytes + bytes};
                    break;
                }
                case RoundAct::begun:
                case RoundAct::completed: {
                    const auto known = numbers_.communicators.find(what_of(key));
                    if (known == numbers_.communicators.end()) return std::nullopt;
                    Signature::Meeting& meeting = meetings[known->second];
                    meeting.communicator = known->second;
                    (act_of(key) == RoundAct::begun ? meeting.begun : meeting.completed) += each;
                    break;
                }
                default:
                    return std::nullopt;
            }
        }
        for (auto* row : {&signature.sent, &signature.put, &signature.fetched})
            row->resize(reduce_by_key(*row));
        std::sort(signature.received.begin(), signature.received.end(),
                  [](const Signature::Received& a, const Signature::Received& b) {
                      return a.peer < b.peer;
                  });
        for (const auto& [number, sum] : begun) signature.collectives.push_back(sum);
        for (const auto& [communicator, meeting] : meetings) signature.meetings.push_back(meeting);
        return signature;
    }

    const MemoryView& view_;
    const RoundLog& log_;
    const RoundNumbers& numbers_;
    double ticks_per_s_;
    std::map<CollectiveKey, std::uint32_t> collective_of_;
};

}  // namespace

void read_rounds(const MemoryView& view, const RoundLog& log, const RoundNumbers& numbers,
                 double ticks_per_s, std::uint32_t num_ranks, RankRecord& record) {
    RoundLogReader reader(view, log, numbers, ticks_per_s);
    auto rounds = reader.read();
    std::vector<RoundCollective> collectives = reader.collectives();
    const RoundLimits limits{num_ranks, record.communicators.size(), collectives.size()};
    if (!rounds || !check_round_collectives(collectives, limits) ||
        !check_rounds("", *rounds, limits)) {
        record.rounds.unclear = true;
        return;
    }
    record.rounds = std::move(*rounds);
    record.round_collectives = std::move(collectives);
}

}  // namespace commmap::hooks
