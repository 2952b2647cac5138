// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <string_view>

#include "core/collectives/expansion/choose_schedule.hpp"

namespace commmap {

CollectiveRules rules_of(const Profile& profile) {
    const std::string_view library = profile.mpi_library;
    constexpr std::string_view open_mpi = "Open MPI v";
    if (library.starts_with(open_mpi)) {
        const std::string_view version = library.substr(open_mpi.size());
        const bool is_old = version.starts_with("1.") || version.starts_with("2.") ||
                            version.starts_with("3.") || version.starts_with("4.");
        return is_old ? CollectiveRules::open_mpi_4 : CollectiveRules::open_mpi_5;
    }
    // Intel MPI, MVAPICH and Cray MPICH are made from MPICH.
    for (const char* name : {"MPICH", "Intel(R) MPI", "MVAPICH"})
        if (library.find(name) != std::string_view::npos) return CollectiveRules::mpich_4;
    return CollectiveRules::open_mpi_4;
}

}  // namespace commmap
