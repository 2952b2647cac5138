// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/rounds/open_round.hpp"

#include <algorithm>
#include <utility>
namespace commmap::hooks {

bool OpenRound::grow() noexcept {
    if (2 * capacity_ > most_events) return false;
    ScratchPages pages(std::size_t{2} * capacity_ * sizeof(RoundEvent));
    auto* const events = pages.as<RoundEvent>();
    if (events == nullptr) return false;
    std::copy(events_, events_ + num_events_, events);
    events_ = events;
    capacity_ *= 2;
    pages_ = std::move(pages);
    return true;
}

std::uintptr_t* OpenRound::room_for_handles(std::size_t count) noexcept {
    if (count > handles_room_) {
        handles_room_ = 2 * count;
        handles_ = ScratchPages(handles_room_ * sizeof(std::uintptr_t));
        if (handles_.as<std::uintptr_t>() == nullptr) handles_room_ = 0;
    }
    return handles_.as<std::uintptr_t>();
}

}  // namespace commmap::hooks
