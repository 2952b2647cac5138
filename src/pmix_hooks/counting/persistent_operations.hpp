// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "commmap/ids.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/rounds/round_event.hpp"

namespace commmap::hooks {

struct CollectiveCount;

/// Operations that each start of a persistent call counts.
/// They are noted when the call's request is made, for the call's arguments are gone at its starts.
/// Lives for the time of one call, in pages of its own.
class PersistentOperations {
public:
    struct Item {
        RoundAct act;                 ///< sent, put, collective or begun
        std::uint32_t what;           ///< the rank, or RankGroup::number
        CollectiveCount* collective;  ///< null for other acts
        std::uint64_t bytes;
    };
    /// Adds an operation. If there is no memory for it, the list becomes incomplete().
    void add(const Item& item) noexcept {
        if (count_ == capacity_ && !grow()) {
            incomplete_ = true;
            return;
        }
        items_[count_++] = item;
    }
    void give_up() noexcept { incomplete_ = true; }
    [[nodiscard]] bool incomplete() const noexcept { return incomplete_; }
    [[nodiscard]] std::span<const Item> items() const noexcept { return {items_, count_}; }

private:
    [[nodiscard]] bool grow() noexcept;

    static constexpr std::size_t few = 8;
    Item first_[few]{};
    ScratchPages pages_;
    Item* items_ = first_;
    std::size_t count_ = 0;
    std::size_t capacity_ = few;
    bool incomplete_ = false;
};

}  // namespace commmap::hooks
