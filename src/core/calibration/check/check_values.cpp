// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/check_values.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/calibration/check/stream_rate.hpp"

namespace commmap {
namespace {

constexpr std::size_t least_peers = 3;
constexpr std::size_t least_switches = 4;
/// Two swapped nodes make two pairs slow: more than half of the values of fewer pairs.
constexpr std::size_t least_pairs_of_median = 5;
/// Values within this share of the median say how far ordinary ones are apart.
constexpr double ordinary = 0.15;
/// Blocks repeat no better than that.
constexpr double least_spread = 0.01;

/// @param value  what they are compared with: their median, or one nearby
Reference reference_of(const std::vector<double>& values, double reference_value) {
    Reference reference{reference_value, static_cast<std::uint32_t>(values.size()), 0.0};
    double sum = 0.0;
    std::size_t count = 0;
    for (const double value : values) {
        const double off = std::abs(value - reference.value);
        if (off > ordinary * reference.value) continue;
        sum += off;
        ++count;
    }
    reference.spread = std::max(least_spread * reference.value,
                                sum / static_cast<double>(std::max<std::size_t>(count, 1)));
    return reference;
}

/// The value that a quarter of them exceed. @pre not empty
double upper_quarter(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() - 1 - values.size() / 4];
}

/// The streams of one kind that are peers of each other.
class StreamPeers {
public:
    /// Leaves a stream out when one of its nodes is in another pair already.
    void add(NodeId sender, NodeId receiver, double value) {
        if (partner_.try_emplace(sender, receiver).first->second != receiver) return;
        if (partner_.try_emplace(receiver, sender).first->second != sender) return;
        pairs_.insert(std::minmax(sender, receiver));
        values_.push_back(value);
    }
    /// nullopt: one pair would be compared with itself.
    [[nodiscard]] std::optional<Reference> reference() const {
        if (pairs_.size() < 2) return std::nullopt;
        const bool few = pairs_.size() < least_pairs_of_median;
        return reference_of(values_, few ? upper_quarter(values_) : median(values_));
    }

private:
    std::map<NodeId, NodeId> partner_;
    std::set<std::pair<NodeId, NodeId>> pairs_;
    std::vector<double> values_;
};

std::optional<Reference> by_file(double value) {
    if (!std::isfinite(value)) return std::nullopt;
    return Reference{value, 0, 0.0};
}

}  // namespace

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

CheckValues::CheckValues(const CheckPlan& plan, std::span<const Measured> measured)
    : blocks_(plan.series.size()), paths_(plan.paths.size()), path_sums_(plan.paths.size(), 0.0) {
    for (std::size_t s = 0; s < plan.series.size(); ++s) {
        blocks_[s].resize(plan.series[s].pairs.size());
        is_work_.push_back(plan.series[s].of == CheckOf::work);
    }
    for (const Measured& one : measured) {
        if (one.series >= blocks_.size() || one.pair >= blocks_[one.series].size()) continue;
        auto& blocks = blocks_[one.series][one.pair];
        blocks = one.blocks;
        std::sort(blocks.begin(), blocks.end());
    }
    std::vector<std::uint32_t> seen(paths_.size(), 0);
    for (std::size_t s = 0; s < plan.series.size(); ++s) {
        for (std::size_t p = 0; p < plan.series[s].pairs.size(); ++p) {
            const CheckPair& pair = plan.series[s].pairs[p];
            const auto value = fastest(s, p);
            if (!value) continue;
            if (plan.series[s].of == CheckOf::ports) {
                for (const auto& port :
                     {std::pair(pair.sender, true), std::pair(pair.receiver, false)}) {
                    double& most = ports_[port];
                    most = std::max(most, *value);
                }
            } else if (plan.series[s].of == CheckOf::uplinks) {
                const double together = *value * plan.paths[pair.path].num_pairs;
                auto& of_path = paths_[pair.path];
                of_path = std::min(of_path.value_or(together), together);
                path_sums_[pair.path] += *value;
                ++seen[pair.path];
            }
        }
    }
    for (std::size_t p = 0; p < paths_.size(); ++p) {
        if (seen[p] != plan.paths[p].num_pairs) paths_[p].reset();
    }
}

std::optional<double> CheckValues::fastest(std::size_t series, std::size_t pair) const {
    const auto& blocks = blocks_[series][pair];
    if (blocks.empty()) return std::nullopt;
    return is_work_[series] ? blocks.front() : blocks.back();
}

std::optional<double> CheckValues::middle(std::size_t series, std::size_t pair) const {
    const auto& blocks = blocks_[series][pair];
    if (blocks.empty()) return std::nullopt;
    return median(blocks);
}

std::optional<double> CheckValues::of_path(std::uint32_t path) const { return paths_[path]; }

std::optional<double> CheckValues::sum_of_path(std::uint32_t path) const {
    return paths_[path] ? std::optional(path_sums_[path]) : std::nullopt;
}

std::optional<double> CheckValues::of_port(NodeId node, bool out) const {
    const auto found = ports_.find({node, out});
    return found != ports_.end() ? std::optional(found->second) : std::nullopt;
}

bool CheckValues::complete() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const auto& pairs) {
        return std::none_of(pairs.begin(), pairs.end(),
                            [](const auto& blocks) { return blocks.empty(); });
    });
}

std::size_t CheckValues::count_nodes() const {
    return static_cast<std::size_t>(
        std::count_if(ports_.begin(), ports_.end(), [&](const auto& port) {
            const auto& [node, out] = port.first;
            return out && ports_.contains({node, false});
        }));
}

std::size_t CheckValues::count_uplinks(const CheckPlan& plan) const {
    std::set<std::uint32_t> switches;
    for (std::size_t p = 0; p < paths_.size(); ++p) {
        if (paths_[p]) switches.insert({plan.paths[p].from, plan.paths[p].to});
    }
    return switches.size();
}

References::References(const Cluster& cluster, const NodePlaces& places, const CheckPlan& plan,
                       const CheckValues& values)
    : cluster_(cluster), places_(places) {
    std::map<StreamKind, StreamPeers> streams;
    std::map<std::uint32_t, std::vector<double>> work;
    std::map<PathKind, std::vector<double>> paths;
    std::map<PathKind, std::set<std::uint32_t>> switches;
    for (std::size_t s = 0; s < plan.series.size(); ++s) {
        for (std::size_t p = 0; p < plan.series[s].pairs.size(); ++p) {
            const CheckPair& pair = plan.series[s].pairs[p];
            const auto value = values.fastest(s, p);
            if (!value) continue;
            if (plan.series[s].of == CheckOf::ports) {
                streams[kind_of(pair.sender, pair.receiver)].add(pair.sender, pair.receiver,
                                                                 *value);
            } else if (plan.series[s].of == CheckOf::work) {
                work[places.class_of(pair.sender)].push_back(*value);
            }
        }
    }
    for (std::uint32_t p = 0; p < plan.paths.size(); ++p) {
        const UplinkPath& path = plan.paths[p];
        if (const auto value = values.of_path(p)) {
            const PathKind kind{places.depth(path.from), path.by_file_bytes_per_s};
            paths[kind].push_back(*value);
            switches[kind].insert({path.from, path.to});
        }
    }
    for (const auto& [kind, peers] : streams) {
        if (const auto reference = peers.reference()) streams_.emplace(kind, *reference);
    }
    for (const auto& [class_index, all] : work) {
        if (all.size() < least_peers) continue;
        work_.emplace(class_index, reference_of(all, median(all)));
    }
    for (const auto& [kind, all] : paths) {
        if (switches[kind].size() < least_switches) continue;
        paths_.emplace(kind, reference_of(all, upper_quarter(all)));
    }
}

References::StreamKind References::kind_of(NodeId sender, NodeId receiver) const {
    return {places_.class_of(sender), places_.class_of(receiver),
            places_.switch_of(sender) == places_.switch_of(receiver),
            stream_rate(cluster_, places_, sender, receiver)};
}

std::optional<Reference> References::of_stream(NodeId sender, NodeId receiver) const {
    const auto found = streams_.find(kind_of(sender, receiver));
    if (found != streams_.end()) return found->second;
    const double rate = stream_rate(cluster_, places_, sender, receiver);
    const double of_ports = rate_of_ports(cluster_, places_, sender, receiver);
    const auto inside =
        streams_.find({places_.class_of(sender), places_.class_of(receiver), true, of_ports});
    if (inside != streams_.end() && rate >= of_ports) return inside->second;
    return by_file(rate);
}

std::optional<Reference> References::of_work(NodeId node) const {
    const auto found = work_.find(places_.class_of(node));
    return found != work_.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<Reference> References::of_path(const UplinkPath& path) const {
    const auto found = paths_.find({places_.depth(path.from), path.by_file_bytes_per_s});
    if (found != paths_.end()) return found->second;
    return by_file(path.by_file_bytes_per_s);
}

}  // namespace commmap
