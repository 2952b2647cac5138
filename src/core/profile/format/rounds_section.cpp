// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/rounds_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/flat_buffer.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/profile_checks.hpp"
#include "core/profile/round_order.hpp"

namespace commmap {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Removes what differs between equal ranks: times, and peers, which become distances. Ranks with
/// equal results share one course in the file.
RankRounds course_of(RankRounds rounds, RankId rank) {
    for (Signature& signature : rounds.signatures) {
        signature.seconds = 0.0;
        signature.before_wait_s = 0.0;
        for (auto* cells : {&signature.sent, &signature.put, &signature.fetched})
            for (TrafficCell& cell : *cells) cell.peer -= rank;
        for (Signature::Received& received : signature.received) received.peer -= rank;
    }
    return rounds;
}

/// Cells of traffic as the file stores them, column by column.
struct Columns {
    Offset<flatbuffers::Vector<std::uint32_t>> distance;
    Offset<flatbuffers::Vector<std::uint8_t>> bucket;
    Offset<flatbuffers::Vector<std::uint64_t>> count;
    Offset<flatbuffers::Vector<std::uint64_t>> bytes;
};

Offset<format3::Signature> store(FlatBufferBuilder& builder, const Signature& signature,
                                 RankId rank) {
    const auto distances = [&](const auto& list) {
        std::vector<std::uint32_t> values;
        values.reserve(list.size());
        for (const auto& with : list) values.push_back(with.peer - rank);
        return builder.CreateVector(values);
    };
    const auto numbers = [&]<class Value, class Number>(const std::vector<Value>& list,
                                                        Number (*number)(const Value&)) {
        std::vector<Number> values;
        values.reserve(list.size());
        for (const Value& value : list) values.push_back(number(value));
        return builder.CreateVector(values);
    };
    const auto columns = [&](const std::vector<TrafficCell>& cells) {
        // Braces, because they fix the order in which FlatBuffers get the columns.
        return Columns{
            distances(cells),
            numbers(
                cells,
                +[](const TrafficCell& cell) { return static_cast<std::uint8_t>(cell.bucket); }),
            numbers(
                cells, +[](const TrafficCell& cell) { return cell.count; }),
            numbers(
                cells, +[](const TrafficCell& cell) { return cell.bytes; })};
    };
    using Begun = Signature::Begun;
    using Meeting = Signature::Meeting;
    const Columns sent = columns(signature.sent);
    const Columns put = columns(signature.put);
    const Columns fetched = columns(signature.fetched);
    const auto received_distance = distances(signature.received);
    const auto received_count = numbers(
        signature.received, +[](const Signature::Received& r) { return r.count; });
    const auto collective = numbers(
        signature.collectives, +[](const Begun& begun) { return begun.collective; });
    const auto calls = numbers(
        signature.collectives, +[](const Begun& begun) { return begun.calls; });
    const auto payload = numbers(
        signature.collectives, +[](const Begun& begun) { return begun.bytes; });
    const auto communicator = numbers(
        signature.meetings, +[](const Meeting& meeting) { return meeting.communicator; });
    const auto begun = numbers(
        signature.meetings, +[](const Meeting& meeting) { return meeting.begun; });
    const auto completed = numbers(
        signature.meetings, +[](const Meeting& meeting) { return meeting.completed; });
    return format3::CreateSignature(builder, signature.rounds, sent.distance, sent.bucket,
                                    sent.count, sent.bytes, put.distance, put.bucket, put.count,
                                    put.bytes, fetched.distance, fetched.bucket, fetched.count,
                                    fetched.bytes, received_distance, received_count, collective,
                                    calls, payload, communicator, begun, completed);
}

Offset<format3::Course> store(FlatBufferBuilder& builder, const RankRounds& rounds, RankId rank) {
    std::vector<Offset<format3::Signature>> signatures;
    for (const Signature& signature : rounds.signatures)
        signatures.push_back(store(builder, signature, rank));
    const std::string text = encode_order(rounds.order);
    const std::vector<std::uint8_t> order(text.begin(), text.end());
    std::vector<std::uint8_t> from;
    std::vector<std::uint8_t> to;
    std::vector<std::uint64_t> count;
    for (const RankRounds::Succession& succession : rounds.successions) {
        from.push_back(succession.from);
        to.push_back(succession.to);
        count.push_back(succession.count);
    }
    return format3::CreateCourseDirect(builder, &signatures, rounds.other_rounds, &order, &from,
                                       &to, &count, rounds.unclear);
}

/// Reads courses, and limits the total length of their lists.
class CourseReader {
public:
    CourseReader(std::uint64_t most_bytes, std::size_t num_ranks)
        : bytes_left_(most_bytes), most_listed_(Rounds::most_listed(num_ranks)) {}

    /// Reads a course, in which peers are distances. false: its lists are damaged.
    bool read(const format3::Course& in, RankRounds& rounds) {
        items_left_ = RankRounds::most_items;
        if (in.signatures()->size() > RankRounds::most_signatures ||
            !take(in.from(), in.to(), in.count()) || !take(in.order()))
            return false;
        for (const format3::Signature* signature : *in.signatures())
            if (!read(*signature, rounds.signatures.emplace_back())) return false;
        rounds.other_rounds = in.other_rounds();
        const std::string_view text(reinterpret_cast<const char*>(in.order()->data()),
                                    in.order()->size());
        auto order = decode_order(text, most_listed_);
        if (!order) return false;
        rounds.order = std::move(*order);
        for (flatbuffers::uoffset_t i = 0; i < in.from()->size(); ++i)
            rounds.successions.push_back({in.from()->Get(i), in.to()->Get(i), in.count()->Get(i)});
        rounds.unclear = in.unclear();
        return true;
    }

private:
    bool read(const format3::Signature& in, Signature& signature) {
        const std::uint64_t items = std::uint64_t{in.sent_distance()->size()} +
                                    in.put_distance()->size() + in.fetched_distance()->size() +
                                    in.received_distance()->size() + in.collective()->size() +
                                    in.communicator()->size();
        if (items > items_left_) return false;
        items_left_ -= items;
        if (!take(in.sent_distance(), in.sent_bucket(), in.sent_count(), in.sent_bytes()) ||
            !take(in.put_distance(), in.put_bucket(), in.put_count(), in.put_bytes()) ||
            !take(in.fetched_distance(), in.fetched_bucket(), in.fetched_count(),
                  in.fetched_bytes()) ||
            !take(in.received_distance(), in.received_count()) ||
            !take(in.collective(), in.collective_calls(), in.collective_bytes()) ||
            !take(in.communicator(), in.begun(), in.completed()))
            return false;
        signature.rounds = in.rounds();
        signature.sent =
            cells(*in.sent_distance(), *in.sent_bucket(), *in.sent_count(), *in.sent_bytes());
        signature.put =
            cells(*in.put_distance(), *in.put_bucket(), *in.put_count(), *in.put_bytes());
        signature.fetched = cells(*in.fetched_distance(), *in.fetched_bucket(), *in.fetched_count(),
                                  *in.fetched_bytes());
        for (flatbuffers::uoffset_t i = 0; i < in.received_distance()->size(); ++i)
            signature.received.push_back(
                {in.received_distance()->Get(i), in.received_count()->Get(i)});
        for (flatbuffers::uoffset_t i = 0; i < in.collective()->size(); ++i)
            signature.collectives.push_back({in.collective()->Get(i), in.collective_calls()->Get(i),
                                             in.collective_bytes()->Get(i)});
        for (flatbuffers::uoffset_t i = 0; i < in.communicator()->size(); ++i)
            signature.meetings.push_back(
                {in.communicator()->Get(i), in.begun()->Get(i), in.completed()->Get(i)});
        return true;
    }
    /// @pre take() has accepted the lists, which are of equal length
    static std::vector<TrafficCell> cells(const flatbuffers::Vector<std::uint32_t>& distance,
                                          const flatbuffers::Vector<std::uint8_t>& bucket,
                                          const flatbuffers::Vector<std::uint64_t>& count,
                                          const flatbuffers::Vector<std::uint64_t>& bytes) {
        std::vector<TrafficCell> row;
        for (flatbuffers::uoffset_t i = 0; i < distance.size(); ++i)
            row.push_back({distance.Get(i), bucket.Get(i), count.Get(i), bytes.Get(i)});
        return row;
    }
    /// Tells whether the lists are of equal length, and all lists taken so far fit the section. So
    /// lists that overlap in a made-up file cannot take more memory than the section.
    template <class First, class... Lists>
    bool take(const First* first, const Lists*... lists) {
        if (!is_aligned(first) || !((lists->size() == first->size() && is_aligned(lists)) && ...))
            return false;
        const std::uint64_t bytes =
            std::uint64_t{first->size()} *
            (sizeof(typename First::value_type) + ... + sizeof(typename Lists::value_type));
        if (bytes > bytes_left_) return false;
        bytes_left_ -= bytes;
        return true;
    }

    std::uint64_t bytes_left_;
    std::uint64_t items_left_ = 0;  ///< what the course may still have
    std::size_t most_listed_;
};

}  // namespace

void finish_round_collectives(FlatBufferBuilder& builder,
                              std::span<const RoundCollective> collectives) {
    std::vector<std::uint32_t> communicator;
    std::vector<std::uint8_t> op;
    std::vector<std::uint32_t> root;
    std::vector<std::uint8_t> flags;
    std::vector<std::uint8_t> bucket;
    for (const RoundCollective& collective : collectives) {
        communicator.push_back(collective.communicator);
        op.push_back(static_cast<std::uint8_t>(collective.op));
        root.push_back(collective.root);
        flags.push_back(collective.in_peer_traffic ? 1 : 0);
        bucket.push_back(collective.bucket);
    }
    builder.Finish(
        format3::CreateRoundCollectivesDirect(builder, &communicator, &op, &root, &flags, &bucket));
}

void finish_rounds(FlatBufferBuilder& builder, std::span<const RankRounds> rounds, RankId first) {
    std::map<RankRounds, std::uint32_t> known;
    std::vector<Offset<format3::Course>> courses;
    std::vector<std::uint32_t> course;
    std::vector<double> seconds;
    std::vector<double> before_wait_s;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        const RankId rank = first + static_cast<RankId>(i);
        const auto [at, is_new] = known.try_emplace(course_of(rounds[i], rank),
                                                    static_cast<std::uint32_t>(courses.size()));
        if (is_new) courses.push_back(store(builder, rounds[i], rank));
        course.push_back(at->second);
        for (const Signature& signature : rounds[i].signatures) {
            seconds.push_back(signature.seconds);
            before_wait_s.push_back(signature.before_wait_s);
        }
    }
    builder.Finish(
        format3::CreateRoundsDirect(builder, &courses, &course, &seconds, &before_wait_s));
}

std::size_t most_bytes_of(const RankRounds& rounds) {
    constexpr std::size_t of_a_signature = 256;
    constexpr std::size_t of_an_item = 24;
    std::size_t bytes =
        of_a_signature + 2 * rounds.order.size() + of_an_item * rounds.successions.size();
    for (const Signature& signature : rounds.signatures)
        bytes += of_a_signature +
                 of_an_item *
                     (signature.sent.size() + signature.fetched.size() + signature.received.size() +
                      signature.collectives.size() + signature.meetings.size());
    return bytes;
}

Status add_round_collectives(const format3::RoundCollectives& in,
                             std::vector<RoundCollective>& collectives) {
    const flatbuffers::uoffset_t size = in.op()->size();
    if (in.communicator()->size() != size || in.root()->size() != size ||
        in.flags()->size() != size || in.bucket()->size() != size ||
        !is_aligned(in.communicator()) || !is_aligned(in.root()))
        return corrupt("rounds: its lists do not fit together");
    for (flatbuffers::uoffset_t i = 0; i < size; ++i) {
        if (in.flags()->Get(i) > 1) return corrupt("rounds: unknown flags");
        collectives.push_back({.communicator = in.communicator()->Get(i),
                               .op = static_cast<CollectiveOp>(in.op()->Get(i)),
                               .in_peer_traffic = in.flags()->Get(i) != 0,
                               .bucket = in.bucket()->Get(i),
                               .root = in.root()->Get(i)});
    }
    return Ok{};
}

Status add_rounds(const format3::Rounds& in, std::uint32_t num_ranks, std::uint64_t raw_bytes,
                  const RoundLimits& limits, std::vector<RankRounds>& ranks) {
    const auto unfit = [] { return corrupt("rounds: its lists do not fit together"); };
    if (in.course()->size() != num_ranks || in.courses()->size() > num_ranks ||
        in.seconds()->size() != in.before_wait_s()->size() || !is_aligned(in.course()) ||
        !is_aligned(in.seconds()) || !is_aligned(in.before_wait_s()))
        return unfit();
    CourseReader reader(raw_bytes, limits.num_ranks);
    std::vector<RankRounds> courses(in.courses()->size());
    for (flatbuffers::uoffset_t i = 0; i < in.courses()->size(); ++i)
        if (!reader.read(*in.courses()->Get(i), courses[i])) return unfit();
    flatbuffers::uoffset_t next = 0;
    std::uint64_t copied_bytes = 0;
    for (std::uint32_t i = 0; i < num_ranks; ++i) {
        const std::uint32_t course = in.course()->Get(i);
        if (course >= courses.size()) return unfit();
        copied_bytes += most_bytes_of(courses[course]);
        if (copied_bytes > max_section_bytes) return corrupt("rounds: they take too much memory");
        const auto rank = static_cast<RankId>(ranks.size());
        RankRounds& rounds = ranks.emplace_back(courses[course]);
        if (rounds.signatures.size() > in.seconds()->size() - next) return unfit();
        for (Signature& signature : rounds.signatures) {
            signature.seconds = in.seconds()->Get(next);
            signature.before_wait_s = in.before_wait_s()->Get(next);
            ++next;
            for (auto* cells : {&signature.sent, &signature.put, &signature.fetched})
                for (TrafficCell& cell : *cells) cell.peer += rank;
            for (Signature::Received& received : signature.received) received.peer += rank;
        }
        if (Status s = check_rounds(fmt::format("rank {}", rank), rounds, limits); !s) return s;
    }
    return next == in.seconds()->size() ? Status(Ok{}) : unfit();
}

}  // namespace commmap
