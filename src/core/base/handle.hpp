// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <unistd.h>

#include <utility>

namespace commmap {

/// Deletes a C handle, for std::unique_ptr: using HwlocTopology = std::unique_ptr<hwloc_topology,
/// FreeWith<hwloc_topology_destroy>>.
template <auto Free>
struct FreeWith {
    template <class T>
    void operator()(T* pointer) const noexcept {
        Free(pointer);
    }
};

/// Owns a file descriptor; -1 owns nothing.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        reset(other.release());  // a self-move releases and takes back the same descriptor
        return *this;
    }
    ~FileDescriptor() { reset(); }

    [[nodiscard]] int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
    void reset(int fd = -1) noexcept {
        const int old = std::exchange(fd_, fd);
        if (old >= 0 && old != fd) ::close(old);
    }

private:
    int fd_ = -1;
};

}  // namespace commmap
