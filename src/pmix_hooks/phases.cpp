#include "pmix_hooks/phases.hpp"

#include <cstdio>

#include "pmix_hooks/clock.hpp"
#include "pmix_hooks/comm_map.hpp"

namespace commmap::hooks {
namespace {

using Kind = PhaseEntry::Kind;

/// Before the frequency of the clock is known: some 10 ms of most machines.
constexpr std::uint64_t first_look_ticks = std::uint64_t{1} << 25;

/// What is more than was seen, which is then seen.
template <class Add>
void take(Seen& seen, std::uint64_t count, std::uint64_t amount, Add&& add) noexcept {
    // Bytes are read before the messages that they belong to are, and are added after them: what
    // has bytes and no message yet has one at the next boundary.
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

void Phases::close_section() noexcept {
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
            log_->add(*arena_, Kind::mpi, 0, 0, 0, mpi_ticks - thread->seen_mpi_ticks);
        thread->seen_mpi_ticks = mpi_ticks;
    }
    for (CollectiveCount* count = comms_->first_count(); count != nullptr;
         count = count->next_of_all) {
        const std::uint64_t bytes = count->bytes.value();
        take(count->seen, count->calls.value(), bytes, add(Kind::collective, count->number, 0));
    }
}

void Phases::look(std::uint64_t now_ticks) noexcept {
    // Who comes while another thread is at it has nothing to wait for.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !is_due(now_ticks)) return;
    const double elapsed_s = now_s() - start_s_;
    auto slice = static_cast<std::uint32_t>(elapsed_s / log_->slice_s());
    if (slice > (log_->open() & ~PhaseLog::slice_flag)) {
        close_section();
        slice = static_cast<std::uint32_t>(elapsed_s / log_->slice_s());
        while (slice >= PhaseLog::most_slices) {
            log_->halve_slices();
            slice = static_cast<std::uint32_t>(elapsed_s / log_->slice_s());
        }
        log_->open_section(PhaseLog::slice_flag | slice);
    }
    const double left_s = (slice + 1) * log_->slice_s() - elapsed_s;
    const double ticks_per_s = static_cast<double>(now_ticks - start_ticks_) / elapsed_s;
    due_.store(now_ticks + static_cast<std::uint64_t>(left_s * ticks_per_s) + 1,
               std::memory_order_relaxed);
}

void Phases::begin_labels() noexcept {
    if (log_->is_labelled()) return;
    due_.store(UINT64_MAX, std::memory_order_relaxed);
    log_->drop_slices();
}

void Phases::enter(std::uint32_t label) noexcept {
    close_section();
    const std::uint64_t now = ticks();
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
    if (depth_ > most_nested) {
        --depth_;  // whichever it was
        return;
    }
    const std::uint32_t number = log_->label_number(label);
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
