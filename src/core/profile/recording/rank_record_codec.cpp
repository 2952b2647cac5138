// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/rank_record_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/flat_buffer.hpp"
#include "core/profile/recording/rank_record_reader.hpp"
#include "core/profile/round_order.hpp"

namespace commmap {
namespace {

using flatbuffers::Offset;
using flatbuffers::Vector;
using Builder = flatbuffers::FlatBufferBuilder;
using Section = RankRecord::Section;

/// Converts a number. A number that does not fit becomes the largest, which no reader accepts.
template <class Number>
Number narrowed(std::size_t number) {
    return static_cast<Number>(std::min<std::size_t>(number, std::numeric_limits<Number>::max()));
}
template <class Number>
Number size_of(const auto& list) {
    return narrowed<Number>(list.size());
}

/// Stores a list, unless the list is empty.
template <class Stored>
auto put(Builder& builder, const std::vector<Stored>& values) {
    if constexpr (std::is_arithmetic_v<Stored>)
        return values.empty() ? Offset<Vector<Stored>>() : builder.CreateVector(values);
    else
        return values.empty() ? Offset<Vector<const Stored*>>() : list_of_structs(builder, values);
}
Offset<flatbuffers::String> put(Builder& builder, const std::string& text) {
    return text.empty() ? Offset<flatbuffers::String>() : builder.CreateString(text);
}

/// @param convert  returns what is stored for a value
template <class Value, class Convert>
auto put(Builder& builder, const std::vector<Value>& values, Convert&& convert) {
    std::vector<std::invoke_result_t<Convert, const Value&>> all;
    all.reserve(values.size());
    for (const Value& value : values) all.push_back(convert(value));
    return put(builder, all);
}

/// Stores the lists of all parents end to end.
template <class To, class Parent, class List>
auto put_all(Builder& builder, const std::vector<Parent>& parents, List Parent::*list) {
    std::vector<To> all;
    for (const Parent& parent : parents)
        for (const auto& value : parent.*list) all.push_back(Same<To>()(value));
    return put(builder, all);
}

/// The lists of the schema. Each list holds all values of one kind of all sections and signatures.
struct Lists {
    explicit Lists(const RankRecord& record) {
        std::size_t num_cells = 0;
        std::size_t num_collectives = 0;
        for (const Section& section : record.sections) {
            num_cells += section.sent.size() + section.fetched.size();
            num_collectives += section.collectives.size();
        }
        peers.reserve(num_cells);
        buckets.reserve(num_cells);
        sums.reserve(num_cells + num_collectives);
        for (const Section& section : record.sections) {
            labels += section.label;
            add(section.sent);
            add(section.fetched);
        }
        for (const Signature& signature : record.rounds.signatures) {
            add(signature.sent);
            add(signature.put);
            add(signature.fetched);
        }
        for (const Section& section : record.sections)
            for (const RankRecord::Collective& collective : section.collectives) {
                add_kind(collective);
                sums.emplace_back(collective.calls, collective.bytes);
            }
        for (const RoundCollective& collective : record.round_collectives) add_kind(collective);
        for (const Signature& signature : record.rounds.signatures)
            for (const Signature::Begun& of : signature.collectives) {
                begun.push_back(of.collective);
                sums.emplace_back(of.calls, of.bytes);
            }
        for (const RankRecord::Topology& topology : record.topologies) {
            numbers.insert(numbers.end(), topology.dims.begin(), topology.dims.end());
            numbers.insert(numbers.end(), topology.destinations.begin(),
                           topology.destinations.end());
        }
    }

    std::string labels;
    std::vector<std::uint32_t> peers;
    std::vector<std::uint8_t> buckets;
    std::vector<wire::Collective> collectives;
    std::vector<wire::Sum> sums;
    std::vector<std::uint32_t> begun;
    std::vector<std::uint32_t> numbers;  ///< dimensions and destinations of topologies

private:
    void add(const std::vector<TrafficCell>& cells) {
        for (const TrafficCell& cell : cells) {
            peers.push_back(cell.peer);
            buckets.push_back(narrowed<std::uint8_t>(cell.bucket));
            sums.emplace_back(cell.count, cell.bytes);
        }
    }
    void add_kind(const auto& of) {
        collectives.emplace_back(of.communicator, of.root, static_cast<std::uint8_t>(of.op),
                                 of.in_peer_traffic, of.bucket);
    }
};

wire::Section head_of(const Section& section) {
    return {section.entered,
            section.wall_s,
            section.mpi_s,
            size_of<std::uint32_t>(section.sent),
            size_of<std::uint32_t>(section.fetched),
            size_of<std::uint32_t>(section.collectives),
            narrowed<std::uint8_t>(section.slice),
            size_of<std::uint8_t>(section.label)};
}

wire::Signature head_of(const Signature& signature) {
    return {signature.rounds,
            signature.seconds,
            signature.before_wait_s,
            size_of<std::uint16_t>(signature.sent),
            size_of<std::uint16_t>(signature.put),
            size_of<std::uint16_t>(signature.fetched),
            size_of<std::uint16_t>(signature.received),
            size_of<std::uint16_t>(signature.collectives),
            size_of<std::uint16_t>(signature.meetings)};
}

}  // namespace

std::string encode_rank_record(const RankRecord& record) {
    using Call = RankRecord::Call;
    using Communicator = RankRecord::Communicator;
    using Topology = RankRecord::Topology;
    using Succession = RankRounds::Succession;
    constexpr std::size_t rest = 2048;
    Builder builder(section_bytes(record) + rest);
    const Lists lists(record);
    const RankRounds& rounds = record.rounds;
    // Stores bytes first, then numbers of 4 bytes, then of 8, which loses less to alignment.
    const auto application_id = put(builder, record.application_id);
    const auto program = put(builder, record.program);
    const auto node = put(builder, record.node);
    const auto cpus = put(builder, record.cpus);
    const auto locality = put(builder, record.locality);
    const auto labels = put(builder, lists.labels);
    const auto buckets = put(builder, lists.buckets);
    const std::string text = encode_order(rounds.order);
    const auto order = put(builder, std::vector<std::uint8_t>(text.begin(), text.end()));
    const auto succession_from =
        put(builder, rounds.successions, [](const Succession& of) { return of.from; });
    const auto succession_to =
        put(builder, rounds.successions, [](const Succession& of) { return of.to; });
    const auto periodic = put_all<std::uint8_t>(builder, record.topologies, &Topology::periodic);
    const auto numbers = put(builder, lists.numbers);
    const auto topologies = put(builder, record.topologies, [](const Topology& topology) {
        return wire::Topology(topology.communicator, size_of<std::uint32_t>(topology.dims),
                              size_of<std::uint32_t>(topology.destinations));
    });
    const auto members =
        put_all<std::uint32_t>(builder, record.communicators, &Communicator::members);
    const auto num_members = put(builder, record.communicators, [](const Communicator& of) {
        return size_of<std::uint32_t>(of.members);
    });
    const auto begun = put(builder, lists.begun);
    const auto meetings = put_all<wire::Meeting>(builder, rounds.signatures, &Signature::meetings);
    const auto received = put_all<wire::Received>(builder, rounds.signatures, &Signature::received);
    const auto collectives = put(builder, lists.collectives);
    const auto peers = put(builder, lists.peers);
    const auto communicators = put(builder, record.communicators, [](const Communicator& of) {
        return wire::Communicator(of.key.high, of.key.low);
    });
    const auto calls = put(builder, record.calls, [](const Call& call) {
        return wire::Call(call.count, call.seconds, narrowed<std::uint16_t>(call.call));
    });
    const bool any_bytes =
        std::ranges::any_of(record.calls, [](const Call& call) { return call.bytes > 0; });
    const auto call_bytes =
        any_bytes ? put(builder, record.calls, [](const Call& call) { return call.bytes; })
                  : Offset<Vector<std::uint64_t>>();
    const auto waits = put(builder, record.waits, Same<wire::Wait>());
    const auto open_sends = put(builder, record.open_sends, Same<wire::OpenSends>());
    const auto succession_counts = put(
        builder, rounds.successions, [](const Succession& succession) { return succession.count; });
    const auto signatures = put(builder, rounds.signatures,
                                [](const Signature& signature) { return head_of(signature); });
    const auto sums = put(builder, lists.sums);
    std::vector<wire::Section> heads;
    for (const Section& section : record.sections) heads.push_back(head_of(section));
    const auto sections = list_of_structs(builder, heads);
    wire::FinishSizePrefixedRankRecordBuffer(
        builder,
        wire::CreateRankRecord(builder, record.rank, record.node_id, application_id, program, node,
                               cpus, locality, record.wall_s, record.mpi_s, record.finished,
                               record.phases_lost, sections, labels, peers, buckets, collectives,
                               sums, record.slice_s, calls, call_bytes, waits, communicators,
                               num_members, members, open_sends, record.early_messages.looked_at,
                               record.early_messages.early, signatures, received, begun, meetings,
                               order, succession_from, succession_to, succession_counts,
                               rounds.other_rounds, topologies, numbers, periodic, rounds.unclear));
    return std::string(content_of(builder));
}

Result<RankRecord> decode_rank_record(std::string_view bytes) {
    const Error damaged{Errc::corrupt, "the record of a rank is damaged"};
    const auto buffer = SizedBuffer<wire::RankRecord>::of(bytes, wire::RankRecordIdentifier());
    if (!buffer) return damaged;
    auto record = read_rank_record(**buffer, bytes.size());
    if (!record) return damaged;
    return *std::move(record);
}

void limit_lists(RankRecord& record, std::size_t max_bytes) {
    for (const RankRecord::Communicator& communicator : record.communicators)
        max_bytes += communicator.members.size() * sizeof(RankId);
    const auto fits = [&] { return encode_rank_record(record).size() <= max_bytes; };
    if (fits()) return;
    record.waits.clear();
    if (fits()) return;
    record.topologies.clear();
    if (fits()) return;
    record.round_collectives.clear();
    record.rounds = {};
    record.rounds.unclear = true;
}

}  // namespace commmap
