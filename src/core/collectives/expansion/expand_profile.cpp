// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/collectives/expansion/choose_schedule.hpp"
#include "core/collectives/expansion/expand_profile.hpp"

namespace commmap {

namespace {

Error too_many(std::size_t max_messages) {
    return {Errc::out_of_range,
            fmt::format("the profile's messages and those of its collectives are more than {}",
                        max_messages)};
}

/// Sums of all counts and all bytes. If these sums fit into 64 bits, no partial sum can wrap round.
class PeerTraffic {
public:
    [[nodiscard]] bool add(std::uint64_t count, std::uint64_t bytes) {
        return !__builtin_add_overflow(count_, count, &count_) &&
               !__builtin_add_overflow(bytes_, bytes, &bytes_);
    }

private:
    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

std::vector<std::uint32_t> tasks_of_run(const Profile& profile) {
    std::vector<std::uint32_t> tasks(profile.nodes.size(), 0);
    for (const ProfileRank& rank : profile.ranks)
        if (rank.node < tasks.size()) ++tasks[rank.node];
    return tasks;
}

/// Turns collective calls into point-to-point messages.
class Expansion {
public:
    Expansion(const Profile& profile, const CollectiveChoice& choice, std::size_t max_messages,
              PeerTraffic totals)
        : profile_(profile),
          schedules_(profile, choice),
          max_messages_(max_messages),
          totals_(totals) {}

    Status add(const CollectiveRecord& record) {
        if (record.in_peer_traffic || record.calls == 0) return Ok{};
        if (record.communicator >= profile_.communicators.size()) {
            return Error{Errc::corrupt,
                         fmt::format("a {} names communicator {}, which the profile does not have",
                                     collective_name(record.op), record.communicator)};
        }
        const std::vector<RankId>& members = profile_.communicators[record.communicator];
        CollectiveCall call{static_cast<std::uint32_t>(members.size()), 0, record.bytes_per_call()};
        if (members.size() < 2) return Ok{};
        if (record.root != no_id) {
            const auto root = std::find(members.begin(), members.end(), record.root);
            if (root == members.end()) {
                return Error{Errc::corrupt,
                             fmt::format("the root of a {}, rank {}, is not in its communicator",
                                         collective_name(record.op), record.root)};
            }
            call.root = static_cast<std::uint32_t>(root - members.begin());
        }
        const ScheduleInfo* const in_one_level = schedules_.algorithm(record.op, call);
        if (in_one_level == nullptr) return Ok{};
        const ScheduleInfo& algorithm = *in_one_level;
        // Checks the limit first, because this schedule grows with the square of the members.
        if (algorithm.all_pairs && members.size() * (members.size() - 1) > max_messages_)
            return too_many(max_messages_);
        const Error too_large{
            Errc::out_of_range,
            fmt::format("{} calls of a {} with {} bytes are more than 64 bits can count",
                        record.calls, collective_name(record.op), record.bytes_per_call())};
        // No message of a schedule has more bytes than the payloads of all members together.
        std::uint64_t whole = 0;
        if (__builtin_mul_overflow(record.bytes_per_call(), members.size(), &whole))
            return too_large;
        schedule_.clear();
        algorithm.expand(call, schedule_);
        if (messages_.size() + schedule_.size() > max_messages_) return too_many(max_messages_);
        for (const ScheduledMessage& m : schedule_) {
            Message sum{members[m.source], members[m.destination], 0, 0};
            if (__builtin_mul_overflow(m.count, record.calls, &sum.count) ||
                __builtin_mul_overflow(m.bytes, sum.count, &sum.bytes) ||
                !totals_.add(sum.count, sum.bytes)) {
                return too_large;
            }
            messages_.push_back(sum);
        }
        return Ok{};
    }
    [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }

private:
    const Profile& profile_;
    CollectiveSchedules schedules_;
    std::size_t max_messages_;
    PeerTraffic totals_;
    std::vector<ScheduledMessage> schedule_;
    std::vector<Message> messages_;
};

}  // namespace

CollectiveSchedules::CollectiveSchedules(const Profile& profile, const CollectiveChoice& choice)
    : rules_(choice.rules.value_or(rules_of(profile))), num_ranks_(profile.num_ranks()) {
    std::vector<std::uint32_t> tasks =
        choice.tasks_per_node.empty() ? tasks_of_run(profile) : choice.tasks_per_node;
    std::erase(tasks, 0U);
    if (tasks.size() < 2) return;
    const auto [fewest, most] = std::minmax_element(tasks.begin(), tasks.end());
    nodes_are_shared_ = *most > 1;
    nodes_are_equal_ = *fewest == *most;
}

const ScheduleInfo* CollectiveSchedules::algorithm(CollectiveOp op,
                                                   const CollectiveCall& call) const {
    if (nodes_are_shared_ && call.num_members == num_ranks_ &&
        has_two_levels(rules_, op, call, nodes_are_equal_))
        return nullptr;
    return &choose_schedule(rules_, op, call);
}

namespace {

/// @param sent  matrices of which the sum is the point-to-point traffic
Result<CommGraph> expand(const Profile& profile, std::vector<const TrafficMatrix*> sent,
                         std::span<const CollectiveRecord> collectives, std::size_t max_messages,
                         const CollectiveChoice& choice) {
    PeerTraffic totals;
    for (const TrafficMatrix* matrix : sent)
        for (const TrafficCell& cell : matrix->cells())
            if (!totals.add(cell.count, cell.bytes))
                return Error{Errc::corrupt,
                             "the profile's messages are more than 64 bits can count"};
    // The limit is on the messages that collectives add, because the recorded ones exist anyway.
    Expansion expansion(profile, choice, max_messages, totals);
    for (const CollectiveRecord& record : collectives)
        if (Status s = expansion.add(record); !s) return s.error();
    const TrafficMatrix expanded = rows_of(profile.num_ranks(), expansion.messages());
    if (expanded.num_cells() > 0) sent.push_back(&expanded);
    if (sent.size() == 1) return CommGraph(*sent[0], profile.num_ranks());
    return CommGraph(sum_of(sent, profile.num_ranks()), profile.num_ranks());
}

}  // namespace

Result<CommGraph> expand_profile(const Profile& profile, std::size_t max_messages,
                                 const CollectiveChoice& choice) {
    std::vector<const TrafficMatrix*> sent;
    sent.reserve(profile.phases.size());
    for (const Phase& phase : profile.phases) sent.push_back(&phase.sent);
    return expand(profile, std::move(sent), whole_collectives(profile), max_messages, choice);
}

Result<CommGraph> expand_part(const Profile& profile, const TrafficMatrix& sent,
                              std::span<const CollectiveRecord> collectives,
                              std::size_t max_messages, const CollectiveChoice& choice) {
    return expand(profile, {&sent}, collectives, max_messages, choice);
}

}  // namespace commmap
