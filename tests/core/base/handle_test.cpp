// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/handle.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace commmap {
namespace {

int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(FileDescriptor, ClosesWhatItOwns) {
    const int fd = open_null();
    { const FileDescriptor owner(fd); }
    EXPECT_FALSE(is_open(fd));
}

TEST(FileDescriptor, MoveOntoAFullHandleClosesTheOldOne) {
    const int first = open_null();
    const int second = open_null();
    FileDescriptor a(first);
    FileDescriptor b(second);

    a = std::move(b);

    EXPECT_FALSE(is_open(first));
    EXPECT_EQ(a.get(), second);
    EXPECT_TRUE(is_open(second));
}

TEST(FileDescriptor, SurvivesASelfMove) {
    const int fd = open_null();
    FileDescriptor owner(fd);
    FileDescriptor& alias = owner;

    owner = std::move(alias);

    EXPECT_EQ(owner.get(), fd);
    EXPECT_TRUE(is_open(fd));
}

TEST(FileDescriptor, ReleaseGivesItAway) {
    FileDescriptor owner(open_null());
    const int fd = owner.release();
    EXPECT_FALSE(owner);
    EXPECT_TRUE(is_open(fd));
    ::close(fd);
}

}  // namespace
}  // namespace commmap
