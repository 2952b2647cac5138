#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/collectives/schedule.hpp"

namespace commmap {

namespace {

Error too_many(std::size_t max_messages) {
    return {Errc::out_of_range,
            "the profile's messages and those of its collectives are more than " +
                std::to_string(max_messages)};
}

/// Messages whose counts and bytes all together fit into 64 bits, so that no sum of some of them
/// can wrap round.
class MessageList {
public:
    [[nodiscard]] bool add(const Message& message) {
        if (__builtin_add_overflow(count_, message.count, &count_) ||
            __builtin_add_overflow(bytes_, message.bytes, &bytes_))
            return false;
        messages_.push_back(message);
        return true;
    }
    [[nodiscard]] std::size_t size() const { return messages_.size(); }
    [[nodiscard]] std::vector<Message> take() { return std::move(messages_); }

private:
    std::vector<Message> messages_;
    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

bool add_point_to_point(const Profile& profile, MessageList& messages) {
    for (RankId source = 0; source < profile.ranks.size(); ++source) {
        for (const PeerTraffic& peer : profile.ranks[source].sent) {
            for (std::size_t b = 0; b < num_size_buckets; ++b) {
                if (peer.count[b] == 0) continue;
                if (!messages.add({source, peer.peer, peer.count[b], peer.bytes[b]})) return false;
            }
        }
    }
    return true;
}

}  // namespace

Result<CommGraph> expand_profile(const Profile& profile, std::size_t max_messages) {
    MessageList messages;
    if (!add_point_to_point(profile, messages)) {
        return Error{Errc::corrupt, "the profile's messages are more than 64 bits can count"};
    }
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
        const Error too_large{Errc::out_of_range, std::to_string(record.calls) + " calls of a " +
                                                      collective_name(record.op) + " with " +
                                                      std::to_string(record.bytes_per_call) +
                                                      " bytes are more than 64 bits can count"};
        // No message of a schedule has more than every member's payload.
        std::uint64_t whole = 0;
        if (__builtin_mul_overflow(record.bytes_per_call, members.size(), &whole)) return too_large;
        schedule.clear();
        algorithm.expand(call, schedule);
        if (messages.size() + schedule.size() > limit) return too_many(max_messages);
        for (const ScheduledMessage& m : schedule) {
            Message sum{members[m.source], members[m.destination], 0, 0};
            if (__builtin_mul_overflow(m.count, record.calls, &sum.count) ||
                __builtin_mul_overflow(m.bytes, sum.count, &sum.bytes) || !messages.add(sum)) {
                return too_large;
            }
        }
    }
    return CommGraph(profile.num_ranks(), messages.take());
}

}  // namespace commmap
