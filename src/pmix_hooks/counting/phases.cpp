// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/phases.hpp"

#include <algorithm>
#include <cstdio>

#include "pmix_hooks/counting/comm_map.hpp"
#include "pmix_hooks/process/clock.hpp"

namespace commmap::hooks {
namespace {

using Kind = PhaseEntry::Kind;

/// First look, before the frequency of the clock is known: after about 10 ms.
#if defined(__aarch64__)
constexpr std::uint64_t first_look_ticks = std::uint64_t{1} << 18;
#else
constexpr std::uint64_t first_look_ticks = std::uint64_t{1} << 25;
#endif

/// Logs how much a pair of counters has grown since the last boundary, then remembers the new
/// values.
template <class Add>
void take(Snapshot& seen, std::uint64_t count, std::uint64_t amount, Add&& add) noexcept {
    // A counter's bytes are read before its messages, but a message is counted before its bytes. So
    // bytes without their message get it at the next boundary.
    if (count == seen.count) return;
    add(count - seen.count, amount - seen.amount);
    seen = {count, amount};
}

}  // namespace

void Phases::open(Arena& arena, PhaseLog& log, const Counters& counters, bool sliced,
                  double start_s, std::uint64_t start_ticks) noexcept {
    arena_ = &arena;
    log_ = &log;
    threads_ = &counters.threads;
    comms_ = &counters.comms;
    start_s_ = start_s;
    start_ticks_ = start_ticks;
    section_ticks_ = start_ticks;
    if (!sliced) return;
    log_->begin_slices();
    due_.store(start_ticks + first_look_ticks, std::memory_order_relaxed);
}

void Phases::add_mpi_ticks(std::uint64_t amount, std::uint64_t now_ticks) noexcept {
    const std::uint32_t open = log_->open();
    const double slice_s = log_->slice_s();
    if (log_->is_labelled() || slice_s <= 0.0 || ticks_per_s_ <= 0.0 || now_ticks <= section_ticks_)
        return log_->add(*arena_, Kind::mpi, 0, 0, 0, amount);
    // No call has begun since then outside of the open slice. So ticks beyond the rest of that
    // slice belong to one call, which went on in the slices behind it.
    const auto end_of = [&](std::uint32_t slice) {
        return start_ticks_ + static_cast<std::uint64_t>((slice + 1) * slice_s * ticks_per_s_);
    };
    std::uint64_t begin = section_ticks_;
    for (std::uint32_t slice = open & ~PhaseLog::slice_flag; amount > 0; ++slice) {
        const std::uint64_t end = std::min(now_ticks, std::max(begin, end_of(slice)));
        const bool is_last = end == now_ticks || slice + 1 == PhaseLog::most_slices;
        const std::uint64_t part = is_last ? amount : std::min(amount, end - begin);
        // the log may have made slices longer meanwhile
        log_->open_section(PhaseLog::slice_flag |
                           static_cast<std::uint32_t>(slice * slice_s / log_->slice_s()));
        log_->add(*arena_, Kind::mpi, 0, 0, 0, part);
        amount -= part;
        begin = end;
    }
    log_->open_section(
        PhaseLog::slice_flag |
        static_cast<std::uint32_t>((open & ~PhaseLog::slice_flag) * slice_s / log_->slice_s()));
}

void Phases::close_section(std::uint64_t now_ticks) noexcept {
    const auto add = [this](Kind kind, std::uint32_t what, std::uint8_t bucket) {
        return [this, kind, what, bucket](std::uint64_t count, std::uint64_t amount) {
            log_->add(*arena_, kind, what, bucket, count, amount);
        };
    };
    for (ThreadCounters* thread = threads_->load(std::memory_order_acquire); thread != nullptr;
         thread = thread->next) {
        for (const auto table : {&ThreadCounters::sent, &ThreadCounters::fetched}) {
            const Kind kind = table == &ThreadCounters::sent ? Kind::sent : Kind::fetched;
            for (PeerTable::Peer* peer = (thread->*table).first(); peer != nullptr;
                 peer = peer->next)
                for (std::uint8_t bucket = 0; bucket < num_size_buckets; ++bucket) {
                    const std::uint64_t bytes = peer->buckets[bucket].bytes.value();
                    take(peer->seen[bucket], peer->buckets[bucket].count.value(), bytes,
                         add(kind, peer->rank, bucket));
                }
        }
        const std::uint64_t mpi_ticks = thread->mpi_ticks();
        if (mpi_ticks > thread->seen_mpi_ticks)
            add_mpi_ticks(mpi_ticks - thread->seen_mpi_ticks, now_ticks);
        thread->seen_mpi_ticks = mpi_ticks;
    }
    for (CollectiveCount* count = comms_->first_count(); count != nullptr;
         count = count->next_of_all) {
        const std::uint64_t bytes = count->bytes.value();
        take(count->seen, count->calls.value(), bytes, add(Kind::collective, count->number, 0));
    }
}

void Phases::look(std::uint64_t now_ticks) noexcept {
    // A thread that finds another one at work has nothing to wait for.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !is_due(now_ticks)) return;
    const double elapsed_s = now_s() - start_s_;
    if (elapsed_s <= 0.0) return;
    ticks_per_s_ = static_cast<double>(now_ticks - start_ticks_) / elapsed_s;
    while (elapsed_s >= PhaseLog::most_slices * log_->slice_s()) log_->halve_slices();
    const auto slice_now = [&] { return static_cast<std::uint32_t>(elapsed_s / log_->slice_s()); };
    if (slice_now() > (log_->open() & ~PhaseLog::slice_flag)) {
        close_section(now_ticks);
        log_->open_section(PhaseLog::slice_flag | slice_now());
        section_ticks_ = now_ticks;
    }
    const double left_s = (slice_now() + 1) * log_->slice_s() - elapsed_s;
    due_.store(now_ticks + static_cast<std::uint64_t>(left_s * ticks_per_s_) + 1,
               std::memory_order_relaxed);
}

void Phases::begin_labels() noexcept {
    if (log_->is_labelled()) return;
    due_.store(UINT64_MAX, std::memory_order_relaxed);
    log_->drop_slices();
    // the section of what has no label began with the run
    section_ticks_ = start_ticks_;
}

void Phases::enter(std::uint32_t label) noexcept {
    const std::uint64_t now = ticks();
    close_section(now);
    if (now > section_ticks_) log_->add(*arena_, Kind::wall, 0, 0, 0, now - section_ticks_);
    section_ticks_ = now;
    log_->open_section(label);
}

void Phases::begin_label(const char* label) noexcept {
    const std::lock_guard lock(mutex_);
    begin_labels();
    const std::uint32_t number = log_->label_number(label);
    enter(number);
    log_->add(*arena_, Kind::wall, 0, 0, 1, 0);
    if (depth_ < most_nested) nested_[depth_] = number;
    ++depth_;
}

void Phases::end_label(const char* label) noexcept {
    const std::lock_guard lock(mutex_);
    const std::uint32_t number = log_->find_label(label);
    if (number == 0) return;
    if (depth_ > most_nested) {
        --depth_;  // whichever label that was
        return enter(innermost());
    }
    for (std::uint32_t i = depth_; i > 0; --i) {
        if (nested_[i - 1] != number) continue;
        depth_ = i - 1;
        enter(innermost());
        return;
    }
}

void Phases::set_level(int level) noexcept {
    char label[PhaseLog::label_bytes];
    std::snprintf(label, sizeof label, "%d", level);
    const std::lock_guard lock(mutex_);
    begin_labels();
    level_ = level == 0 ? 0 : log_->label_number(label);
    if (depth_ > 0) return;
    enter(level_);
    if (level_ != 0) log_->add(*arena_, Kind::wall, 0, 0, 1, 0);
}

}  // namespace commmap::hooks
