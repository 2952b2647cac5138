// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>

namespace commmap {

/// Function of a load whose sum a search lowers. To lower the sum of all loads (hop-bytes), it is
/// the load's cost.
/// To lower the largest load (port cost, the slowest rank's time), it is a high power of that cost.
/// A sum of powers goes down even when the largest load stays as it is, so a search does not stop
/// on a plateau.
/// The sum orders placements nearly as the sorted vector of their loads does.
class Potential {
public:
    /// @param cost_of_byte  >= 0
    /// @param cap  costs above it count for a thousand times more
    [[nodiscard]] static Potential linear(double cost_of_byte,
                                          double cap = std::numeric_limits<double>::infinity()) {
        return {cost_of_byte, 0, cap};
    }
    /// Makes (cost / unit) to the power of 2^squarings.
    /// @param unit  > 0, about the largest cost there is
    [[nodiscard]] static Potential power(double cost_of_byte, double unit, unsigned squarings) {
        return {cost_of_byte / unit, squarings, std::numeric_limits<double>::infinity()};
    }

    [[nodiscard]] double of(double load) const {
        double x = load * slope_;
        if (x > cap_) return x + above_cap * (x - cap_);
        for (unsigned i = 0; i < squarings_; ++i) x *= x;
        return x;
    }
    /// Returns the price of one byte more.
    [[nodiscard]] double price(double load) const {
        if (squarings_ == 0) return load * slope_ > cap_ ? above_cap * slope_ : slope_;
        const double x = load * slope_;
        return x > 0.0 ? static_cast<double>(1U << squarings_) * of(load) / x * slope_ : 0.0;
    }

private:
    static constexpr double above_cap = 1000.0;

    Potential(double slope, unsigned squarings, double cap)
        : slope_(slope), squarings_(squarings), cap_(cap) {}

    double slope_;
    unsigned squarings_;
    double cap_;
};

}  // namespace commmap
