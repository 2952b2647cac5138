// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/isolated_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace commmap {
namespace {

using testing::HasSubstr;

constexpr CallLimits limits{
    .memory_bytes = std::uint64_t{1} << 30, .cpu_seconds = 1, .result_bytes = 1 << 20};

TEST(IsolatedCall, ReturnsWhatTheChildReturns) {
    const std::string long_text(300000, 'x');  // more than a pipe holds
    const pid_t here = ::getpid();
    const auto result =
        call_in_child(limits, [&] { return ::getpid() == here ? std::string() : long_text; });

    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result.value(), long_text);
}

TEST(IsolatedCall, ACrashEndsTheChildAlone) {
    const auto result = call_in_child(limits, []() -> std::string {
        ::raise(SIGSEGV);
        return "";
    });

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "was killed by signal 11 (Segmentation fault)");
}

TEST(IsolatedCall, WhatIsThrownIsAnError) {
    const auto thrown =
        call_in_child(limits, []() -> std::string { throw std::runtime_error("x"); });
    ASSERT_FALSE(thrown);
    EXPECT_EQ(thrown.error().message, "failed");
    const auto memory = call_in_child(limits, []() -> std::string { throw std::bad_alloc(); });
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().message, "needs more than 1024 MiB");
}

TEST(IsolatedCall, LimitsHold) {
    const auto endless = call_in_child(limits, []() -> std::string {
        for (;;) (void)::getppid();
    });
    ASSERT_FALSE(endless);
    EXPECT_EQ(endless.error().message, "took longer than 1 s");
    const auto chatty = call_in_child(limits, [] { return std::string(2 << 20, 'x'); });
    ASSERT_FALSE(chatty);
    EXPECT_THAT(chatty.error().message, HasSubstr("more than 1048576 bytes"));
#if !defined(__SANITIZE_ADDRESS__)
    const auto large = call_in_child(
        limits, [] { return std::to_string(std::string(std::size_t{2} << 30, 'x').rfind('y')); });
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().message, "needs more than 1024 MiB");
#endif
}

}  // namespace
}  // namespace commmap
