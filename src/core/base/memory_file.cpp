// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/memory_file.hpp"

#include <sys/mman.h>

#include <cerrno>

namespace commmap {

FileDescriptor memory_file(const char* name, unsigned flags) {
    constexpr unsigned noexec_seal = 8;  // MFD_NOEXEC_SEAL, which older headers do not have
    FileDescriptor file(::memfd_create(name, flags | noexec_seal));
    if (!file && errno == EINVAL) file.reset(::memfd_create(name, flags));
    return file;
}

}  // namespace commmap
