// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/mapper_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/mapping/construction/greedy.hpp"
#include "core/mapping/construction/linear.hpp"
#include "core/mapping/construction/metis_mapper.hpp"
#include "core/mapping/construction/multisection_mapper.hpp"
#include "core/mapping/construction/round_robin.hpp"
#include "core/mapping/improvement/anneal.hpp"
#include "core/mapping/improvement/local_search.hpp"
#include "core/mapping/published/sweeney.hpp"
#include "core/mapping/published/tmmgp.hpp"
#include "core/text/suggest.hpp"

namespace commmap {

namespace {

constexpr std::string_view of_sweeney = "Sweeney et al., IBM Research Report, Sec. 4, Fig. 3";
constexpr std::string_view of_khoroshevsky = "Khoroshevsky, Kurnosov, ICSOFT 2009, Sec. 4.2";

constexpr std::size_t any_size = SIZE_MAX;
constexpr std::size_t small_jobs = 512;

constexpr std::array all_mappers{
    MapperInfo{"linear", "ranks in order, fill each node before the next", "", any_size,
               map_linear},
    MapperInfo{"round_robin", "ranks in order, one to each node in turn", "", any_size,
               map_round_robin},
    MapperInfo{"greedy", "group the ranks that talk most, level by level from the PUs up",
               of_sweeney, any_size, map_greedy, "", true},
    MapperInfo{"metis", "partition the graph with METIS, level by level from the root down",
               of_khoroshevsky, small_jobs, map_metis, "", true},
    MapperInfo{"multisection",
               "halve the graph level by level down the tree, then improve by exchanges and moves",
               "", any_size, map_multisection, "", true},
    MapperInfo{"greedy_refined",
               "the cheaper of greedy and linear, improved by swaps that lower the port cost",
               of_sweeney, small_jobs, refined<map_greedy>, "greedy"},
    MapperInfo{"metis_refined",
               "the cheaper of metis and linear, improved by swaps that lower the port cost",
               of_khoroshevsky, small_jobs, refined<map_metis>, "metis"},
    MapperInfo{"multisection_refined",
               "the cheaper of multisection and linear, improved by swaps that lower the port cost",
               "", any_size, refined<map_multisection>, "multisection"},
    MapperInfo{"linear_refined", "linear, improved by swaps that lower the port cost", "",
               small_jobs, refined<map_linear>, "linear"},
    MapperInfo{"sweeney", "greedy as published: every set of clusters by its bytes; on request",
               of_sweeney, 0, map_sweeney},
    MapperInfo{"tmmgp", "TMMGP as published: one partition by METIS, weighed by level; on request",
               of_khoroshevsky, 0, map_tmmgp},
    MapperInfo{"anneal", "long simulated annealing on the port cost; slow, for comparison",
               "Kirkpatrick, Gelatt, Vecchi, Science 220 (1983)", 0, map_anneal},
};

struct Renamed {
    std::string_view old_name;
    std::string_view name;
};

/// Names that commmap 0.1 had. Scripts may still use them, and get a message with the new name.
constexpr std::array renamed_mappers{
    Renamed{"engine", "multisection"}, Renamed{"engine_refined", "multisection_refined"},
    Renamed{"multilevel", "metis"}, Renamed{"multilevel_refined", "metis_refined"}};

}  // namespace

std::span<const MapperInfo> mapper_table() { return all_mappers; }

Result<const MapperInfo*> find_mapper(std::string_view name) {
    std::vector<std::string_view> names;
    for (const MapperInfo& mapper : all_mappers) {
        if (mapper.name == name) return &mapper;
        names.push_back(mapper.name);
    }
    for (const Renamed& mapper : renamed_mappers) {
        if (mapper.old_name == name)
            return Error{Errc::not_found,
                         fmt::format("the mapper '{}' is called '{}' now", name, mapper.name)};
    }
    return Error{Errc::not_found,
                 fmt::format("no mapper is called '{}'{}", name, did_you_mean(name, names))};
}

}  // namespace commmap
