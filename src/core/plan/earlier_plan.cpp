// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/earlier_plan.hpp"

#include <algorithm>

namespace commmap {

const EarlierPlan::Tried* EarlierPlan::find(std::string_view name) const {
    const auto known = std::find_if(tried.begin(), tried.end(),
                                    [&](const Tried& one) { return one.name == name; });
    return known == tried.end() ? nullptr : &*known;
}

}  // namespace commmap
