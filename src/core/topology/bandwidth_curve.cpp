// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/bandwidth_curve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace commmap {

BandwidthCurve::BandwidthCurve(double bandwidth_bytes_per_s)
    : BandwidthCurve(std::vector<Point>{{1, bandwidth_bytes_per_s}}) {}

BandwidthCurve::BandwidthCurve(std::vector<Point> points) : points_(std::move(points)) {
    std::sort(points_.begin(), points_.end(),
              [](const Point& a, const Point& b) { return a.length_bytes < b.length_bytes; });
    assert(std::all_of(points_.begin(), points_.end(),
                       [](const Point& p) {
                           return p.length_bytes > 0 && p.bandwidth_bytes_per_s > 0.0;
                       }) &&
           "a curve has positive lengths and bandwidths");
    assert(std::adjacent_find(points_.begin(), points_.end(),
                              [](const Point& a, const Point& b) {
                                  return a.length_bytes == b.length_bytes;
                              }) == points_.end() &&
           "a curve has one bandwidth per length");
}

double BandwidthCurve::at(double length_bytes) const {
    if (points_.empty()) return std::numeric_limits<double>::infinity();
    const auto right = std::upper_bound(points_.begin(), points_.end(), length_bytes,
                                        [](double length, const Point& point) {
                                            return length < static_cast<double>(point.length_bytes);
                                        });
    if (right == points_.begin()) return points_.front().bandwidth_bytes_per_s;
    if (right == points_.end()) return points_.back().bandwidth_bytes_per_s;
    const Point& left = *(right - 1);
    const double left_log2 = std::log2(static_cast<double>(left.length_bytes));
    const double right_log2 = std::log2(static_cast<double>(right->length_bytes));
    // Two lengths above 2^53 may be different integers and the same double.
    if (right_log2 <= left_log2) return right->bandwidth_bytes_per_s;
    const double share = (std::log2(length_bytes) - left_log2) / (right_log2 - left_log2);
    return std::lerp(left.bandwidth_bytes_per_s, right->bandwidth_bytes_per_s, share);
}

double BandwidthCurve::of_longest() const {
    return unlimited() ? std::numeric_limits<double>::infinity()
                       : points_.back().bandwidth_bytes_per_s;
}

double BandwidthCurve::highest() const {
    if (points_.empty()) return std::numeric_limits<double>::infinity();
    return std::max_element(points_.begin(), points_.end(),
                            [](const Point& a, const Point& b) {
                                return a.bandwidth_bytes_per_s < b.bandwidth_bytes_per_s;
                            })
        ->bandwidth_bytes_per_s;
}

double Channel::message_time_s(double length_bytes) const {
    return latency_ns * 1e-9 + length_bytes / bandwidth.at(length_bytes);
}

double Channel::messages_time_s(double count, double waits, double length_bytes) const {
    return count * message_time_s(length_bytes) - (count - waits) * (latency_ns - gap_ns) * 1e-9;
}

}  // namespace commmap
