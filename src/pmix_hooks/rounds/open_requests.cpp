// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/rounds/open_requests.hpp"

#include <utility>

namespace commmap::hooks {

bool OpenRequests::grow() noexcept {
    const std::size_t larger = capacity_ == 0 ? first_places : 2 * capacity_;
    if (larger > most_places) return false;
    ScratchPages pages(larger * sizeof(OpenRequest));
    auto* const places = pages.as<OpenRequest>();
    if (places == nullptr) return false;
    OpenRequest* const old = places_;
    const std::size_t old_capacity = capacity_;
    places_ = places;
    capacity_ = larger;
    size_ = 0;
    for (std::size_t i = 0; i < old_capacity; ++i)
        if (old[i].handle != 0 && !store(old[i])) return false;
    pages_ = std::move(pages);  // `pages` frees the old places
    return true;
}

}  // namespace commmap::hooks
