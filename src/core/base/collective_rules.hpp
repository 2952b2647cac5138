#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace commmap {

/// Which MPI library's rules choose the algorithm of a collective (docs/developer/collectives.md).
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

/// Empty: auto.
[[nodiscard]] constexpr std::string_view name_of(std::optional<CollectiveRules> rules) {
    for (const CollectiveRulesName& one : collective_rules_names)
        if (one.rules == rules) return one.name;
    return "";
}

/// Empty: none of them.
[[nodiscard]] constexpr std::optional<CollectiveRules> collective_rules_named(
    std::string_view name) {
    for (const CollectiveRulesName& one : collective_rules_names)
        if (one.name == name) return one.rules;
    return std::nullopt;
}

}  // namespace commmap
