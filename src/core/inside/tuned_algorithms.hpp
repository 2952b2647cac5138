// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/profile/collective_op.hpp"

namespace commmap::inside {

/// An algorithm of Open MPI's component coll/tuned.
struct TunedAlgorithm {
    std::uint8_t number;    ///< value of the control variable coll_tuned_OPERATION_algorithm, > 0
    std::string_view name;  ///< as `ompi_info --param coll tuned --level 9` lists it
    bool has_segments;      ///< whether it can divide a buffer
};

/// Returns the algorithms of an operation that are used here; none for most operations. Numbers are
/// those of Open MPI 4.1 and 5.
/// Left out are
/// - those for two ranks alone, and those that ask for more variables (a fan-out, a radix, a number
///   of requests);
/// - alltoall by modified_bruck: Open MPI 4.1.4 takes both types of a call for one, and writes
///   behind the receive buffer where they differ;
/// - those that no network gains by (linear ones of bcast and reduce), and bcast by
///   scatter_allgather, which is scatter_allgather_ring with another second half.
[[nodiscard]] std::span<const TunedAlgorithm> tuned_algorithms(CollectiveOp op) noexcept;

/// Return an algorithm of an operation; null when that has none of the name or number.
[[nodiscard]] const TunedAlgorithm* find_tuned(CollectiveOp op, std::string_view name) noexcept;
[[nodiscard]] const TunedAlgorithm* find_tuned(CollectiveOp op, std::uint8_t number) noexcept;

}  // namespace commmap::inside
