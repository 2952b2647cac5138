// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/memory/arena.hpp"

namespace commmap::hooks {

/// Amount counted of one thing in one section of the run.
struct PhaseEntry {
    enum class Kind : std::uint8_t {
        sent,        ///< messages and bytes, of one peer and size bucket
        fetched,     ///< as for `sent`
        collective,  ///< calls and bytes; `what` is CollectiveCount::number
        wall,        ///< how often the section began, and ticks in it
        mpi,         ///< ticks inside MPI
    };
    std::uint32_t section;  ///< number of a label, or slice_flag and the number of a time slice
    std::uint32_t what;     ///< the peer's rank, or the collective
    Kind kind;
    std::uint8_t bucket;
    std::uint64_t count;
    std::uint64_t amount;
};

/// Log of the amounts counted between the boundaries of a run, in the record memory.
/// Sections are time slices, or labels of MPI_Pcontrol. Amounts that are in no entry belong to the
/// section that is open.
/// Entries of the same thing in the same section are added up when there are many.
///
/// Memory: 32 bytes an entry, at most 8 MiB, and at most as much again for the smaller arrays
/// before the last one.
/// In a full log, time slices become twice as long, until one slice is left.
/// A full log of labelled phases keeps nothing more (lost).
///
/// Threads: one thread writes at a time (Phases has the lock).
class PhaseLog {
public:
    static constexpr std::uint32_t slice_flag = std::uint32_t{1} << 31;
    static constexpr std::uint32_t most_slices = RankRecord::most_slices;
    /// Bound of label numbers, with 0 for no label. The last number stands for all further labels.
    static constexpr std::uint32_t most_labels = RankRecord::most_sections;
    static constexpr std::size_t label_bytes = RankRecord::most_letters + 1;
    static constexpr std::uint32_t most_entries = (std::uint32_t{8} << 20) / sizeof(PhaseEntry);
    static constexpr double first_slice_s = 0.125;

    /// Starts time slices. Must be called before any other function.
    void begin_slices() noexcept { slice_s_ = first_slice_s; }
    /// Adds an amount to the open section.
    void add(Arena& arena, PhaseEntry::Kind kind, std::uint32_t what, std::uint8_t bucket,
             std::uint64_t count, std::uint64_t amount) noexcept;
    /// Makes `section` the open one. The caller has added the entries of the section that was open.
    void open_section(std::uint32_t section) noexcept { open_ = section; }

    /// Makes slices twice as long, and halves the number of the open one.
    void halve_slices() noexcept;
    /// Changes from slices to labels. All that was counted until now goes to section 0, which has
    /// no label.
    void drop_slices() noexcept;
    /// Returns the number of a label, new or known; 0 is never returned.
    [[nodiscard]] std::uint32_t label_number(const char* label) noexcept;
    /// Returns the number of a label. An unknown label has number 0, or the last number where that
    /// number stands for all further labels.
    [[nodiscard]] std::uint32_t find_label(const char* label) const noexcept;

    // for readers
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
    /// Length of a slice in seconds; 0 when there are no slices.
    [[nodiscard]] double slice_s() const noexcept { return slice_s_; }
    /// Returns whether entries are missing: the log was full, or the process was killed while
    /// entries were moved.
    [[nodiscard]] bool lost() const noexcept { return lost_ != 0 || moving_.load() != 0; }

private:
    /// Marks the time in which entries are moved. If the process is killed in this time, the
    /// entries are lost.
    class Moving;
    void make_room(Arena& arena) noexcept;
    /// Adds up entries of the same thing in the same section.
    void reduce_entries() noexcept;

    PhaseEntry* entries_ = nullptr;
    std::atomic<std::uint32_t> size_{0};
    std::uint32_t capacity_ = 0;
    std::uint32_t open_ = slice_flag;  ///< slice 0
    std::uint32_t num_labels_ = 0;
    double slice_s_ = 0.0;
    // numbers instead of bools, for a reader may find any value
    std::uint8_t labelled_ = 0;
    std::uint8_t lost_ = 0;
    std::atomic<std::uint8_t> moving_{0};
    char labels_[most_labels][label_bytes]{};  ///< labels from number 1 on
};

}  // namespace commmap::hooks
