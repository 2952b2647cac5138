// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/output/rank_record_maker.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "pmix_hooks/counting/comm_map.hpp"
#include "pmix_hooks/counting/topology_entry.hpp"
#include "pmix_hooks/output/round_reader.hpp"
#include "pmix_hooks/output/section_reader.hpp"
#include "pmix_hooks/process/clock.hpp"

namespace commmap::hooks {
namespace {

const Error damaged{Errc::corrupt, "what a rank recorded is damaged"};

using Section = RankRecord::Section;

/// Reads a bool of another process, whose byte may have any value.
bool flag(const bool& there) {
    std::uint8_t byte = 0;
    std::memcpy(&byte, &there, 1);
    return byte != 0;
}

/// Adds up what a rank has counted in the whole run.
class RecordMaker {
public:
    explicit RecordMaker(const MemoryView& view) : view_(view) {}

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
    /// Returns the sum over all threads.
    [[nodiscard]] std::uint64_t mpi_ticks() const {
        std::uint64_t sum = 0;
        for (const ThreadCounters* thread : threads_) sum += thread->mpi_ticks();
        return sum;
    }
    /// Returns the calls of all threads, by call.
    std::vector<RankRecord::Call> calls(const SectionTotals& totals) const {
        std::vector<RankRecord::Call> calls;
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
    /// Returns the open sends of all threads, by size.
    std::vector<OpenSends> open_sends() const {
        std::vector<OpenSends> all;
        for (std::uint32_t bucket = 0; bucket < num_size_buckets; ++bucket) {
            OpenSends sum{.bucket = bucket};
            for (const ThreadCounters* thread : threads_) {
                const ThreadCounters::OpenSends& part = thread->open_sends[bucket];
                sum.sends += part.sends.value();
                sum.others += part.others.value();
                sum.most = std::max(sum.most, static_cast<std::uint32_t>(part.most.value()));
            }
            if (sum.sends > 0) all.push_back(sum);
        }
        return all;
    }
    /// Returns the early messages of all threads.
    [[nodiscard]] EarlyMessages early_messages() const {
        EarlyMessages all;
        for (const ThreadCounters* thread : threads_) {
            // early receives are read first: they are counted last, and the thread may still count
            all.early += thread->early_receives.value();
            all.looked_at += thread->receives_looked_at.value();
        }
        all.early = std::min(all.early, all.looked_at);
        return all;
    }
    static float seconds_of(std::uint64_t ticks, const SectionTotals& totals) {
        return static_cast<float>(std::min(RankRecord::longest_s, totals.seconds(ticks)));
    }
    /// Reads the messages of all threads, by peer and size.
    Status traffic(PeerTable ThreadCounters::*table, std::uint32_t num_ranks,
                   std::vector<TrafficCell>& traffic) {
        for (const ThreadCounters* thread : threads_) {
            std::vector<TrafficCell> cells;
            for (const PeerTable::Peer* there = (thread->*table).first(); there != nullptr;
                 --peers_left_) {
                const PeerTable::Peer* peer = view_.at<PeerTable::Peer>(there);
                if (peer == nullptr || peers_left_ == 0) return damaged;
                const RankId rank = peer->rank;  // read once: the thread may still write
                if (rank >= num_ranks) return damaged;
                if (const std::uint64_t calls = peer->waits.value(); calls > 0) {
                    Wait& wait = waits_[rank];
                    wait.calls += calls;
                    wait.ticks += peer->wait_ticks.value();
                }
                for (std::uint32_t bucket = 0; bucket < num_size_buckets; ++bucket) {
                    const PeerTable::Bucket& sum = peer->buckets[bucket];
                    if (const std::uint64_t bytes = sum.bytes.value(); sum.count.value() > 0)
                        cells.push_back({rank, bucket, sum.count.value(), bytes});
                }
                there = peer->next;
            }
            std::sort(cells.begin(), cells.end(),
                      [](const TrafficCell& a, const TrafficCell& b) { return a.key() < b.key(); });
            add_row(traffic, cells);
        }
        return Ok{};
    }

    /// Returns how long all threads waited for others. Only traffic() reads these times, so it must
    /// run first.
    std::vector<PeerWait> waits(const SectionTotals& totals) const {
        std::vector<PeerWait> waits;
        for (const auto& [peer, wait] : waits_)
            waits.push_back({peer, seconds_of(wait.ticks, totals), wait.calls});
        return waits;
    }

    Status groups(const RankGroup* there, RankRecord& record, Section& totals) {
        std::size_t left = view_.most<RankGroup>();
        for (; there != nullptr; --left) {
            const RankGroup* group = view_.at(there);
            if (group == nullptr || left == 0) return damaged;
            if (Status status = collectives(*group, record, totals); !status) return status;
            there = group->next;
        }
        return Ok{};
    }
    /// Reads the topologies, in the order in which they were made.
    /// @param there  loaded before the list that groups() has read: a thread that makes a topology
    ///               meanwhile lists its group first
    Status topologies(const TopologyEntry* there, RankRecord& record) {
        std::size_t numbers_left = ProcessTopology::most_numbers;
        while (there != nullptr) {
            const TopologyEntry* entry = view_.at(there);
            if (entry == nullptr || record.topologies.size() == ProcessTopology::most_of_rank)
                return damaged;
            // read once, as above
            const std::uint32_t num_dims = entry->num_dims;
            const std::uint32_t count = entry->num_numbers;
            const std::uint32_t* numbers = view_.at(entry->numbers, count);
            const auto communicator = numbers_.communicators.find(entry->group);
            if (numbers == nullptr || count > numbers_left ||
                communicator == numbers_.communicators.end() ||
                num_dims > ProcessTopology::most_dims || (num_dims > 0 && count != 2 * num_dims))
                return damaged;
            numbers_left -= count;
            RankRecord::Topology& to = record.topologies.emplace_back();
            to.communicator = communicator->second;
            if (num_dims > 0) {
                to.dims.assign(numbers, numbers + num_dims);
                for (std::uint32_t i = 0; i < num_dims; ++i)
                    to.periodic.push_back(numbers[num_dims + i] != 0 ? 1 : 0);
            } else {
                to.destinations.assign(numbers, numbers + count);
            }
            there = entry->next;
        }
        std::reverse(record.topologies.begin(), record.topologies.end());
        return Ok{};
    }
    /// Returns the objects by their numbers in the recorded process.
    [[nodiscard]] const RoundNumbers& numbers() const { return numbers_; }

private:
    Status collectives(const RankGroup& group, RankRecord& record, Section& totals) {
        const auto communicator = static_cast<std::uint32_t>(record.communicators.size());
        bool any = false;
        for (const auto& list : group.collectives) {
            for (const CollectiveCount* there = list.load(); there != nullptr; --counts_left_) {
                const CollectiveCount* count = view_.at(there);
                if (count == nullptr || counts_left_ == 0) return damaged;
                // read once, as above
                const RankRecord::Collective collective = {
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
        // Fences of windows are no collectives, but ranks meet there. Topologies refer to groups
        // too.
        if (!any && !flag(group.is_met) && !flag(group.has_topology)) return Ok{};
        numbers_.communicators.emplace(group.number, communicator);
        const std::uint32_t size = group.num_members;
        const RankId* members = view_.at(group.members, size);
        if (members == nullptr || size == 0 || size > members_left_) return damaged;
        if (view_.is_of_another()) members_left_ -= size;
        RankRecord::Communicator& to = record.communicators.emplace_back();
        to.key = communicator_key(members, size);
        // The record of the first member may be missing where ranks are.
        if (members[0] == record.rank || view_.is_of_another())
            to.members.assign(members, members + size);
        return Ok{};
    }

    struct Wait {
        std::uint64_t calls = 0;
        std::uint64_t ticks = 0;
    };

    const MemoryView& view_;
    std::map<RankId, Wait> waits_;
    std::vector<const ThreadCounters*> threads_;
    RoundNumbers numbers_;
    // lists may lead into each other: all objects of a type together are no more than fit
    std::size_t counts_left_ = view_.most<CollectiveCount>();
    std::size_t peers_left_ = view_.most<PeerTable::Peer>();
    std::size_t members_left_ = view_.most<RankId>();
};

}  // namespace

Result<RankRecord> make_rank_record(const MemoryView& view, const RecordHead& head) {
    RankRecord record;
    record.rank = head.rank;
    record.node = text_of(head.location.node);
    record.node_id = head.location.node_id;
    record.cpus = text_of(head.location.cpus);
    record.locality = text_of(head.location.locality);
    const double end_s = head.end_s;
    record.finished = end_s > 0.0;
    record.wall_s = std::max(0.0, (record.finished ? end_s : now_s()) - head.start_s);
    // half, for rounding may make the sum of its parts a little larger
    if (!(record.wall_s < RankRecord::longest_s / 2)) return damaged;
    RecordMaker maker(view);
    if (Status s = maker.threads(head.threads.load()); !s) return s.error();
    const std::uint64_t end_ticks = record.finished ? head.end_ticks : ticks();
    SectionTotals totals;
    totals.mpi_ticks = maker.mpi_ticks();
    if (end_ticks > head.start_ticks) {
        totals.wall_ticks = end_ticks - head.start_ticks;
        totals.ticks_per_s = static_cast<double>(totals.wall_ticks) / record.wall_s;
        record.mpi_s = std::min(record.wall_s, totals.seconds(totals.mpi_ticks));
    }
    record.calls = maker.calls(totals);
    const std::uint32_t num_ranks = head.size;
    if (Status s = maker.traffic(&ThreadCounters::sent, num_ranks, totals.counted.sent); !s)
        return s.error();
    if (Status s = maker.traffic(&ThreadCounters::fetched, num_ranks, totals.counted.fetched); !s)
        return s.error();
    record.waits = maker.waits(totals);
    record.open_sends = maker.open_sends();
    record.early_messages = maker.early_messages();
    const TopologyEntry* const latest = head.topologies.load();
    if (Status s = maker.groups(head.groups.load(), record, totals.counted); !s) return s.error();
    if (Status s = maker.topologies(latest, record); !s) return s.error();
    reduce_by_key(totals.counted.collectives);
    totals.collective_of_number = maker.numbers().collectives;
    read_rounds(view, head.rounds, maker.numbers(), totals.ticks_per_s, num_ranks, record);
    add_sections(view, head, std::move(totals), record);
    return record;
}

}  // namespace commmap::hooks
