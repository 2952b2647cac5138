// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/check_judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/calibration/check/stream_rate.hpp"

namespace commmap {
namespace {

/// A rate within this share of another class's is that class's.
constexpr double same_rate = 0.15;
/// An outlier is away from its peers by this many of their spreads. On a machine that other work
/// kept busy, clean emulated nodes computed up to 19 % slower than the others, 4 of their spreads.
constexpr double least_spreads = 5.0;
/// A node of another class is off by this factor.
constexpr double other_class = 2.0;

class Judge {
public:
    Judge(const Cluster& cluster, const NodePlaces& places, const CheckPlan& first,
          const CheckValues& first_values, const References& references, const Suspects& suspects,
          const CheckPlan& second, const CheckValues& second_values)
        : cluster_(cluster),
          places_(places),
          first_(first),
          first_values_(first_values),
          references_(references),
          suspects_(suspects),
          second_(second),
          second_values_(second_values) {}

    std::vector<Outlier> outliers() {
        find_work();
        find_places();
        find_uplinks();
        find_ports();
        return std::move(found_);
    }

private:
    template <class Visit>
    static void for_each(const CheckPlan& plan, CheckOf of, Visit visit) {
        for (std::size_t s = 0; s < plan.series.size(); ++s) {
            if (plan.series[s].of != of) continue;
            for (std::size_t p = 0; p < plan.series[s].pairs.size(); ++p) {
                visit(s, p, plan.series[s].pairs[p]);
            }
        }
    }

    /// The node's best time in the first measurement, or in the second.
    [[nodiscard]] static std::optional<double> seconds_of(NodeId node, const CheckPlan& plan,
                                                          const CheckValues& values) {
        std::optional<double> best;
        for_each(plan, CheckOf::work, [&](std::size_t s, std::size_t p, const CheckPair& pair) {
            const auto value = values.fastest(s, p);
            if (pair.sender == node && value) best = std::min(best.value_or(*value), *value);
        });
        return best;
    }

    void find_work() {
        // Nodes beside the suspects show whether all have become slower or faster meanwhile.
        std::map<std::uint32_t, std::vector<double>> controls;
        for_each(second_, CheckOf::work, [&](std::size_t s, std::size_t p, const CheckPair& pair) {
            const auto value = second_values_.fastest(s, p);
            if (value && !suspects_.work.contains(pair.sender)) {
                controls[places_.class_of(pair.sender)].push_back(*value);
            }
        });
        for (const NodeId node : suspects_.work) {
            const auto reference = references_.of_work(node);
            const auto first = seconds_of(node, first_, first_values_);
            const auto second = seconds_of(node, second_, second_values_);
            if (!reference || !first || !second) continue;
            SlowValue value{Direction::out, *first, *second, *reference, true};
            if (const auto& beside = controls[places_.class_of(node)]; !beside.empty()) {
                const double now = median(beside);
                value.reference.spread *= now / value.reference.value;
                value.reference.value = now;
            }
            const bool was_slow = reference->value / *first < 1;
            const double speed = value.share();
            if (was_slow ? speed >= least_share : speed <= most_speed) continue;
            if (value.times_spread() < least_spreads) continue;
            found_.push_back({Outlier::Kind::node, {node}, {}, {value}, no_id});
            explained_.insert(node);
        }
    }

    [[nodiscard]] double first_of(const UplinkEnd& end) const {
        double least = 0.0;
        for (std::uint32_t p = 0; p < first_.paths.size(); ++p) {
            const UplinkPath& path = first_.paths[p];
            const auto value = first_values_.of_path(p);
            if ((end.out ? path.from : path.to) != end.of_switch || !value) continue;
            if (least == 0.0 || *value < least) least = *value;
        }
        return least;
    }

    /// What the streams of a path of the second measurement get, and what they should get.
    struct PathRate {
        double value;
        Reference reference;
    };

    /// Nodes that were slow inside their switch make a path slow where its uplinks are wide. What
    /// their streams got is enough for them; the other streams must get the rest.
    [[nodiscard]] std::optional<PathRate> rate_of_path(std::uint32_t p) const {
        const UplinkPath& path = second_.paths[p];
        auto reference = references_.of_path(path);
        double of_slow_nodes = 0.0;
        double others_by_file = 0.0;
        bool has_slow_node = false;
        for_each(
            second_, CheckOf::uplinks, [&](std::size_t s, std::size_t n, const CheckPair& pair) {
                if (pair.path != p) return;
                if (suspects_.slow_down(pair)) {
                    has_slow_node = true;
                    of_slow_nodes += second_values_.fastest(s, n).value_or(0.0);
                } else {
                    others_by_file += rate_of_ports(cluster_, places_, pair.sender, pair.receiver);
                }
            });
        const auto value =
            has_slow_node ? second_values_.sum_of_path(p) : second_values_.of_path(p);
        if (!value || !reference) return std::nullopt;
        if (has_slow_node && std::isfinite(path.by_file_bytes_per_s)) {
            const double measured_by_file = reference->value / path.by_file_bytes_per_s;
            reference->value =
                std::min(reference->value, of_slow_nodes + others_by_file * measured_by_file);
        }
        return PathRate{*value, *reference};
    }

    void find_uplinks() {
        struct Path {
            UplinkEnd out;
            UplinkEnd in;
            double value;
            Reference reference;
        };
        std::vector<Path> slow;
        std::set<UplinkEnd> suspects = suspects_.uplinks;
        const auto tell_nothing = paths_without_other_streams(second_, suspects_);
        for (std::uint32_t p = 0; p < second_.paths.size(); ++p) {
            const auto rate = rate_of_path(p);
            if (!rate || tell_nothing.contains(p)) continue;
            const UplinkEnd out{second_.paths[p].from, true};
            const UplinkEnd in{second_.paths[p].to, false};
            if (rate->value < least_share * rate->reference.value) {
                slow.push_back({out, in, rate->value, rate->reference});
            } else {
                suspects.erase(out);
                suspects.erase(in);
            }
        }
        for (const auto& [out, in, value, reference] : slow) {
            const bool out_suspect = suspects.contains(out);
            const bool in_suspect = suspects.contains(in);
            if (is_ordinary({Direction::out, 0.0, value, reference})) continue;
            if (out_suspect) slow_uplinks_.insert(out);
            if (in_suspect) slow_uplinks_.insert(in);
            if (out_suspect && in_suspect) {
                add_uplink(Outlier::Kind::path, {out.of_switch, in.of_switch},
                           {Direction::out, first_of(out), value, reference});
            } else if (out_suspect) {
                add_uplink(Outlier::Kind::uplink, {out.of_switch},
                           {Direction::out, first_of(out), value, reference});
            } else if (in_suspect) {
                add_uplink(Outlier::Kind::uplink, {in.of_switch},
                           {Direction::in, first_of(in), value, reference});
            }
        }
    }

    /// Whether peers are so far apart that the value may be one of them.
    [[nodiscard]] static bool is_ordinary(const SlowValue& value) {
        return value.reference.peers > 0 && value.times_spread() < least_spreads;
    }

    /// Keeps a value a direction, out before in.
    static void add_value(std::vector<SlowValue>& values, const SlowValue& value) {
        const auto at = std::find_if(values.begin(), values.end(), [&](const SlowValue& one) {
            return one.direction >= value.direction;
        });
        if (at == values.end() || at->direction != value.direction) values.insert(at, value);
    }

    /// Both directions of an uplink are one outlier.
    void add_uplink(Outlier::Kind kind, std::vector<std::uint32_t> switches, SlowValue value) {
        for (Outlier& other : found_) {
            if (other.kind != kind) continue;
            const bool same = other.switches == switches;
            const bool reversed = kind == Outlier::Kind::path &&
                                  other.switches.front() == switches.back() &&
                                  other.switches.back() == switches.front();
            if (!same && !reversed) continue;
            if (reversed) value.direction = Direction::in;
            add_value(other.values, value);
            return;
        }
        found_.push_back({kind, {}, std::move(switches), {value}, no_id});
    }

    /// What streams got in full uplinks, of one suspect.
    struct Meetings {
        std::optional<double> own;  ///< with a node of the switch that the file says
        std::optional<double> elsewhere;
        std::optional<std::uint32_t> hangs_on;
        bool not_at_home = false;
        bool at_home = false;
    };

    /// The most that an end of a port was seen to get.
    [[nodiscard]] std::optional<double> alone(const PortEnd& end) const {
        const auto first = first_values_.of_port(end.node, end.out);
        const auto second = second_values_.of_port(end.node, end.out);
        return first && second ? std::max(first, second) : first;
    }

    void find_places() {
        struct Meeting {
            NodeId a;
            NodeId b;
            bool full;
            double value;
        };
        std::vector<Meeting> meetings;
        for_each(second_, CheckOf::place, [&](std::size_t s, std::size_t p, const CheckPair& pair) {
            const auto value = second_values_.middle(s, p);
            const auto out = alone({pair.sender, true});
            const auto in = alone({pair.receiver, false});
            const auto usual = references_.of_stream(pair.sender, pair.receiver);
            if (pair.load || !value || !out || !in || !usual) return;
            const double most = std::min(*out, *in);
            // A port that is slow alone cannot show that it shares a full uplink.
            if (most < least_share * usual->value) return;
            meetings.push_back(
                {pair.sender, pair.receiver, *value >= least_share_inside * most, *value});
        });
        std::map<NodeId, Meetings> of;
        const auto place_of = [&](NodeId n) -> std::optional<std::uint32_t> {
            if (!suspects_.places.contains(n)) return places_.switch_of(n);
            return of[n].hangs_on;
        };
        // Each suspect whose place is found helps to place others.
        for (bool more = true; std::exchange(more, false);) {
            for (const Meeting& meeting : meetings) {
                for (const auto& [n, other] :
                     {std::pair(meeting.a, meeting.b), std::pair(meeting.b, meeting.a)}) {
                    const auto where = place_of(other);
                    if (!where || !suspects_.places.contains(n)) continue;
                    Meetings& own = of[n];
                    const bool home = *where == places_.switch_of(n);
                    if (home) {
                        more |= !std::exchange(meeting.full ? own.at_home : own.not_at_home, true);
                        if (!own.own) own.own = meeting.value;
                    } else if (meeting.full) {
                        own.elsewhere = meeting.value;
                    }
                    if (meeting.full && !own.hangs_on) {
                        own.hangs_on = *where;
                        more = true;
                    } else if (!meeting.full && !own.hangs_on && !home) {
                        // It is not there. Of two places the other one is left.
                        if (only_these_two(n, *where)) {
                            own.hangs_on = places_.switch_of(n);
                            more = true;
                        }
                    }
                }
            }
        }
        std::vector<Outlier> moved;
        for (const auto& [n, own] : of) {
            if (own.at_home || (own.hangs_on && *own.hangs_on == places_.switch_of(n))) continue;
            if (!own.hangs_on && !own.not_at_home) continue;
            Outlier outlier{Outlier::Kind::place, {n}, {places_.switch_of(n)}, {}, no_id};
            if (own.hangs_on) outlier.switches.push_back(*own.hangs_on);
            outlier.values.push_back(place_value(n, own));
            explained_.insert(n);
            moved.push_back(std::move(outlier));
        }
        join_swapped(std::move(moved));
    }

    /// Whether the suspects were looked for on no other switches.
    [[nodiscard]] bool only_these_two(NodeId n, std::uint32_t other) const {
        std::size_t leaves = 0;
        for (std::uint32_t s = 0; s < cluster_.switches.size(); ++s) {
            const auto& below = places_.below(s);
            leaves += std::any_of(below.begin(), below.end(),
                                  [&](NodeId hanging) { return places_.switch_of(hanging) == s; })
                          ? 1
                          : 0;
        }
        return leaves == 2 && other != places_.switch_of(n);
    }

    [[nodiscard]] SlowValue place_value(NodeId node, const Meetings& own) const {
        SlowValue value;
        for_each(first_, CheckOf::place, [&](std::size_t s, std::size_t p, const CheckPair& pair) {
            if (pair.load || (pair.sender != node && pair.receiver != node)) return;
            const auto middle = first_values_.middle(s, p);
            if (middle && (value.first == 0.0 || *middle < value.first)) value.first = *middle;
        });
        value.second = own.own.value_or(0.0);
        value.reference.value =
            own.elsewhere.value_or(first_values_.of_port(node, true).value_or(0.0));
        return value;
    }

    void join_swapped(std::vector<Outlier> moved) {
        std::set<std::size_t> joined;
        for (std::size_t a = 0; a < moved.size(); ++a) {
            if (joined.contains(a)) continue;
            for (std::size_t b = a + 1; b < moved.size(); ++b) {
                const auto& from = moved[a].switches;
                const auto& to = moved[b].switches;
                if (joined.contains(b) || from.size() < 2 || to.size() < 2) continue;
                if (from[0] != to[1] || from[1] != to[0]) continue;
                moved[a].kind = Outlier::Kind::swapped;
                moved[a].nodes.push_back(moved[b].nodes.front());
                moved[a].values.push_back(moved[b].values.front());
                joined.insert(b);
                break;
            }
            found_.push_back(std::move(moved[a]));
        }
    }

    /// The reference of a stream, or what others get now if that is less.
    [[nodiscard]] std::optional<Reference> reference_now(const CheckPair& pair) const {
        auto reference = references_.of_stream(pair.sender, pair.receiver);
        if (!reference) return std::nullopt;
        std::vector<double> shares;
        for_each(second_, CheckOf::ports, [&](std::size_t s, std::size_t p, const CheckPair& one) {
            if (suspects_.has(one.sender) || suspects_.has(one.receiver)) return;
            const auto value = second_values_.fastest(s, p);
            const auto usual = references_.of_stream(one.sender, one.receiver);
            if (value && usual) shares.push_back(*value / usual->value);
        });
        if (!shares.empty()) reference->value *= std::min(1.0, median(shares));
        return reference;
    }

    [[nodiscard]] double first_of(const PortEnd& end) const {
        return first_values_.of_port(end.node, end.out).value_or(0.0);
    }

    [[nodiscard]] bool crosses_slow_uplink(NodeId sender, NodeId receiver) const {
        const auto uplinks = uplinks_of_stream(cluster_, places_, sender, receiver);
        return std::any_of(uplinks.begin(), uplinks.end(),
                           [&](const UplinkEnd& end) { return slow_uplinks_.contains(end); });
    }

    void find_ports() {
        struct Stream {
            PortEnd out;
            PortEnd in;
            double value;
            Reference reference;
        };
        std::vector<Stream> slow;
        std::set<PortEnd> suspects = suspects_.ports;
        for_each(second_, CheckOf::ports, [&](std::size_t s, std::size_t p, const CheckPair& pair) {
            const PortEnd out{pair.sender, true};
            const PortEnd in{pair.receiver, false};
            const auto value = second_values_.fastest(s, p);
            const auto reference = reference_now(pair);
            if (!value || !reference) return;
            if (*value < least_share * reference->value) {
                slow.push_back({out, in, *value, *reference});
            } else {
                suspects.erase(out);
                suspects.erase(in);
            }
        });
        std::map<NodeId, std::vector<SlowValue>> by_node;
        for (const auto& [out, in, value, reference] : slow) {
            if (explained_.contains(out.node) || explained_.contains(in.node)) continue;
            if (crosses_slow_uplink(out.node, in.node)) continue;
            const bool out_suspect = suspects.contains(out);
            const bool in_suspect = suspects.contains(in);
            if (!out_suspect && !in_suspect) continue;
            const PortEnd& end = out_suspect ? out : in;
            const SlowValue slow_value{end.out ? Direction::out : Direction::in, first_of(end),
                                       value, reference};
            if (is_ordinary(slow_value)) continue;
            if (out_suspect && in_suspect) {
                found_.push_back(
                    {Outlier::Kind::pair, {out.node, in.node}, {}, {slow_value}, no_id});
            } else {
                add_value(by_node[end.node], slow_value);
            }
        }
        for (auto& [node, values] : by_node) {
            const std::uint32_t like = like_class(node, values.front());
            found_.push_back({Outlier::Kind::port, {node}, {}, std::move(values), like});
        }
    }

    [[nodiscard]] std::uint32_t like_class(NodeId node, const SlowValue& value) const {
        if (value.share() > 1 / other_class) return no_id;
        for (std::uint32_t c = 0; c < cluster_.classes.size(); ++c) {
            const Port& link = cluster_.classes[c].link;
            const double rate = stream_rate(value.direction == Direction::out ? link.out : link.in);
            const bool same = std::abs(value.second / rate - 1) < same_rate;
            if (c != places_.class_of(node) && same) return c;
        }
        return no_id;
    }

    const Cluster& cluster_;
    const NodePlaces& places_;
    const CheckPlan& first_;
    const CheckValues& first_values_;
    const References& references_;
    const Suspects& suspects_;
    const CheckPlan& second_;
    const CheckValues& second_values_;
    std::vector<Outlier> found_;
    std::set<NodeId> explained_;        ///< whose ports need no explanation any more
    std::set<UplinkEnd> slow_uplinks_;  ///< named; of a path both
};

}  // namespace

std::set<std::uint32_t> paths_without_other_streams(const CheckPlan& second,
                                                    const Suspects& suspects) {
    std::set<std::uint32_t> paths;
    for (std::uint32_t p = 0; p < second.paths.size(); ++p) paths.insert(p);
    for (const CheckSeries& series : second.series) {
        if (series.of != CheckOf::uplinks) continue;
        for (const CheckPair& pair : series.pairs) {
            if (!suspects.slow_down(pair)) paths.erase(pair.path);
        }
    }
    return paths;
}

double SlowValue::share() const {
    return is_work ? reference.value / second : second / reference.value;
}

double SlowValue::times_spread() const {
    return reference.spread > 0 ? std::abs(second - reference.value) / reference.spread : 0.0;
}

std::vector<Outlier> judge(const Cluster& cluster, const NodePlaces& places, const CheckPlan& first,
                           const CheckValues& first_values, const References& references,
                           const Suspects& suspects, const CheckPlan& second,
                           const CheckValues& second_values) {
    return Judge(cluster, places, first, first_values, references, suspects, second, second_values)
        .outliers();
}

}  // namespace commmap
