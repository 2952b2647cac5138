// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/expansion/choose_schedule.hpp"

#include <algorithm>
#include <cassert>

#include "core/collectives/expansion/rules.hpp"

namespace commmap {
namespace {

ScheduleFunction wanted_schedule(CollectiveRules rules, CollectiveOp op,
                                 const CollectiveCall& call) {
    switch (rules) {
        case CollectiveRules::open_mpi_4:
        case CollectiveRules::open_mpi_5:  // its coll/tuned has the tables of 4.1
            return open_mpi_4_schedule(op, call);
        case CollectiveRules::mpich_4:
            return mpich_4_schedule(op, call);
    }
    return open_mpi_4_schedule(op, call);
}

}  // namespace

bool has_two_levels(CollectiveRules rules, CollectiveOp op, const CollectiveCall& call,
                    bool equal_nodes) {
    switch (rules) {
        case CollectiveRules::open_mpi_4:
            break;
        case CollectiveRules::open_mpi_5:
            return open_mpi_5_has_two_levels(op, equal_nodes);
        case CollectiveRules::mpich_4:
            return mpich_4_has_two_levels(op, call);
    }
    return false;
}

const ScheduleInfo& choose_schedule(CollectiveRules rules, CollectiveOp op,
                                    const CollectiveCall& call) {
    const ScheduleFunction wanted = wanted_schedule(rules, op, call);
    const auto table = schedule_table();
    const auto found = std::find_if(table.begin(), table.end(), [&](const ScheduleInfo& info) {
        return info.op == op && info.expand == wanted;
    });
    assert(found != table.end() && "a rule names an algorithm without a row");
    return found == table.end() ? table.front() : *found;
}

}  // namespace commmap
