// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/memory/arena.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/base/handle.hpp"

namespace commmap::hooks {
namespace {

FileDescriptor memory() {
    FileDescriptor file(::memfd_create("arena_test", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(file.get(), Arena::max_bytes), 0);
    return file;
}

/// Exits with 0 when the memory is taken by a process that may have so much more address space.
void open_with(std::size_t more_bytes) {
    const FileDescriptor file = memory();
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more_bytes;
    const struct rlimit limits { limit, limit };
    if (::setrlimit(RLIMIT_AS, &limits) != 0) std::_Exit(2);
    Arena arena;
    std::_Exit(arena.open(file.get()) ? 0 : 1);
}

TEST(Arena, TakesNoMemoryThatTheProgramNeeds) {
    EXPECT_EXIT(open_with(Arena::max_bytes * 3 / 2), testing::ExitedWithCode(1), "");
    EXPECT_EXIT(open_with(Arena::max_bytes * 3), testing::ExitedWithCode(0), "");
}

TEST(Arena, HasASharedMemoryOnce) {
    const FileDescriptor file = memory();
    Arena first;
    Arena second;
    EXPECT_TRUE(first.open(file.get()));
    EXPECT_FALSE(second.open(file.get()));
}

TEST(Arena, TellsHowMuchIsLeft) {
    const FileDescriptor file = memory();
    Arena arena;
    ASSERT_TRUE(arena.open(file.get()));
    EXPECT_EQ(arena.left(), Arena::max_bytes);
    ASSERT_NE(arena.allocate(100), nullptr);
    EXPECT_EQ(arena.left(), Arena::max_bytes - 128);
    ASSERT_NE(arena.allocate(arena.left()), nullptr);
    EXPECT_EQ(arena.left(), 0u);
    EXPECT_EQ(arena.allocate(1), nullptr);
}

}  // namespace
}  // namespace commmap::hooks
