// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/number.hpp"

namespace commmap {
namespace {

/// The fixed part of an entry that getdents64(2) writes. The name follows at byte name_at.
struct Entry {
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t bytes;
    std::uint8_t type;
};
constexpr std::size_t name_at = offsetof(Entry, type) + 1;

/// Closes what /proc/self/fd lists. Returns false where /proc cannot be read. Closing during the
/// walk skips nothing, because the kernel continues after the last number that it gave.
bool close_listed(int first) {
    const int list = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (list < 0) return false;
    alignas(Entry) char block[4096];
    long got = 0;
    while ((got = ::syscall(SYS_getdents64, list, block, sizeof block)) > 0) {
        Entry entry{};
        for (long at = 0; at < got; at += entry.bytes) {
            std::memcpy(&entry, block + at, name_at);
            const auto number = parse_number(block + at + name_at);
            const int fd = number ? static_cast<int>(*number) : -1;
            if (fd >= first && fd != list) ::close(fd);
        }
    }
    ::close(list);
    return got == 0;
}

}  // namespace

void close_from(int first) {
    // Calls by number, because older C libraries have no close_range().
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
    if (close_listed(first)) return;
    struct rlimit files {};
    constexpr rlim_t most = rlim_t{1} << 20;  // some limits are 2^30: too many calls
    const rlim_t count =
        ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? std::min(files.rlim_cur, most) : most;
    for (rlim_t fd = static_cast<rlim_t>(first); fd < count; ++fd) ::close(static_cast<int>(fd));
}

}  // namespace commmap
