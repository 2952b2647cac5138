// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/file_visibility.hpp"
#include "core/profile/recording/record_state.hpp"
#include "pmix_hooks/counting/phase_log.hpp"
#include "pmix_hooks/counting/thread_counters.hpp"
#include "pmix_hooks/exchange/rank_location.hpp"
#include "pmix_hooks/rounds/round_log.hpp"

namespace commmap::hooks {

struct RankGroup;
struct TopologyEntry;

/// Head of the memory in which a rank records. All addresses in this memory are the rank's own
/// (MemoryView).
/// Under Slurm the memory is a memfd that slurmstepd made and holds, so its content
/// outlives a killed rank.
struct RecordHead {
    static constexpr std::uint64_t magic_now = 0x310a'6365'7270'6d63;  ///< "cmprec\n1"

    std::uint64_t magic = magic_now;
    std::atomic<RecordState> state{RecordState::running};
    std::uint32_t rank = 0;
    /// record_layout() of the writer; 0 until all members below are filled in. A reader of another
    /// build reads nothing.
    std::uint64_t layout = 0;
    std::uint32_t size = 0;
    const void* base = nullptr;  ///< where the memory was mapped
    // clocks: see clock.hpp
    double start_s = 0.0;
    double end_s = 0.0;  ///< when MPI_Finalize began; 0 before
    std::uint64_t start_ticks = 0;
    std::uint64_t end_ticks = 0;
    RankLocation location;
    char application_id[1024] = "";
    char command[4096] = "";
    char mpi_library[256] = "";
    char profiles[4096] = "";                          ///< the directory for profiles
    FileVisibility visibility = FileVisibility::user;  ///< of the directory's files
    std::atomic<ThreadCounters*> threads{nullptr};
    std::atomic<const RankGroup*> groups{nullptr};
    std::atomic<const TopologyEntry*> topologies{nullptr};
    PhaseLog phases;
    RoundLog rounds;
    /// Records of all ranks, a frame for each (core/base/frames.hpp). Valid in the state
    /// `gathered`.
    const char* gathered = nullptr;
    std::uint64_t gathered_bytes = 0;
};

static_assert(offsetof(RecordHead, state) == record_state_offset);

/// Returns the text of a fixed array that may lack a NUL.
template <std::size_t Size>
[[nodiscard]] std::string text_of(const char (&text)[Size]) {
    return {text, ::strnlen(text, Size)};
}

/// Returns a number that names this build of the recorder: another build may lay out the memory in
/// another way.
[[nodiscard]] std::uint64_t record_layout() noexcept;

/// Translates a rank's addresses into addresses of a mapping of that rank's memory.
/// Refuses what is not wholly inside of the mapping, for a program can write anything there.
class MemoryView {
public:
    /// Views this process's own memory, where every address is right.
    MemoryView() = default;
    MemoryView(const void* map, std::size_t bytes, const void* base) noexcept
        : map_(static_cast<const char*>(map)),
          bytes_(bytes),
          base_(reinterpret_cast<std::uintptr_t>(base)) {}

    /// Returns the translated address; null when `count` objects of type T do not lie inside of the
    /// mapping.
    template <class T>
    [[nodiscard]] const T* at(const T* address, std::size_t count = 1) const noexcept {
        if (map_ == nullptr) return address;
        const auto place = reinterpret_cast<std::uintptr_t>(address);
        const std::size_t offset = place - base_;
        if (address == nullptr || place < base_ || offset % alignof(T) != 0 || offset > bytes_ ||
            count > (bytes_ - offset) / sizeof(T))
            return nullptr;
        return reinterpret_cast<const T*>(map_ + offset);
    }
    /// Returns whether the memory is another process's. That process cannot be asked again.
    [[nodiscard]] bool is_of_another() const noexcept { return map_ != nullptr; }
    /// Returns how many objects of type T fit into the memory. A longer list has no end.
    template <class T>
    [[nodiscard]] std::size_t most() const noexcept {
        return map_ == nullptr ? SIZE_MAX : bytes_ / sizeof(T);
    }

private:
    const char* map_ = nullptr;
    std::size_t bytes_ = 0;
    std::uintptr_t base_ = 0;
};

}  // namespace commmap::hooks
