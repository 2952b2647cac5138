// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include "core/profile/recording/record_state.hpp"

namespace commmap::hooks {

/// Memory pool of the recorder. It takes mapped pages, never the program's heap.
/// The pages are given back when the process ends.
/// Threads: safe.
class Arena {
public:
    /// Maps the memfd `fd`, of max_bytes, once, and takes all later memory from it.
    /// Must be called before the first allocation.
    /// Errors: returns false when
    /// - the mapping fails;
    /// - another process has the file;
    /// - has_space() is false.
    [[nodiscard]] bool open(int fd) noexcept;
    /// Returns whether the process's limit of address space (RLIMIT_AS) leaves at least twice the
    /// size of the mapping.
    /// A program near its limit must not reach the limit because of this memory. Allocates nothing.
    [[nodiscard]] static bool has_space() noexcept;
    /// Returns the start of the mapping that open() made, else null.
    [[nodiscard]] const void* base() const noexcept { return base_; }

    /// Upper bound of the recorder's memory: a program that makes new communicators for ever must
    /// not die of being recorded.
    static constexpr std::size_t max_bytes = record_memory_bytes;

    /// Returns zeroed memory, aligned to 64 bytes; null when the system has no more or max_bytes
    /// are used.
    /// @param spared  how many bytes of max_bytes this call must leave to others
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t spared = 0) noexcept;

    /// Returns how many bytes one allocation can still get.
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
    /// Returns a zeroed array, for types whose zero is their initial value.
    template <class T>
    [[nodiscard]] T* make_array(std::size_t count, std::size_t spared = 0) noexcept {
        return static_cast<T*>(
            allocate(count * sizeof(T), spared));  // NOLINT(bugprone-sizeof-expression)
    }

private:
    [[nodiscard]] void* map(std::size_t bytes) noexcept;

    std::mutex mutex_;  ///< guards the members below
    const void* base_ = nullptr;
    char* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t mapped_ = 0;
};

/// Temporary mapped pages, freed in the destructor. as() is null when there are none.
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
