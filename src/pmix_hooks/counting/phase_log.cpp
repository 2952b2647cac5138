// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/phase_log.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <tuple>

#include "core/base/reduce_by_key.hpp"

namespace commmap::hooks {
namespace {

constexpr std::uint32_t first_entries = 1024;

auto key(const PhaseEntry& e) noexcept {
    return std::tuple(e.section, static_cast<std::uint8_t>(e.kind), e.what, e.bucket);
}

}  // namespace

class PhaseLog::Moving {
public:
    explicit Moving(PhaseLog& log) noexcept : log_(log) {
        log_.moving_.store(1);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Moving() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        log_.moving_.store(0);
    }
    Moving(const Moving&) = delete;
    Moving& operator=(const Moving&) = delete;

private:
    PhaseLog& log_;
};

void PhaseLog::add(Arena& arena, PhaseEntry::Kind kind, std::uint32_t what, std::uint8_t bucket,
                   std::uint64_t count, std::uint64_t amount) noexcept {
    if (lost_ != 0) return;
    if (size() == capacity_) make_room(arena);
    if (lost_ != 0) return;
    entries_[size()] = {open_, what, kind, bucket, count, amount};
    size_.store(size() + 1, std::memory_order_release);
}

void PhaseLog::make_room(Arena& arena) noexcept {
    reduce_entries();
    while (size() > capacity_ / 2 && capacity_ >= most_entries && !is_labelled() &&
           open_ > slice_flag)
        halve_slices();
    if (size() <= capacity_ / 2 && capacity_ > 0) return;
    // The old array stays unused: all older arrays together are smaller than the new one. Half of
    // the memory stays for the counters.
    const std::uint32_t larger = std::max(first_entries, capacity_ * 2);
    auto* const entries = capacity_ >= most_entries
                              ? nullptr
                              : arena.make_array<PhaseEntry>(larger, Arena::max_bytes / 2);
    if (entries == nullptr) {
        // Adding up entries pays only if it leaves room for many more.
        lost_ = size() > capacity_ - capacity_ / 8 || capacity_ == 0 ? 1 : 0;
        return;
    }
    const Moving moving(*this);
    if (size() > 0) std::memcpy(entries, entries_, size() * sizeof *entries_);
    entries_ = entries;
    capacity_ = larger;
}

void PhaseLog::reduce_entries() noexcept {
    const std::uint32_t size_before = size();
    if (size_before < 2) return;
    const Moving moving(*this);
    const std::span entries(entries_, size_before);
    std::sort(entries.begin(), entries.end(),
              [](const PhaseEntry& a, const PhaseEntry& b) { return key(a) < key(b); });
    const std::size_t left =
        reduce_by_key(entries, key, [](PhaseEntry& to, const PhaseEntry& from) {
            to.count += from.count;
            to.amount += from.amount;
        });
    size_.store(static_cast<std::uint32_t>(left), std::memory_order_release);
}

void PhaseLog::halve_slices() noexcept {
    const auto halved = [](std::uint32_t section) {
        return slice_flag | ((section & ~slice_flag) / 2);
    };
    {
        const Moving moving(*this);
        for (std::uint32_t i = 0; i < size(); ++i)
            entries_[i].section = halved(entries_[i].section);
        open_ = halved(open_);
        slice_s_ *= 2;
    }
    reduce_entries();
}

void PhaseLog::drop_slices() noexcept {
    {
        const Moving moving(*this);
        for (std::uint32_t i = 0; i < size(); ++i) entries_[i].section = 0;
        open_ = 0;
        labelled_ = 1;
    }
    reduce_entries();
}

std::uint32_t PhaseLog::find_label(const char* label) const noexcept {
    for (std::uint32_t number = 1; number <= num_labels_; ++number)
        if (std::strncmp(labels_[number], label, label_bytes) == 0) return number;
    return num_labels_ + 1 < most_labels ? 0 : num_labels_;
}

std::uint32_t PhaseLog::label_number(const char* label) noexcept {
    if (const std::uint32_t known = find_label(label); known != 0) return known;
    ++num_labels_;
    const bool last = num_labels_ + 1 == most_labels;
    std::strncpy(labels_[num_labels_], last ? "(others)" : label, label_bytes - 1);
    return num_labels_;
}

}  // namespace commmap::hooks
