// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace commmap {

/// The MPI library by whose rules the algorithm of a collective is chosen
/// (docs/developer/collectives.md).
enum class CollectiveRules : unsigned char { open_mpi_4, open_mpi_5, mpich_4 };

struct CollectiveRulesName {
    std::string_view name;  ///< as users write it
    CollectiveRules rules;
};

inline constexpr std::array collective_rules_names{
    CollectiveRulesName{"openmpi4", CollectiveRules::open_mpi_4},
    CollectiveRulesName{"openmpi5", CollectiveRules::open_mpi_5},
    CollectiveRulesName{"mpich4", CollectiveRules::mpich_4},
};

/// Returns the name as users write it; empty for `auto`.
[[nodiscard]] constexpr std::string_view name_of(std::optional<CollectiveRules> rules) {
    for (const CollectiveRulesName& one : collective_rules_names)
        if (one.rules == rules) return one.name;
    return "";
}

/// Finds rules by their name; nullopt: no rules have it.
[[nodiscard]] constexpr std::optional<CollectiveRules> collective_rules_named(
    std::string_view name) {
    for (const CollectiveRulesName& one : collective_rules_names)
        if (one.name == name) return one.rules;
    return std::nullopt;
}

}  // namespace commmap
