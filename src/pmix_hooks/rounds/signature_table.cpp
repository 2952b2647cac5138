// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/rounds/signature_table.hpp"

#include <algorithm>

namespace commmap::hooks {

std::uint8_t SignatureTable::find(std::uint64_t hash, std::span<const RoundEvent> events,
                                  bool is_whole) noexcept {
    if (!is_whole) return RoundLog::other;
    std::uint32_t slot = static_cast<std::uint32_t>(hash) % num_slots;
    for (; slots_[slot] != 0; slot = (slot + 1) % num_slots) {
        const auto number = static_cast<std::uint8_t>(slots_[slot] - 1);
        if (log_->signatures[number].hash == hash) return number;
    }
    const std::uint8_t number = make(hash, events);
    if (number != RoundLog::other) slots_[slot] = static_cast<std::uint8_t>(number + 1);
    return number;
}

std::uint8_t SignatureTable::make(std::uint64_t hash, std::span<const RoundEvent> events) noexcept {
    const std::uint32_t number = log_->num_signatures.load(std::memory_order_relaxed);
    if (number == RoundLog::most_signatures || is_full_) return RoundLog::other;
    SignatureRecord& record = log_->signatures[number];
    record.hash = hash;
    record.num_cells.store(0, std::memory_order_relaxed);
    for (const RoundEvent& event : events)
        if (find_cell(record, event.key) == nullptr) {
            // The signature has no room. Cells taken so far stay unused.
            record.num_cells.store(0, std::memory_order_relaxed);
            is_full_ = true;
            return RoundLog::other;
        }
    log_->num_signatures.store(number + 1, std::memory_order_release);
    return static_cast<std::uint8_t>(number);
}

SignatureCell* SignatureTable::find_cell(SignatureRecord& record, std::uint64_t key) noexcept {
    const std::uint32_t size = record.num_cells.load(std::memory_order_relaxed);
    SignatureCell* const end = cells_of(record) + size;
    SignatureCell* const known = std::find_if(
        cells_of(record), end, [key](const SignatureCell& cell) { return key_of(cell) == key; });
    if (known != end) return known;
    if (size == record.capacity && !grow(record)) return nullptr;
    SignatureCell* const fresh = cells_of(record) + size;
    fresh->key.store(key, std::memory_order_relaxed);
    record.num_cells.store(size + 1, std::memory_order_release);
    return fresh;
}

bool SignatureTable::grow(SignatureRecord& record) noexcept {
    const std::uint32_t capacity = std::max<std::uint32_t>(8, 2 * record.capacity);
    const std::uint32_t more = capacity - record.capacity;
    if (num_cells_ + more > RoundLog::most_cells) return false;
    auto* cells = arena_->make_array<SignatureCell>(capacity, Arena::max_bytes / 2);
    if (cells == nullptr) return false;
    const SignatureCell* const old = cells_of(record);
    for (std::uint32_t i = 0; i < record.num_cells.load(std::memory_order_relaxed); ++i) {
        cells[i].key.store(key_of(old[i]), std::memory_order_relaxed);
        cells[i].count.add(old[i].count.value(), false);
        cells[i].bytes.add(old[i].bytes.value(), false);
    }
    num_cells_ += more;
    record.cells.store(cells, std::memory_order_release);
    record.capacity = capacity;
    return true;
}

}  // namespace commmap::hooks
