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

/// The first thing in the memory in which a rank records. Under Slurm that is a file without a name
/// that slurmstepd made and holds: what is in it is there after the rank was killed. All addresses
/// are the rank's own (MemoryView).
struct RecordHead {
    static constexpr std::uint64_t magic_now = 0x310a'6365'7270'6d63;  ///< "cmprec\n1"

    std::uint64_t magic = magic_now;
    std::atomic<RecordState> state{RecordState::running};
    std::uint32_t rank = 0;
    /// Of another build of the recorder nothing is read; 0 until all below is there.
    std::uint64_t layout = 0;
    std::uint32_t size = 0;
    const void* base = nullptr;  ///< where the memory was mapped
    // clock.hpp
    double start_s = 0.0;
    double end_s = 0.0;  ///< the beginning of MPI_Finalize; 0 before
    std::uint64_t start_ticks = 0;
    std::uint64_t end_ticks = 0;
    RankLocation location;
    char application_id[1024] = "";
    char command[4096] = "";
    char mpi_library[256] = "";
    char profiles[4096] = "";                          ///< the directory
    FileVisibility visibility = FileVisibility::user;  ///< of that
    std::atomic<ThreadCounters*> threads{nullptr};
    std::atomic<const RankGroup*> groups{nullptr};
    std::atomic<const TopologyEntry*> topologies{nullptr};
    PhaseLog phases;
    RoundLog rounds;
    /// Of all ranks, a frame for each (core/base/frames.hpp): where the state is `gathered`.
    const char* gathered = nullptr;
    std::uint64_t gathered_bytes = 0;
};

static_assert(offsetof(RecordHead, state) == record_state_offset);

/// Of a place that may have no NUL.
template <std::size_t Size>
[[nodiscard]] std::string text_of(const char (&text)[Size]) {
    return {text, ::strnlen(text, Size)};
}

/// A number of this build: another one may lay out, or mean, something else.
[[nodiscard]] std::uint64_t record_layout() noexcept;

/// Translates a rank's addresses into those of a mapping of its memory, and refuses what is not
/// wholly inside: a program can write anything there.
class MemoryView {
public:
    /// Of this process itself: every address is right.
    MemoryView() = default;
    MemoryView(const void* map, std::size_t bytes, const void* base) noexcept
        : map_(static_cast<const char*>(map)),
          bytes_(bytes),
          base_(reinterpret_cast<std::uintptr_t>(base)) {}

    /// Null when `count` things of that type are not there.
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
    /// Of another process: it cannot be asked again.
    [[nodiscard]] bool is_of_another() const noexcept { return map_ != nullptr; }
    /// More things of a kind than fit are a list without an end.
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
