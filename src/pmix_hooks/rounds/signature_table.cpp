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
    if (number == RoundLog::most_signatures) return RoundLog::other;
    SignatureRecord& record = log_->signatures[number];
    record.hash = hash;
    record.num_cells = 0;
    for (const RoundEvent& event : events)
        if (find_cell(record, event.key) == nullptr) {
            // No room for the whole of it. What was taken stays unused.
            record.num_cells = 0;
            return RoundLog::other;
        }
    log_->num_signatures.store(number + 1, std::memory_order_release);
    return static_cast<std::uint8_t>(number);
}

SignatureCell* SignatureTable::find_cell(SignatureRecord& record, std::uint64_t key) noexcept {
    SignatureCell* const end = record.cells + record.num_cells;
    SignatureCell* const known = std::find_if(
        record.cells, end, [key](const SignatureCell& cell) { return cell.key == key; });
    if (known != end) return known;
    if (record.num_cells == record.capacity && !grow(record)) return nullptr;
    SignatureCell* const fresh = record.cells + record.num_cells;
    fresh->key = key;
    std::atomic_signal_fence(std::memory_order_release);  // a reader may come after any instruction
    ++record.num_cells;
    return fresh;
}

bool SignatureTable::grow(SignatureRecord& record) noexcept {
    const std::uint32_t capacity = std::max<std::uint32_t>(8, 2 * record.capacity);
    const std::uint32_t more = capacity - record.capacity;
    if (num_cells_ + more > RoundLog::most_cells) return false;
    auto* cells = arena_->make_array<SignatureCell>(capacity, Arena::max_bytes / 2);
    if (cells == nullptr) return false;
    for (std::uint32_t i = 0; i < record.num_cells; ++i) {
        cells[i].key = record.cells[i].key;
        cells[i].count.add(record.cells[i].count.value(), false);
        cells[i].bytes.add(record.cells[i].bytes.value(), false);
    }
    num_cells_ += more;
    record.cells = cells;
    record.capacity = capacity;
    return true;
}

}  // namespace commmap::hooks
