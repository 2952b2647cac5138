#include "pmix_hooks/phase_log.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace commmap::hooks {
namespace {

constexpr std::uint32_t first_entries = 1024;

auto key(const PhaseEntry& e) noexcept {
    return std::tuple(e.section, static_cast<std::uint8_t>(e.kind), e.what, e.bucket);
}

}  // namespace

class PhaseLog::Moving {
public:
    explicit Moving(PhaseLog& log) noexcept : log_(log) { log_.moving_.store(true); }
    ~Moving() { log_.moving_.store(false); }
    Moving(const Moving&) = delete;
    Moving& operator=(const Moving&) = delete;

private:
    PhaseLog& log_;
};

void PhaseLog::add(Arena& arena, PhaseEntry::Kind kind, std::uint32_t what, std::uint8_t bucket,
                   std::uint64_t count, std::uint64_t amount) noexcept {
    if (lost_) return;
    if (size_ == capacity_) make_room(arena);
    if (lost_) return;
    entries_[size_] = {open_, what, kind, bucket, count, amount};
    ++size_;
}

void PhaseLog::make_room(Arena& arena) noexcept {
    add_up();
    while (size_ > capacity_ / 2 && capacity_ >= most_entries && !is_labelled() &&
           open_ > slice_flag)
        halve_slices();
    if (size_ <= capacity_ / 2 && capacity_ > 0) return;
    if (capacity_ >= most_entries) {
        lost_ = size_ == capacity_;
        return;
    }
    // The old place stays unused: all that were ever taken are less than what is taken now.
    const std::uint32_t larger = std::max(first_entries, capacity_ * 2);
    auto* const entries = arena.make_array<PhaseEntry>(larger);
    if (entries == nullptr) {
        lost_ = size_ == capacity_;
        return;
    }
    if (size_ > 0) std::memcpy(entries, entries_, size_ * sizeof *entries_);
    entries_ = entries;
    capacity_ = larger;
}

void PhaseLog::add_up() noexcept {
    if (size_ < 2) return;
    const Moving moving(*this);
    std::sort(entries_, entries_ + size_,
              [](const PhaseEntry& a, const PhaseEntry& b) { return key(a) < key(b); });
    std::uint32_t last = 0;
    for (std::uint32_t i = 1; i < size_; ++i) {
        if (key(entries_[i]) == key(entries_[last])) {
            entries_[last].count += entries_[i].count;
            entries_[last].amount += entries_[i].amount;
        } else {
            entries_[++last] = entries_[i];
        }
    }
    size_ = last + 1;
}

void PhaseLog::halve_slices() noexcept {
    const auto halved = [](std::uint32_t section) {
        return slice_flag | ((section & ~slice_flag) / 2);
    };
    {
        const Moving moving(*this);
        for (std::uint32_t i = 0; i < size_; ++i) entries_[i].section = halved(entries_[i].section);
        open_ = halved(open_);
        slice_s_ *= 2;
    }
    add_up();
}

void PhaseLog::drop_slices() noexcept {
    {
        const Moving moving(*this);
        for (std::uint32_t i = 0; i < size_; ++i) entries_[i].section = 0;
        open_ = 0;
        labelled_ = true;
    }
    add_up();
}

std::uint32_t PhaseLog::label_number(const char* label) noexcept {
    for (std::uint32_t number = 1; number <= num_labels_; ++number)
        if (std::strncmp(labels_[number], label, label_bytes) == 0) return number;
    if (num_labels_ + 1 < most_labels) {
        ++num_labels_;
        const bool last = num_labels_ + 1 == most_labels;
        std::strncpy(labels_[num_labels_], last ? "(others)" : label, label_bytes - 1);
    }
    return num_labels_;
}

}  // namespace commmap::hooks
