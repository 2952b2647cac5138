#include "pmix_hooks/report.hpp"

namespace commmap::hooks {
namespace {

void add_collectives(const RankGroup& group, RankId self, RankReport& report) {
    const auto communicator = static_cast<std::uint32_t>(report.communicators.size());
    bool any = false;
    for (const auto& list : group.collectives)
        for (const CollectiveCount* count = list.load(); count != nullptr; count = count->next) {
            report.collectives.push_back({.communicator = communicator,
                                          .op = count->op,
                                          .in_peer_traffic = count->in_peer_traffic,
                                          .root = count->root,
                                          .calls = count->calls.value(),
                                          .bytes = count->bytes.value()});
            any = true;
        }
    if (!any) return;
    RankReport::Communicator& to = report.communicators.emplace_back();
    to.key = communicator_key(group.members, group.num_members);
    if (group.members[0] == self)
        to.members.assign(group.members, group.members + group.num_members);
}

std::vector<PeerTraffic> traffic_of(const PeerTable& peers) {
    std::vector<PeerTraffic> traffic;
    for (RankId rank = 0; rank < peers.num_ranks(); ++rank) {
        const PeerTable::Peer* peer = peers.peer(rank);
        if (peer == nullptr) continue;
        PeerTraffic& with = traffic.emplace_back();
        with.peer = rank;
        for (std::size_t bucket = 0; bucket < num_size_buckets; ++bucket) {
            with.count[bucket] = (*peer)[bucket].count.value();
            with.bytes[bucket] = (*peer)[bucket].bytes.value();
        }
    }
    return traffic;
}

}  // namespace

RankReport make_report(RankId self, const PeerTable& peers, const PeerTable& fetched,
                       const CommMap& comms) {
    RankReport report;
    report.rank = self;
    report.sent = traffic_of(peers);
    report.fetched = traffic_of(fetched);
    for (const RankGroup* group = comms.groups(); group != nullptr; group = group->next)
        add_collectives(*group, self, report);
    return report;
}

}  // namespace commmap::hooks
