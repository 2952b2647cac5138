// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/persistent_operations.hpp"

#include <algorithm>
#include <utility>

namespace commmap::hooks {

bool PersistentOperations::grow() noexcept {
    ScratchPages larger(2 * capacity_ * sizeof(Item));
    Item* items = larger.as<Item>();
    if (items == nullptr) return false;
    std::copy(items_, items_ + count_, items);
    items_ = items;
    capacity_ *= 2;
    pages_ = std::move(larger);
    return true;
}

}  // namespace commmap::hooks
