// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/section_source.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace commmap {

Result<AlignedBytes> SectionSource::read(std::uint64_t offset, std::uint64_t length) const {
    AlignedBytes bytes(length);
    if (!fd_) {
        std::memcpy(bytes.data(), content_.data() + offset, length);
        return bytes;
    }
    for (std::uint64_t done = 0; done < length;) {
        const ssize_t got = ::pread(fd_.get(), bytes.data() + done, length - done,
                                    static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error{Errc::io, fmt::format("reading fails: {}", std::strerror(errno))};
        if (got == 0) return corrupt("it became shorter while it was read");
        done += static_cast<std::uint64_t>(got);
    }
    return bytes;
}

}  // namespace commmap
