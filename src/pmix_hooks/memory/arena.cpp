// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/memory/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "core/base/handle.hpp"
#include "pmix_hooks/process/errno_saved.hpp"

namespace commmap::hooks {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::size_t alignment = 64;

void* map_pages(std::size_t bytes) noexcept {
    const int saved_errno = errno;
    void* pages =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    return pages == MAP_FAILED ? nullptr : pages;
}

}  // namespace

bool Arena::has_space() noexcept {
    const ErrnoSaved errno_saved;
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    char text[64] = "";
    const FileDescriptor file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return false;
    const rlim_t used = std::strtoul(text, nullptr, 10) *
                        static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));  // its first number
    return used < limit.rlim_cur && limit.rlim_cur - used >= 2 * max_bytes;
}

bool Arena::open(int fd) noexcept {
    if (!has_space()) return false;
    const int saved_errno = errno;
    void* pages = ::mmap(nullptr, max_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    errno = saved_errno;
    if (pages == MAP_FAILED) return false;
    auto* const state = reinterpret_cast<std::atomic<RecordState>*>(static_cast<char*>(pages) +
                                                                    record_state_offset);
    auto unused = RecordState::nothing;
    if (!state->compare_exchange_strong(unused, RecordState::running)) {
        ::munmap(pages, max_bytes);
        return false;
    }
    ::madvise(pages, max_bytes, MADV_DONTDUMP);  // a core file shows the program's memory only
    base_ = pages;
    next_ = static_cast<char*>(pages);
    left_ = max_bytes;
    mapped_ = max_bytes;
    return true;
}

void* Arena::map(std::size_t bytes) noexcept {
    if (bytes > max_bytes - mapped_) return nullptr;
    void* pages = map_pages(bytes);
    if (pages != nullptr) mapped_ += bytes;
    return pages;
}

void* Arena::allocate(std::size_t bytes, std::size_t spared) noexcept {
    if (bytes > max_bytes) return nullptr;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (bytes == 0) bytes = alignment;
    const std::lock_guard lock(mutex_);
    if (max_bytes - mapped_ + left_ < bytes + spared) return nullptr;
    if (base_ == nullptr && bytes > chunk_bytes / 4) return map(bytes);
    if (left_ < bytes) {
        void* chunk = map(chunk_bytes);
        if (chunk == nullptr) return nullptr;
        next_ = static_cast<char*>(chunk);
        left_ = chunk_bytes;
    }
    void* place = next_;
    next_ += bytes;
    left_ -= bytes;
    return place;
}

std::size_t Arena::left() noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t whole = base_ != nullptr ? left_ : std::max(left_, max_bytes - mapped_);
    return whole / alignment * alignment;
}

ScratchPages::ScratchPages(std::size_t bytes) noexcept
    : pages_(map_pages(bytes + 1)), bytes_(bytes + 1) {}

ScratchPages::~ScratchPages() {
    const int saved_errno = errno;
    if (pages_ != nullptr) ::munmap(pages_, bytes_);
    errno = saved_errno;
}

}  // namespace commmap::hooks
