#include "pmix_hooks/report.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "pmix_hooks/clock.hpp"
#include "pmix_hooks/comm_map.hpp"
#include "pmix_hooks/rounds/round_reader.hpp"
#include "pmix_hooks/section_reader.hpp"

namespace commmap::hooks {
namespace {

const Error damaged{Errc::corrupt, "what a rank recorded is damaged"};

using Section = RankReport::Section;

/// There may be anything.
bool flag(const bool& there) {
    std::uint8_t byte = 0;
    std::memcpy(&byte, &there, 1);
    return byte != 0;
}

/// What a rank has counted, all of the run together.
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
        for (const ThreadCounters* thread : threads_) sum += thread->mpi_ticks();
        return sum;
    }
    /// Of all threads, by call.
    std::vector<RankReport::Call> calls(const Totals& totals) const {
        std::vector<RankReport::Call> calls;
        for (std::uint32_t call = 0; call < num_mpi_calls; ++call) {
            std::uint64_t count = 0;
            std::uint64_t time = 0;
            std::uint64_t bytes = 0;
            for (const ThreadCounters* thread : threads_) {
                count += thread->calls[call].count.value();
                time += thread->calls[call].ticks.value();
                bytes += thread->file_bytes[call].value();
            }
            if (count > 0) calls.push_back({call, seconds_of(time, totals), count, bytes});
        }
        return calls;
    }
    static float seconds_of(std::uint64_t ticks, const Totals& totals) {
        return static_cast<float>(std::min(RankReport::longest_s, totals.seconds(ticks)));
    }
    /// Of all threads, by peer and size.
    Status traffic(PeerTable ThreadCounters::*table, std::uint32_t num_ranks,
                   std::vector<TrafficCell>& traffic) {
        for (const ThreadCounters* thread : threads_) {
            std::vector<TrafficCell> cells;
            for (const PeerTable::Peer* there = (thread->*table).first(); there != nullptr;
                 --peers_left_) {
                const PeerTable::Peer* peer = view_.at<PeerTable::Peer>(there);
                if (peer == nullptr || peers_left_ == 0 || peer->rank >= num_ranks) return damaged;
                for (std::uint32_t bucket = 0; bucket < num_size_buckets; ++bucket) {
                    const PeerTable::Bucket& sum = peer->buckets[bucket];
                    if (const std::uint64_t bytes = sum.bytes.value(); sum.count.value() > 0)
                        cells.push_back({peer->rank, bucket, sum.count.value(), bytes});
                }
                there = peer->next;
            }
            std::sort(cells.begin(), cells.end(),
                      [](const TrafficCell& a, const TrafficCell& b) { return a.key() < b.key(); });
            add_row(traffic, cells);
        }
        return Ok{};
    }

    Status groups(const RankGroup* there, RankReport& report, Section& totals) {
        std::size_t left = view_.most<RankGroup>();
        for (; there != nullptr; --left) {
            const RankGroup* group = view_.at(there);
            if (group == nullptr || left == 0) return damaged;
            if (Status status = collectives(*group, report, totals); !status) return status;
            there = group->next;
        }
        return Ok{};
    }
    /// By the numbers of this process.
    [[nodiscard]] const RoundNumbers& numbers() const { return numbers_; }

private:
    Status collectives(const RankGroup& group, RankReport& report, Section& totals) {
        const auto communicator = static_cast<std::uint32_t>(report.communicators.size());
        bool any = false;
        for (const auto& list : group.collectives) {
            for (const CollectiveCount* there = list.load(); there != nullptr; --counts_left_) {
                const CollectiveCount* count = view_.at(there);
                if (count == nullptr || counts_left_ == 0) return damaged;
                // read once: whoever counts may still write
                const RankReport::Collective collective = {
                    .communicator = communicator,
                    .op = count->op,
                    .in_peer_traffic = flag(count->in_peer_traffic),
                    .root = count->root,
                    .calls = count->calls.value(),
                    .bytes = count->bytes.value(),
                    .bucket = count->bucket};
                if (collective.op >= CollectiveOp::count_ ||
                    !is_collective_bucket(collective.bucket, collective.in_peer_traffic))
                    return damaged;
                numbers_.collectives.emplace(count->number, collective);
                totals.collectives.push_back(collective);
                any = true;
                there = count->next;
            }
        }
        // fences of windows are no collectives, but ranks meet there
        if (!any && !flag(group.is_met)) return Ok{};
        numbers_.communicators.emplace(group.number, communicator);
        const std::uint32_t size = group.num_members;
        const RankId* members = view_.at(group.members, size);
        if (members == nullptr || size == 0 || size > members_left_) return damaged;
        if (view_.is_of_another()) members_left_ -= size;
        RankReport::Communicator& to = report.communicators.emplace_back();
        to.key = communicator_key(members, size);
        // The first member's may be missing where ranks are.
        if (members[0] == report.rank || view_.is_of_another())
            to.members.assign(members, members + size);
        return Ok{};
    }

    const MemoryView& view_;
    std::vector<const ThreadCounters*> threads_;
    RoundNumbers numbers_;
    // lists may lead into each other: all of a kind together are no more than fit
    std::size_t counts_left_ = view_.most<CollectiveCount>();
    std::size_t peers_left_ = view_.most<PeerTable::Peer>();
    std::size_t members_left_ = view_.most<RankId>();
};

}  // namespace

Result<RankReport> make_report(const MemoryView& view, const RecordHead& head) {
    RankReport report;
    report.rank = head.rank;
    report.node = text_of(head.place.node);
    report.node_id = head.place.node_id;
    report.cpus = text_of(head.place.cpus);
    report.locality = text_of(head.place.locality);
    const double end_s = head.end_s;
    report.finished = end_s > 0.0;
    report.wall_s = std::max(0.0, (report.finished ? end_s : now_s()) - head.start_s);
    // half: its parts together may be a little more, as they are rounded
    if (!(report.wall_s < RankReport::longest_s / 2)) return damaged;
    Reader reader(view);
    if (Status s = reader.threads(head.threads.load()); !s) return s.error();
    const std::uint64_t end_ticks = report.finished ? head.end_ticks : ticks();
    Totals totals;
    totals.mpi_ticks = reader.mpi_ticks();
    if (end_ticks > head.start_ticks) {
        totals.wall_ticks = end_ticks - head.start_ticks;
        totals.ticks_per_s = static_cast<double>(totals.wall_ticks) / report.wall_s;
        report.mpi_s = std::min(report.wall_s, totals.seconds(totals.mpi_ticks));
    }
    report.calls = reader.calls(totals);
    const std::uint32_t num_ranks = head.size;
    if (Status s = reader.traffic(&ThreadCounters::sent, num_ranks, totals.counted.sent); !s)
        return s.error();
    if (Status s = reader.traffic(&ThreadCounters::fetched, num_ranks, totals.counted.fetched); !s)
        return s.error();
    if (Status s = reader.groups(head.groups.load(), report, totals.counted); !s) return s.error();
    add_up(totals.counted.collectives);
    totals.collective_of_number = reader.numbers().collectives;
    read_rounds(view, head.rounds, reader.numbers(), totals.ticks_per_s, num_ranks, report);
    add_sections(view, head, std::move(totals), report);
    return report;
}

}  // namespace commmap::hooks
