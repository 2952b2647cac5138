#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include "core/profile/recording/record_state.hpp"

namespace commmap::hooks {

/// Memory of the recorder: mapped pages, never the program's heap, given back when the process
/// ends. Thread-safe.
class Arena {
public:
    /// Takes everything from the file without a name behind `fd`, which has max_bytes and is mapped
    /// once. Before anything is allocated. false when that fails, when another process has it, or
    /// when less than twice as much is left of the address space that the process may have
    /// (RLIMIT_AS).
    [[nodiscard]] bool open(int fd) noexcept;
    /// Twice as much address space is left as that takes: a program that is near its limit is not
    /// to meet it because of this memory. Allocates nothing.
    [[nodiscard]] static bool has_space() noexcept;
    /// The start of that mapping, else null.
    [[nodiscard]] const void* base() const noexcept { return base_; }

    /// A program that makes new communicators for ever is not to die of being recorded.
    static constexpr std::size_t max_bytes = record_memory_bytes;

    /// Zeroed and aligned to 64 bytes; null when the system has no more, or max_bytes are used.
    /// @param spared  how many of max_bytes are not to be touched: for others
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t spared = 0) noexcept;

    /// How much of it may still be allocated at once.
    [[nodiscard]] std::size_t left() noexcept;

    template <class T>
    [[nodiscard]] T* make(std::size_t spared = 0) noexcept {
        void* place = allocate(sizeof(T), spared);
        return place == nullptr ? nullptr : new (place) T{};
    }
    template <class T, class... Arguments>
    [[nodiscard]] T* make_of(Arguments&&... arguments) noexcept {
        void* place = allocate(sizeof(T));
        return place == nullptr ? nullptr : new (place) T(std::forward<Arguments>(arguments)...);
    }
    /// Zeroed: for types whose zero is their initial value.
    template <class T>
    [[nodiscard]] T* make_array(std::size_t count, std::size_t spared = 0) noexcept {
        return static_cast<T*>(
            allocate(count * sizeof(T), spared));  // NOLINT(bugprone-sizeof-expression)
    }

private:
    [[nodiscard]] void* map(std::size_t bytes) noexcept;

    std::mutex mutex_;  ///< guards what follows
    const void* base_ = nullptr;
    char* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t mapped_ = 0;
};

/// Temporary mapped pages. data() is null when there are none.
class ScratchPages {
public:
    ScratchPages() noexcept = default;
    explicit ScratchPages(std::size_t bytes) noexcept;
    ~ScratchPages();
    ScratchPages(const ScratchPages&) = delete;
    ScratchPages& operator=(const ScratchPages&) = delete;
    ScratchPages& operator=(ScratchPages&& other) noexcept {
        std::swap(pages_, other.pages_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    template <class T>
    [[nodiscard]] T* as() const noexcept {
        return static_cast<T*>(pages_);
    }

private:
    void* pages_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace commmap::hooks
