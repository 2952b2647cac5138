#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/memory/arena.hpp"

namespace commmap::hooks {

/// What was counted of one thing in one section of the run.
struct PhaseEntry {
    enum class Kind : std::uint8_t {
        sent,        ///< messages and bytes, of a peer and bucket
        fetched,     ///< the same
        collective,  ///< calls and bytes; `what` is CollectiveCount::number
        wall,        ///< how often the section began, and ticks in it
        mpi,         ///< ticks inside MPI
    };
    std::uint32_t section;  ///< a label's number, or slice_flag and a time slice's
    std::uint32_t what;     ///< the peer's rank, or the collective
    Kind kind;
    std::uint8_t bucket;
    std::uint64_t count;
    std::uint64_t amount;
};

/// What was counted between the boundaries of a run, in the record memory. Sections are time
/// slices, or have the labels of MPI_Pcontrol; the section that is open has what is in no entry.
/// Entries of the same thing in the same section are added up when there are many.
///
/// Memory: 32 bytes an entry, at most 8 MiB (and as much again for what it grew out of); when that
/// is full time slices become twice as long, until one is left; of labelled phases that are more
/// nothing is kept (lost).
///
/// Written by one thread at a time (Phases has the lock).
class PhaseLog {
public:
    static constexpr std::uint32_t slice_flag = std::uint32_t{1} << 31;
    static constexpr std::uint32_t most_slices = RankRecord::most_slices;
    /// With that of none; the last one is all that are more.
    static constexpr std::uint32_t most_labels = RankRecord::most_sections;
    static constexpr std::size_t label_bytes = RankRecord::most_letters + 1;
    static constexpr std::uint32_t most_entries = (std::uint32_t{8} << 20) / sizeof(PhaseEntry);
    static constexpr double first_slice_s = 0.125;

    /// Before anything else: there are time slices.
    void begin_slices() noexcept { slice_s_ = first_slice_s; }
    /// Into the open section.
    void add(Arena& arena, PhaseEntry::Kind kind, std::uint32_t what, std::uint8_t bucket,
             std::uint64_t count, std::uint64_t amount) noexcept;
    /// Closes the open section, whose entries have been added.
    void open_section(std::uint32_t section) noexcept { open_ = section; }

    /// Twice as long slices; the open one is the half.
    void halve_slices() noexcept;
    /// From now on there are labels: what was counted until now is in none, 0.
    void drop_slices() noexcept;
    /// The number of a label: 0 is that of none.
    [[nodiscard]] std::uint32_t label_number(const char* label) noexcept;
    /// The same of one that there may be not: 0 then.
    [[nodiscard]] std::uint32_t find_label(const char* label) const noexcept;

    // what a reader needs
    [[nodiscard]] const PhaseEntry* entries() const noexcept { return entries_; }
    [[nodiscard]] std::uint32_t size() const noexcept {
        return size_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint32_t open() const noexcept { return open_; }
    [[nodiscard]] bool is_labelled() const noexcept { return labelled_ != 0; }
    [[nodiscard]] std::uint32_t num_labels() const noexcept { return num_labels_; }
    /// @param number  1 to num_labels()
    [[nodiscard]] const char (&label(std::uint32_t number) const noexcept)[label_bytes] {
        return labels_[number];
    }
    /// 0: there are none.
    [[nodiscard]] double slice_s() const noexcept { return slice_s_; }
    /// Or somebody was killed while entries were moved.
    [[nodiscard]] bool lost() const noexcept { return lost_ != 0 || moving_.load() != 0; }

private:
    /// While entries are moved: who is killed meanwhile leaves none.
    class Moving;
    void make_room(Arena& arena) noexcept;
    /// Adds up entries of the same thing.
    void reduce_entries() noexcept;

    PhaseEntry* entries_ = nullptr;
    std::atomic<std::uint32_t> size_{0};
    std::uint32_t capacity_ = 0;
    std::uint32_t open_ = slice_flag;  ///< slice 0
    std::uint32_t num_labels_ = 0;
    double slice_s_ = 0.0;
    // numbers, for a reader finds anything there
    std::uint8_t labelled_ = 0;
    std::uint8_t lost_ = 0;
    std::atomic<std::uint8_t> moving_{0};
    char labels_[most_labels][label_bytes]{};  ///< from 1 on
};

}  // namespace commmap::hooks
