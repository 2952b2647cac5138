#include "pmix_hooks/report.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "pmix_hooks/clock.hpp"
#include "pmix_hooks/comm_map.hpp"

namespace commmap::hooks {
namespace {

const Error damaged{Errc::corrupt, "what a rank recorded is damaged"};

template <std::size_t Size>
std::string text_of(const char (&text)[Size]) {
    return {text, ::strnlen(text, Size)};
}

class Reader {
public:
    explicit Reader(const MemoryView& view) : view_(view) {}

    Status threads(const ThreadCounters* there) {
        std::size_t left = view_.most<ThreadCounters>();
        for (; there != nullptr; --left) {
            const ThreadCounters* thread = view_.at(there);
            if (thread == nullptr || left == 0) return damaged;
            threads_.push_back(thread);
            there = thread->next;
        }
        return Ok{};
    }
    /// Of all threads.
    [[nodiscard]] std::uint64_t mpi_ticks() const {
        std::uint64_t sum = 0;
        for (const ThreadCounters* thread : threads_) sum += thread->mpi_ticks.value();
        return sum;
    }
    /// Of all threads, by peer.
    Status traffic(PeerTable ThreadCounters::*table, std::uint32_t num_ranks,
                   std::vector<TrafficCell>& traffic) {
        using Slot = std::atomic<PeerTable::Peer*>;
        std::vector<const Slot*> tables;
        for (const ThreadCounters* thread : threads_) {
            const auto* slots = view_.at<Slot>((thread->*table).slots(), num_ranks);
            if (slots == nullptr) return damaged;
            tables.push_back(slots);
        }
        for (RankId rank = 0; rank < num_ranks; ++rank) {
            std::array<TrafficSum, num_size_buckets> sums{};
            for (const Slot* slots : tables) {
                const PeerTable::Peer* there = slots[rank].load();
                if (there == nullptr) continue;
                const PeerTable::Peer* peer = view_.at<PeerTable::Peer>(there);
                if (peer == nullptr) return damaged;
                for (std::size_t bucket = 0; bucket < num_size_buckets; ++bucket) {
                    sums[bucket].count += (*peer)[bucket].count.value();
                    sums[bucket].bytes += (*peer)[bucket].bytes.value();
                }
            }
            for (std::uint32_t bucket = 0; bucket < num_size_buckets; ++bucket)
                if (sums[bucket].count > 0)
                    traffic.push_back({rank, bucket, sums[bucket].count, sums[bucket].bytes});
        }
        return Ok{};
    }

    Status groups(const RankGroup* there, RankReport& report) {
        std::size_t left = view_.most<RankGroup>();
        for (; there != nullptr; --left) {
            const RankGroup* group = view_.at(there);
            if (group == nullptr || left == 0) return damaged;
            if (Status status = collectives(*group, report); !status) return status;
            there = group->next;
        }
        return Ok{};
    }

private:
    Status collectives(const RankGroup& group, RankReport& report) {
        const auto communicator = static_cast<std::uint32_t>(report.communicators.size());
        bool any = false;
        for (const auto& list : group.collectives) {
            for (const CollectiveCount* there = list.load(); there != nullptr; --counts_left_) {
                const CollectiveCount* count = view_.at(there);
                if (count == nullptr || counts_left_ == 0 || count->op >= CollectiveOp::count_)
                    return damaged;
                report.collectives.push_back({.communicator = communicator,
                                              .op = count->op,
                                              .in_peer_traffic = count->in_peer_traffic,
                                              .root = count->root,
                                              .calls = count->calls.value(),
                                              .bytes = count->bytes.value()});
                any = true;
                there = count->next;
            }
        }
        if (!any) return Ok{};
        const std::uint32_t size = group.num_members;
        const RankId* members = view_.at(group.members, size);
        if (members == nullptr || size == 0) return damaged;
        RankReport::Communicator& to = report.communicators.emplace_back();
        to.key = communicator_key(members, size);
        // The first member's may be missing where ranks are.
        if (members[0] == report.rank || view_.is_of_another())
            to.members.assign(members, members + size);
        return Ok{};
    }

    const MemoryView& view_;
    std::vector<const ThreadCounters*> threads_;
    std::size_t counts_left_ = view_.most<CollectiveCount>();
};

}  // namespace

Result<RankReport> make_report(const MemoryView& view, const RecordHead& head) {
    RankReport report;
    report.rank = head.rank;
    report.node = text_of(head.place.node);
    report.node_id = head.place.node_id;
    report.cpus = text_of(head.place.cpus);
    const double end_s = head.end_s;
    report.finished = end_s > 0.0;
    report.wall_s = std::max(0.0, (report.finished ? end_s : now_s()) - head.start_s);
    Reader reader(view);
    if (Status s = reader.threads(head.threads.load()); !s) return s.error();
    const std::uint64_t end_ticks = report.finished ? head.end_ticks : ticks();
    if (end_ticks > head.start_ticks)
        report.mpi_s =
            std::min(report.wall_s, report.wall_s * static_cast<double>(reader.mpi_ticks()) /
                                        static_cast<double>(end_ticks - head.start_ticks));
    const std::uint32_t num_ranks = head.size;
    if (Status s = reader.traffic(&ThreadCounters::sent, num_ranks, report.sent); !s)
        return s.error();
    if (Status s = reader.traffic(&ThreadCounters::fetched, num_ranks, report.fetched); !s)
        return s.error();
    if (Status s = reader.groups(head.groups.load(), report); !s) return s.error();
    return report;
}

}  // namespace commmap::hooks
