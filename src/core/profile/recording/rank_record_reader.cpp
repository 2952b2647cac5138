// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/rank_record_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/flat_buffer.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/profile_checks.hpp"
#include "core/profile/recording/mpi_call_generated.hpp"
#include "core/profile/round_order.hpp"

namespace commmap {
namespace {

using flatbuffers::Vector;
using Section = RankRecord::Section;

/// Tells whether the lists are aligned, and all together are no longer than the buffer. In a
/// made-up buffer, lists may overlap.
template <class... Lists>
bool fit_in(std::size_t bytes, const Lists*... lists) {
    const auto bytes_of = []<class Value>(const Vector<Value>* list) -> std::uint64_t {
        using Stored = std::remove_pointer_t<Value>;
        return list == nullptr ? 0 : std::uint64_t{list->size()} * sizeof(Stored);
    };
    return ((lists == nullptr || is_aligned(lists)) && ...) && (bytes_of(lists) + ...) <= bytes;
}

/// Takes values from the front of a list that several parents share. A missing list is empty.
template <class Stored>
class Rest {
public:
    explicit Rest(const Vector<Stored>* all) : all_(all), size_(all == nullptr ? 0 : all->size()) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t left() const { return size_ - next_; }
    [[nodiscard]] bool at_end() const { return next_ == size_; }
    /// @pre !at_end()
    decltype(auto) next() {
        const auto at = next_++;
        if constexpr (std::is_pointer_v<Stored>)
            return *all_->Get(at);
        else
            return all_->Get(at);
    }
    /// false: the list has fewer values left.
    template <class Value>
    [[nodiscard]] bool take(std::size_t count, std::vector<Value>& to) {
        if (count > left()) return false;
        to.reserve(count);
        for (; count > 0; --count) to.push_back(Same<Value>()(next()));
        return true;
    }
    template <class Value>
    void take_all(std::vector<Value>& to) {
        static_cast<void>(take(left(), to));
    }

private:
    const Vector<Stored>* all_;
    flatbuffers::uoffset_t size_;
    flatbuffers::uoffset_t next_ = 0;
};

bool is_possible(double seconds) { return is_time(seconds) && seconds <= RankRecord::longest_s; }

/// Reads a record from a buffer. Each function returns false where something does not fit.
class Reader {
public:
    explicit Reader(const wire::RankRecord& in) : in_(in) {}

    /// @param bytes  size of the buffer
    bool read(std::size_t bytes) {
        if (!fit_in(bytes, in_.application_id(), in_.program(), in_.node(), in_.cpus(),
                    in_.locality(), in_.sections(), in_.labels(), in_.peers(), in_.buckets(),
                    in_.collectives(), in_.sums(), in_.calls(), in_.call_bytes(), in_.waits(),
                    in_.communicators(), in_.num_members(), in_.members(), in_.open_sends(),
                    in_.signatures(), in_.received(), in_.begun(), in_.meetings(), in_.order(),
                    in_.succession_from(), in_.succession_to(), in_.succession_counts(),
                    in_.topologies(), in_.topology_numbers(), in_.periodic()))
            return false;
        return read_rank() && read_calls() && read_communicators() && read_topologies() &&
               read_sections() && read_signatures() && read_collectives() && read_rounds() &&
               buckets_.at_end() && peers_.at_end() && sums_.at_end();
    }
    RankRecord take() { return std::move(record_); }

private:
    bool read_rank() {
        record_.rank = in_.rank();
        record_.node_id = in_.node_id();
        record_.application_id = text_of(in_.application_id());
        record_.program = text_of(in_.program());
        record_.node = text_of(in_.node());
        record_.cpus = text_of(in_.cpus());
        record_.locality = text_of(in_.locality());
        record_.wall_s = in_.wall_s();
        record_.mpi_s = in_.mpi_s();
        record_.finished = in_.finished();
        record_.early_messages = {.looked_at = in_.looked_at(), .early = in_.early()};
        return is_possible(record_.wall_s) && is_possible(record_.mpi_s) &&
               record_.cpus.size() <= max_cpus_letters &&
               record_.early_messages.early <= record_.early_messages.looked_at;
    }

    bool read_calls() {
        Rest calls(in_.calls());
        Rest bytes(in_.call_bytes());
        if (bytes.size() != 0 && bytes.size() != calls.size()) return false;
        while (!calls.at_end()) {
            const wire::Call& call = calls.next();
            record_.calls.push_back(
                {call.call(), call.seconds(), call.count(), bytes.size() == 0 ? 0 : bytes.next()});
            if (call.call() >= num_mpi_calls || !is_possible(static_cast<double>(call.seconds())))
                return false;
        }
        Rest(in_.waits()).take_all(record_.waits);
        Rest(in_.open_sends()).take_all(record_.open_sends);
        return is_ascending(record_.calls, &RankRecord::Call::call) &&
               is_ascending(record_.waits, &PeerWait::peer) && are_open_sends(record_.open_sends) &&
               std::ranges::all_of(record_.waits, [](const PeerWait& wait) {
                   return is_possible(static_cast<double>(wait.seconds));
               });
    }

    bool read_communicators() {
        Rest keys(in_.communicators());
        Rest num_members(in_.num_members());
        Rest members(in_.members());
        if (num_members.size() != keys.size()) return false;
        while (!keys.at_end()) {
            RankRecord::Communicator& communicator = record_.communicators.emplace_back();
            communicator.key = Same<RankRecord::CommunicatorKey>()(keys.next());
            if (!members.take(num_members.next(), communicator.members)) return false;
        }
        return members.at_end();
    }

    bool read_topologies() {
        Rest topologies(in_.topologies());
        Rest numbers(in_.topology_numbers());
        Rest periodic(in_.periodic());
        if (topologies.size() > ProcessTopology::most_of_rank ||
            numbers.size() + periodic.size() > ProcessTopology::most_numbers)
            return false;
        while (!topologies.at_end()) {
            const wire::Topology& from = topologies.next();
            RankRecord::Topology& topology = record_.topologies.emplace_back();
            topology.communicator = from.communicator();
            if (topology.communicator >= record_.communicators.size() ||
                from.num_dims() > ProcessTopology::most_dims ||
                (from.num_dims() > 0 && from.num_destinations() > 0) ||
                !numbers.take(from.num_dims(), topology.dims) ||
                !periodic.take(from.num_dims(), topology.periodic) ||
                !numbers.take(from.num_destinations(), topology.destinations))
                return false;
        }
        return numbers.at_end() && periodic.at_end();
    }

    /// Reads sections without their collectives.
    bool read_sections() {
        record_.slice_s = in_.slice_s();
        record_.phases_lost = in_.phases_lost();
        Rest sections(in_.sections());
        if (sections.size() == 0 || sections.size() > RankRecord::most_sections ||
            !is_time(record_.slice_s) || record_.slice_s > RankRecord::longest_slice_s)
            return false;
        const std::string labels = text_of(in_.labels());
        std::size_t letter = 0;
        std::uint32_t next_slice = 0;
        double wall_s = 0.0;  // sums, because sections may be joined
        double mpi_s = 0.0;
        while (!sections.at_end()) {
            const wire::Section& from = sections.next();
            Section& section = record_.sections.emplace_back();
            section.slice = from.slice();
            section.entered = from.entered();
            section.wall_s = from.wall_s();
            section.mpi_s = from.mpi_s();
            if (from.num_letters() > labels.size() - letter ||
                from.num_letters() > RankRecord::most_letters ||
                section.slice >= RankRecord::most_slices || !is_time(section.wall_s) ||
                !is_time(section.mpi_s) || (record_.slice_s > 0.0 && section.slice < next_slice) ||
                !take_cells(from.num_sent(), section.sent) || !is_row(section.sent) ||
                !take_cells(from.num_fetched(), section.fetched) || !is_row(section.fetched))
                return false;
            section.label = labels.substr(letter, from.num_letters());
            letter += from.num_letters();
            next_slice = section.slice + 1;
            wall_s += section.wall_s;
            mpi_s += section.mpi_s;
        }
        return letter == labels.size() && is_possible(wall_s) && is_possible(mpi_s);
    }

    /// Reads signatures without the collectives that they began. Leaves to check_ranks() whether
    /// what rounds refer to exists.
    bool read_signatures() {
        Rest signatures(in_.signatures());
        Rest received(in_.received());
        Rest meetings(in_.meetings());
        if (signatures.size() > RankRounds::most_signatures) return false;
        while (!signatures.at_end()) {
            const wire::Signature& from = signatures.next();
            Signature& signature = record_.rounds.signatures.emplace_back();
            signature.rounds = from.rounds();
            signature.seconds = from.seconds();
            signature.before_wait_s = from.before_wait_s();
            if (!take_cells(from.num_sent(), signature.sent) ||
                !take_cells(from.num_put(), signature.put) ||
                !take_cells(from.num_fetched(), signature.fetched) ||
                !received.take(from.num_received(), signature.received) ||
                !meetings.take(from.num_meetings(), signature.meetings))
                return false;
        }
        return received.at_end() && meetings.at_end();
    }

    /// Reads the collectives of sections, then those of rounds, then how many of these each
    /// signature began.
    bool read_collectives() {
        Rest collectives(in_.collectives());
        Rest sections(in_.sections());
        for (Section& section : record_.sections) {
            const std::uint32_t count = sections.next().num_collectives();
            if (count > collectives.left() || count > sums_.left()) return false;
            section.collectives.reserve(count);
            for (std::uint32_t i = 0; i < count; ++i) {
                const auto of = round_collective(collectives.next());
                const wire::Sum& sum = sums_.next();
                if (of.op >= CollectiveOp::count_ ||
                    of.communicator >= record_.communicators.size() ||
                    !is_collective_bucket(of.bucket, of.in_peer_traffic))
                    return false;
                section.collectives.push_back({of.communicator, of.op, of.in_peer_traffic, of.root,
                                               sum.count(), sum.bytes(), of.bucket});
            }
            if (!is_ascending(section.collectives, &RankRecord::Collective::key)) return false;
        }
        while (!collectives.at_end())
            record_.round_collectives.push_back(round_collective(collectives.next()));
        Rest signatures(in_.signatures());
        Rest begun(in_.begun());
        for (Signature& signature : record_.rounds.signatures) {
            const std::uint32_t count = signatures.next().num_begun();
            if (count > begun.left() || count > sums_.left()) return false;
            for (std::uint32_t i = 0; i < count; ++i) {
                const wire::Sum& sum = sums_.next();
                signature.collectives.push_back({begun.next(), sum.count(), sum.bytes()});
            }
        }
        return begun.at_end();
    }
    static RoundCollective round_collective(const wire::Collective& of) {
        return {.communicator = of.communicator(),
                .op = static_cast<CollectiveOp>(of.op()),
                .in_peer_traffic = of.in_peer_traffic(),
                .bucket = of.bucket(),
                .root = of.root()};
    }

    bool read_rounds() {
        RankRounds& rounds = record_.rounds;
        rounds.other_rounds = in_.other_rounds();
        rounds.unclear = in_.unclear();
        if (in_.order() != nullptr) {
            const auto* const order = reinterpret_cast<const char*>(in_.order()->data());
            auto listed = decode_order({order, in_.order()->size()}, RankRounds::most_listed);
            if (!listed) return false;
            rounds.order = std::move(*listed);
        }
        Rest from(in_.succession_from());
        Rest to(in_.succession_to());
        Rest counts(in_.succession_counts());
        if (from.size() != counts.size() || to.size() != counts.size()) return false;
        while (!counts.at_end())
            rounds.successions.push_back({from.next(), to.next(), counts.next()});
        return true;
    }

    bool take_cells(std::size_t count, std::vector<TrafficCell>& to) {
        if (count > peers_.left() || count > buckets_.left() || count > sums_.left()) return false;
        to.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            const wire::Sum& sum = sums_.next();
            to.push_back({peers_.next(), buckets_.next(), sum.count(), sum.bytes()});
        }
        return true;
    }

    const wire::RankRecord& in_;
    Rest<std::uint32_t> peers_{in_.peers()};
    Rest<std::uint8_t> buckets_{in_.buckets()};
    Rest<const wire::Sum*> sums_{in_.sums()};
    RankRecord record_;
};

}  // namespace

std::optional<RankRecord> read_rank_record(const wire::RankRecord& stored, std::size_t bytes) {
    Reader reader(stored);
    if (!reader.read(bytes)) return std::nullopt;
    return reader.take();
}

}  // namespace commmap
