// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/content_id.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/handle.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

std::string hex(const unsigned char* bytes, std::size_t length) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
    return text;
}

std::string id_of(XXH128_hash_t hash) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    return "xxh128:" + hex(canonical.digest, sizeof canonical.digest);
}

}  // namespace

Result<std::string> content_id(const std::string& path) {
    const auto fail = [&](int error) {
        return Error{error == ENOENT || error == ENOTDIR ? Errc::not_found : Errc::io,
                     fmt::format("cannot read '{}': {}", path, std::strerror(error))};
    };
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return fail(errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return fail(errno);
    if (!S_ISREG(status.st_mode))
        return Error{Errc::invalid_input, fmt::format("'{}' is not a regular file", path)};

    XXH3_state_t state;  // on the stack: its type is aligned, and XXH3_createState() would allocate
    XXH3_128bits_reset(&state);
    std::vector<unsigned char> piece(std::size_t{1} << 20);
    for (;;) {
        const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(errno);
        if (got == 0) break;
        XXH3_128bits_update(&state, piece.data(), static_cast<std::size_t>(got));
    }
    return id_of(XXH3_128bits_digest(&state));
}

std::string text_id(std::string_view text) { return id_of(XXH3_128bits(text.data(), text.size())); }

std::string build_id_text(const unsigned char* bytes, std::size_t length) {
    return "build-id:" + hex(bytes, length);
}

}  // namespace commmap
