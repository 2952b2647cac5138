// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/memory/handed_memory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/profile/recording/record_state.hpp"

namespace commmap::hooks {

int handed_memory() noexcept {
    const char* text = std::getenv(record_memory_variable);
    if (text == nullptr) return -1;
    const int saved_errno = errno;
    char* end = nullptr;
    const unsigned long descriptor = std::strtoul(text, &end, 10);
    const unsigned long device = *end == ':' ? std::strtoul(end + 1, &end, 10) : 0;
    const unsigned long inode = *end == ':' ? std::strtoul(end + 1, &end, 10) : 0;
    const int fd = descriptor > 2 && descriptor < (1UL << 20) ? static_cast<int>(descriptor) : -1;
    // The program may have closed this descriptor, and opened another file under its number.
    struct stat status {};
    const bool ours = fd >= 0 && ::fstat(fd, &status) == 0 && status.st_dev == device &&
                      status.st_ino == inode &&
                      status.st_size == static_cast<off_t>(record_memory_bytes);
    if (ours) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    errno = saved_errno;
    return ours ? fd : -1;
}

}  // namespace commmap::hooks
