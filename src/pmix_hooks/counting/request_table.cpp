// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/request_table.hpp"

#include <algorithm>

namespace commmap::hooks {

constinit thread_local RequestTable::Cached RequestTable::cache_[RequestTable::cache_slots]{};

bool RequestTable::open(Arena& arena) noexcept {
    arena_ = &arena;
    slots_ = arena.make_array<Node*>(num_slots);
    return slots_ != nullptr;
}

bool RequestTable::insert(MPI_Request handle, const Persistent& persistent) noexcept {
    const std::span<const PersistentOperations::Item> items = persistent.items;
    const std::uintptr_t request = handle_number(handle);
    const std::lock_guard lock(mutex_);
    epoch_.fetch_add(1, std::memory_order_release);
    Node* node = slot(request);
    while (node != nullptr && node->request != request) node = node->next;
    if (node == nullptr) {
        node = unused_ != nullptr ? unused_ : arena_->make<Node>();
        if (node == nullptr) return false;
        if (node == unused_) unused_ = node->next;
        node->request = request;
        node->next = slot(request);
        slot(request) = node;
    }
    if (node->capacity < items.size()) {
        PersistentOperations::Item* place =
            arena_->make_array<PersistentOperations::Item>(items.size());
        if (place == nullptr) return false;
        node->items = place;
        node->capacity = items.size();
    }
    std::copy(items.begin(), items.end(), node->items);
    node->persistent = persistent;
    node->persistent.items = {node->items, items.size()};
    node->persistent.is_known = true;
    return true;
}

void RequestTable::erase(MPI_Request handle) noexcept {
    const std::uintptr_t request = handle_number(handle);
    const std::lock_guard lock(mutex_);
    for (Node** at = &slot(request); *at != nullptr; at = &(*at)->next)
        if ((*at)->request == request) {
            Node* node = *at;
            *at = node->next;
            node->next = unused_;
            unused_ = node;
            epoch_.fetch_add(1, std::memory_order_release);
            return;
        }
}

Persistent RequestTable::find_slowly(std::uintptr_t request, Cached& cached) noexcept {
    const std::lock_guard lock(mutex_);
    const std::uint64_t epoch = epoch_.load(std::memory_order_relaxed);
    Persistent found;
    for (const Node* node = slot(request); node != nullptr; node = node->next)
        if (node->request == request) found = node->persistent;
    cached = {request, epoch, found};
    return found;
}

}  // namespace commmap::hooks
