#include "pmix_hooks/counting/tape.hpp"

#include <algorithm>
#include <utility>

namespace commmap::hooks {

bool Tape::grow() noexcept {
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
