#include <algorithm>
#include <string>

#include "core/collectives/schedule.hpp"

namespace commmap {

namespace {

Error too_many(std::size_t max_messages) {
    return {Errc::out_of_range,
            "the profile's messages and those of its collectives are more than " +
                std::to_string(max_messages)};
}

void add_point_to_point(const Profile& profile, std::vector<Message>& messages) {
    for (RankId source = 0; source < profile.ranks.size(); ++source) {
        for (const PeerTraffic& peer : profile.ranks[source].sent) {
            for (std::size_t b = 0; b < num_size_buckets; ++b) {
                if (peer.count[b] == 0) continue;
                messages.push_back({source, peer.peer, peer.count[b], peer.bytes[b]});
            }
        }
    }
}

}  // namespace

Result<CommGraph> expand_profile(const Profile& profile, std::size_t max_messages) {
    std::vector<Message> messages;
    add_point_to_point(profile, messages);
    // the limit is on what the collectives add: what was recorded is there anyway
    const std::size_t limit = messages.size() + max_messages;
    std::vector<ScheduledMessage> schedule;
    for (const CollectiveRecord& record : profile.collectives) {
        if (record.in_peer_traffic || record.calls == 0) continue;
        if (record.communicator >= profile.communicators.size()) {
            return Error{Errc::corrupt, std::string("a ") + collective_name(record.op) +
                                            " names communicator " +
                                            std::to_string(record.communicator) +
                                            ", which the profile does not have"};
        }
        const std::vector<RankId>& members = profile.communicators[record.communicator];
        CollectiveCall call{static_cast<std::uint32_t>(members.size()), 0, record.bytes_per_call};
        if (members.size() < 2) continue;
        if (record.root != no_id) {
            const auto root = std::find(members.begin(), members.end(), record.root);
            if (root == members.end()) {
                return Error{Errc::corrupt, std::string("the root of a ") +
                                                collective_name(record.op) + ", rank " +
                                                std::to_string(record.root) +
                                                ", is not in its communicator"};
            }
            call.root = static_cast<std::uint32_t>(root - members.begin());
        }
        const ScheduleInfo& algorithm = choose_schedule(record.op, call);
        // The one schedule that grows with the square of the members: ask before it is made.
        const bool all_pairs = algorithm.name == "alltoall_pairwise";
        if (all_pairs && members.size() * (members.size() - 1) > max_messages) {
            return too_many(max_messages);
        }
        schedule.clear();
        algorithm.expand(call, schedule);
        if (messages.size() + schedule.size() > limit) return too_many(max_messages);
        for (const ScheduledMessage& m : schedule) {
            Message sum{members[m.source], members[m.destination], 0, 0};
            if (__builtin_mul_overflow(m.count, record.calls, &sum.count) ||
                __builtin_mul_overflow(m.bytes, sum.count, &sum.bytes)) {
                return Error{Errc::out_of_range, std::to_string(record.calls) + " calls of a " +
                                                     collective_name(record.op) + " with " +
                                                     std::to_string(record.bytes_per_call) +
                                                     " bytes are more than 64 bits can count"};
            }
            messages.push_back(sum);
        }
    }
    return CommGraph(profile.num_ranks(), std::move(messages));
}

}  // namespace commmap
