#include "core/base/descriptors.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace commmap {

void close_from(int first) {
    // not by the C library's name, which only newer ones have
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
    struct rlimit files {};
    constexpr rlim_t enough = 65536;
    const rlim_t count =
        ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? std::min<rlim_t>(files.rlim_cur, enough) : enough;
    for (int fd = first; fd < static_cast<int>(count); ++fd) ::close(fd);
}

}  // namespace commmap
