// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/simulation/run_simulator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/simulation/network.hpp"
#include "core/simulation/protocol.hpp"

namespace commmap {
namespace {

using Index = std::uint32_t;

/// A queue, first in first out. An empty std::deque would take 0.5 KiB; an empty Fifo takes no
/// heap.
template <class T>
class Fifo {
public:
    [[nodiscard]] bool empty() const { return first_ == items_.size(); }
    [[nodiscard]] const T& front() const { return items_[first_]; }
    [[nodiscard]] const T& back() const { return items_.back(); }
    void push(const T& item) { items_.push_back(item); }
    void pop() {
        if (++first_ < items_.size()) return;
        items_.clear();
        first_ = 0;
    }
    [[nodiscard]] bool has_one() const { return items_.size() - first_ == 1; }

private:
    std::vector<T> items_;
    std::size_t first_ = 0;
};

/// What a connection carries. A long message takes three parts (rendezvous protocol).
enum class Part : std::uint8_t {
    message,       ///< a short message
    announcement,  ///< tells the receiver of a long message
    answer,        ///< tells the sender that the receive of a long message is posted
    data,          ///< the bytes of a long message
};

/// A burst of one part, on its way to a port.
struct Burst {
    double bytes = 0.0;
    double began_s = 0.0;  ///< when the burst began to wait for its first port, or to use it
    double ends_s = 0.0;   ///< the latest end at the ports so far
    Index channel = 0;
    Index sent = 0;  ///< index into sent_
    Index hop = 0;   ///< index into the hops of the route
    Part part = Part::message;
    bool is_first = false;  ///< whether it is the first burst of its part
    bool is_last = false;
};
enum class What : std::uint8_t {
    rank_goes_on,
    connection_is_ready,
    burst_comes,     ///< a burst comes to a port
    burst_has_left,  ///< a burst has left its node, or inside a node its first port
    part_has_arrived,
};
struct Event {
    double time_s;
    Index number;  ///< at equal times, events come in the order in which they were planned
    Index index;   ///< of a rank, connection, or burst
    What what;
    /// Returns whether this event comes later: the top of a std::priority_queue is its largest
    /// item.
    bool operator<(const Event& other) const {
        return time_s != other.time_s ? time_s > other.time_s : number > other.number;
    }
};

/// Messages of one stream that are sent together.
struct Sent {
    Index stream;
    Index count;
    double bytes;         ///< of each message
    std::uint64_t until;  ///< number of the stream's messages up to and with these
    bool is_announced;    ///< of a long message: the announcement has arrived
    bool is_closed;       ///< of a long message: the sender need not wait any more
};
struct Queued {
    Part part;
    Index sent;
    double ready_s;
};
struct Connection {
    Fifo<Queued> waiting;     ///< the first part is being sent, or is the next to be sent
    double left_bytes = 0.0;  ///< of the part that is being sent
    double free_at_s = 0.0;   ///< when the last part has left
};
/// Numbers of a stream's messages in each state.
struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    std::uint64_t arrived = 0;
    std::uint64_t taken = 0;  ///< by ranks that waited for them
    Fifo<Index> unasked;      ///< long messages (in sent_) whose receiver has not answered
};
struct Rank {
    std::size_t round = 0;
    std::size_t range = 0;
    Index stage = 0;  ///< counted from the first of the range
    bool is_in_round = false;
    bool has_begun = false;      ///< whether the stage has begun: the rank is in MPI, and waits
    double left_s = -1.0;        ///< when the rank left MPI last; -1: never
    bool ignores_sends = false;  ///< whether the rank does not wait for the ends of sends
    double begins_s = -1.0;      ///< when the round begins; -1: not known yet
    /// Numbers of long messages whose rest does not fit the socket yet: [0] point-to-point, [1] of
    /// collectives.
    std::array<Index, 2> open_sends = {};
    /// Announcements and answers that came while the rank was not in MPI.
    std::vector<Burst> unread;
};

/// One simulation of a script with one placement and one seed.
class Simulation {
public:
    /// @param routes  by channel
    Simulation(const RunScript& script, std::span<const Route> routes, std::size_t num_ports,
               double most_late_s, std::uint64_t seed)
        : script_(script),
          routes_(routes),
          most_late_s_(most_late_s),
          seed_(seed),
          free_at_(num_ports, 0.0),
          connections_(script.channels.size()),
          counts_(script.streams.size()),
          ranks_(script.ranks.size()) {
        for (Index i = 0; i < counts_.size(); ++i) {
            const RunScript::Before& before = script.before[i];
            counts_[i].sent = counts_[i].arrived = before.sent;
            counts_[i].posted = counts_[i].taken = before.received;
        }
    }

    /// @return the time of the last event
    double run() {
        for (RankId rank = 0; rank < ranks_.size(); ++rank) advance(rank);
        while (!events_.empty() || go_on_without_sends()) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time_s;
            switch (event.what) {
                case What::rank_goes_on:
                    advance(event.index);
                    break;
                case What::connection_is_ready:
                    begin_next(event.index);
                    break;
                case What::burst_comes:
                    unused_bursts_.push_back(event.index);
                    pass_ports(bursts_[event.index]);
                    break;
                case What::burst_has_left:
                    send_burst(event.index, false);
                    break;
                case What::part_has_arrived:
                    unused_bursts_.push_back(event.index);
                    arrive(bursts_[event.index]);
                    break;
            }
        }
        return now_;
    }

    [[nodiscard]] double share_done() const {
        double all = 0.0;
        double done = 0.0;
        for (RankId rank = 0; rank < ranks_.size(); ++rank) {
            all += static_cast<double>(script_.ranks[rank].order.size());
            done += static_cast<double>(ranks_[rank].round);
        }
        return all > 0.0 ? done / all : 1.0;
    }

private:
    void plan(double time_s, What what, Index index) {
        events_.push({time_s, number_++, index, what});
    }

    /// Plans an event of a burst. Bursts are kept outside of the queue, which moves its events.
    void plan_burst(double time_s, What what, const Burst& burst) {
        if (unused_bursts_.empty()) {
            unused_bursts_.push_back(static_cast<Index>(bursts_.size()));
            bursts_.emplace_back();
        }
        const Index number = unused_bursts_.back();
        unused_bursts_.pop_back();
        bursts_[number] = burst;
        plan(time_s, what, number);
    }

    /// Returns how late a round or an answer is, at random. The number is the same in all
    /// placements, so that placements are compared under equal conditions.
    /// @param what   2 * rank, or 2 * stream + 1
    /// @param which  number of the rank's round, or of the stream's message
    [[nodiscard]] double lateness_s(std::uint64_t what, std::uint64_t which) const {
        // Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014
        std::uint64_t z = (seed_ << 56) + (what << 24) + which;
        z = (z + 0x9e37'79b9'7f4a'7c15) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return most_late_s_ * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

    // These functions are about one rank.

    void advance(RankId number) {
        Rank& rank = ranks_[number];
        const RunScript::Rank& script = script_.ranks[number];
        while (rank.round < script.order.size()) {
            if (!rank.is_in_round) {
                if (rank.begins_s < 0.0) {
                    rank.begins_s = now_ + script.before_round_s +
                                    lateness_s(2 * std::uint64_t{number}, rank.round);
                    plan(rank.begins_s, What::rank_goes_on, number);
                }
                if (now_ < rank.begins_s) return;
                rank.begins_s = -1.0;
                rank.is_in_round = true;
                rank.range = 0;
                rank.stage = 0;
            }
            const std::vector<RunScript::StageRange>& ranges =
                script.rounds[script.order[rank.round]];
            if (rank.range == ranges.size()) {
                rank.is_in_round = false;
                ++rank.round;
                continue;
            }
            const auto [first, end] = ranges[rank.range];
            if (first + rank.stage == end) {
                ++rank.range;
                rank.stage = 0;
                continue;
            }
            const ScriptStage& stage = script_.stages[first + rank.stage];
            if (!rank.has_begun) {
                rank.has_begun = true;
                begin(number, stage);
                for (const Burst& control : std::exchange(rank.unread, {})) take(control);
            }
            if (waits_for_sends(rank, stage)) return;
            for (const ScriptStage::Receive& wait : stage.waits)
                if (counts_[wait.stream].arrived < counts_[wait.stream].taken + wait.count) return;
            for (const ScriptStage::Receive& wait : stage.waits)
                counts_[wait.stream].taken += wait.count;
            rank.has_begun = false;
            rank.left_s = now_;
            ++rank.stage;
        }
    }

    static bool waits_for_sends(const Rank& rank, const ScriptStage& stage) {
        if (rank.ignores_sends || stage.waits_for_sends == ScriptStage::Sends::none) return false;
        return rank.open_sends[1] > 0 ||
               (stage.waits_for_sends == ScriptStage::Sends::all && rank.open_sends[0] > 0);
    }

    /// Lets ranks go on without waiting for their sends, if no event is left. Such ranks wait for
    /// sends that the program itself waits for in a later round.
    /// @return  false if nothing can go on
    bool go_on_without_sends() {
        for (RankId rank = 0; rank < ranks_.size(); ++rank) {
            if (ranks_[rank].open_sends == std::array<Index, 2>{}) continue;
            ranks_[rank].ignores_sends = true;
            advance(rank);
            ranks_[rank].ignores_sends = false;
        }
        return !events_.empty();
    }

    void begin(RankId rank, const ScriptStage& stage) {
        for (const ScriptStage::Receive& post : stage.posts) {
            counts_[post.stream].posted += post.count;
            answer(post.stream);
        }
        for (const ScriptStage::Send& send : stage.sends) {
            const MessageStream& stream = script_.streams[send.stream];
            const bool is_long =
                stream.is_received &&
                Protocol::is_long(send.bytes, routes_[stream.channel].between_nodes);
            if (is_long) ranks_[rank].open_sends[stream.is_of_collectives ? 1 : 0] += send.count;
            const Index together = Protocol::sent_together(send.bytes);
            for (Index left = send.count; left > 0;) {
                const Index count = is_long ? 1 : std::min(left, together);
                left -= count;
                const Index sent = note_sent(send.stream, count, send.bytes);
                if (is_long) counts_[send.stream].unasked.push(sent);
                put(stream.channel, is_long ? Part::announcement : Part::message, sent);
            }
        }
    }

    Index note_sent(Index stream, Index count, double bytes) {
        counts_[stream].sent += count;
        sent_.push_back({stream, count, bytes, counts_[stream].sent, false, false});
        return static_cast<Index>(sent_.size() - 1);
    }

    /// Answers the long messages that have been announced and whose receives are posted.
    void answer(Index stream) {
        Counts& counts = counts_[stream];
        while (!counts.unasked.empty()) {
            const Index number = counts.unasked.front();
            if (!sent_[number].is_announced || counts.posted < sent_[number].until) return;
            counts.unasked.pop();
            put(script_.channels[script_.streams[stream].channel].back, Part::answer, number,
                lateness_s(2 * std::uint64_t{stream} + 1, sent_[number].until));
        }
    }

    // These functions are about one connection.

    void put(Index channel, Part part, Index sent, double late_s = 0.0) {
        Connection& connection = connections_[channel];
        double ready_s = now_ + routes_[channel].latency_s + late_s;
        ready_s = std::max(ready_s, connection.waiting.empty() ? connection.free_at_s
                                                               : connection.waiting.back().ready_s);
        connection.waiting.push({part, sent, ready_s});
        if (connection.waiting.has_one()) plan(ready_s, What::connection_is_ready, channel);
    }

    void begin_next(Index channel) {
        Connection& connection = connections_[channel];
        const Queued& next = connection.waiting.front();
        connection.left_bytes = bytes_of(next);
        send_burst(channel, true);
    }

    [[nodiscard]] static bool is_control(Part part) {
        return part == Part::announcement || part == Part::answer;
    }

    [[nodiscard]] double bytes_of(const Queued& queued) const {
        const Sent& sent = sent_[queued.sent];
        return is_control(queued.part) ? Protocol::control_bytes : sent.bytes * sent.count;
    }

    /// Notes that a long message's sender need not wait any more: the rest fits its socket.
    void close_send(Index number) {
        if (sent_[number].is_closed) return;
        sent_[number].is_closed = true;
        const Index stream = sent_[number].stream;
        const RankId rank = script_.channels[script_.streams[stream].channel].source;
        --ranks_[rank].open_sends[script_.streams[stream].is_of_collectives ? 1 : 0];
        plan(now_, What::rank_goes_on, rank);
    }

    void send_burst(Index channel, bool is_first) {
        Connection& connection = connections_[channel];
        const Queued& queued = connection.waiting.front();
        const double most =
            std::max(Protocol::burst_bytes, bytes_of(queued) / Protocol::most_bursts);
        // A last burst of less than half the size is sent together with the one before.
        const double bytes = connection.left_bytes > 1.5 * most ? most : connection.left_bytes;
        if (queued.part == Part::data && connection.left_bytes <= Protocol::socket_bytes)
            close_send(queued.sent);
        connection.left_bytes -= bytes;
        pass_ports({bytes, now_, now_, channel, queued.sent, 0, queued.part, is_first,
                    connection.left_bytes <= 0.0});
    }

    void pass_ports(Burst burst) {
        const Index channel = burst.channel;
        const Route& route = routes_[channel];
        const Sent& sent = sent_[burst.sent];
        if (route.hops.empty()) leave(channel, now_);  // to the same PU
        for (; burst.hop < route.hops.size(); ++burst.hop) {
            const Route::Hop& hop = route.hops[burst.hop];
            double& free_at_s = free_at_[hop.port];
            const double gaps_s =
                burst.is_first ? hop.gap_s * (is_control(burst.part) ? 1.0 : sent.count) : 0.0;
            const double begins_s = std::max(now_, free_at_s);
            const double alone_s =
                hop.alone_s(burst.bytes, is_control(burst.part) ? burst.bytes : sent.bytes);
            free_at_s = begins_s + gaps_s + hop.busy_s(burst.bytes);
            burst.ends_s = std::max({burst.ends_s, free_at_s, begins_s + gaps_s + alone_s});
            if (burst.hop == route.leaves_at) leave(channel, burst.ends_s);
            if (begins_s > now_ && burst.hop + 1U < route.hops.size()) {
                ++burst.hop;
                plan_burst(begins_s, What::burst_comes, burst);
                return;
            }
        }
        if (burst.is_last) plan_burst(burst.ends_s, What::part_has_arrived, burst);
    }

    /// Plans what follows when a burst has left its node, or inside a node its first port. The
    /// part's next burst follows, or the next part.
    void leave(Index channel, double time_s) {
        Connection& connection = connections_[channel];
        if (connection.left_bytes > 0.0) {
            plan(time_s, What::burst_has_left, channel);
            return;
        }
        connection.waiting.pop();
        connection.free_at_s = time_s;
        if (!connection.waiting.empty())
            plan(std::max(time_s, connection.waiting.front().ready_s), What::connection_is_ready,
                 channel);
    }

    /// Delivers the last burst of a part to its rank.
    ///
    /// A rank outside of MPI reads announcements and answers when it next waits in MPI, after it
    /// has begun its own messages. A part under way when the rank left MPI came in the packets
    /// of what the rank waited for, and was read with those.
    void arrive(Burst last) {
        const RankId number = script_.channels[last.channel].destination;
        Rank& rank = ranks_[number];
        const bool is_at_end = rank.round == script_.ranks[number].order.size();
        const bool is_in_mpi = rank.has_begun || is_at_end || last.began_s <= rank.left_s;
        if (is_control(last.part) && !is_in_mpi)
            rank.unread.push_back(last);
        else
            take(last);
    }

    void take(const Burst& last) {
        Sent& sent = sent_[last.sent];
        const RankChannel& ends = script_.channels[last.channel];
        switch (last.part) {
            case Part::announcement:
                sent.is_announced = true;
                answer(sent.stream);
                break;
            case Part::answer:
                put(ends.back, Part::data, last.sent);
                break;
            case Part::data:
                close_send(last.sent);
                [[fallthrough]];
            case Part::message:
                counts_[sent.stream].arrived += sent.count;
                advance(ends.destination);
                break;
        }
    }

    const RunScript& script_;
    std::span<const Route> routes_;
    double most_late_s_;
    std::uint64_t seed_;
    double now_ = 0.0;
    Index number_ = 0;
    std::priority_queue<Event> events_;
    std::vector<Burst> bursts_;         ///< the bursts of planned events
    std::vector<Index> unused_bursts_;  ///< free places in bursts_
    std::vector<double> free_at_;       ///< by port
    std::vector<Connection> connections_;
    std::vector<Counts> counts_;  ///< by stream
    std::vector<Sent> sent_;
    std::vector<Rank> ranks_;
};

}  // namespace

Result<double> simulated_time_s(const RunScript& script, const Hct& hct,
                                std::span<const PuId> placement, const SimulationOptions& options) {
    if (placement.size() != script.ranks.size())
        return Error{Errc::invalid_input,
                     fmt::format("the placement is of {} ranks, the script of {}", placement.size(),
                                 script.ranks.size())};
    const double most_late_s = options.lateness * largest_latency_s(hct);
    std::vector<Route> routes;
    routes.reserve(script.channels.size());
    for (const RankChannel& channel : script.channels)
        routes.push_back(
            route_between(placement[channel.source], placement[channel.destination], hct));
    double sum_s = 0.0;
    for (unsigned i = 0; i < script.repeats; ++i) {
        Simulation simulation(script, routes, num_route_ports(hct), most_late_s, options.seed + i);
        sum_s += simulation.run();
        if (simulation.share_done() < 0.5)
            return Error{Errc::not_supported, "ranks wait for messages that no round sends"};
    }
    return sum_s / script.repeats;
}

}  // namespace commmap
