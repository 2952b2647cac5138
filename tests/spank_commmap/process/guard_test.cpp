// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/guard.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace commmap::spank {
namespace {

TEST(Guard, NothingLeavesAHook) {
    std::vector<std::string> said;
    const auto report = [&](const std::string& text) { said.push_back(text); };

    EXPECT_EQ(spank_guard("hook", report, []() -> Status { return Ok{}; }), 0);
    EXPECT_EQ(spank_guard("hook", report,
                          []() -> Status {
                              return Error{Errc::io, "no disk"};
                          }),
              0);
    EXPECT_EQ(spank_guard("hook", report, []() -> Status { throw std::runtime_error("oops"); }), 0);
    EXPECT_EQ(spank_guard("hook", report, []() -> Status { throw 1; }), 0);
    EXPECT_EQ(said, (std::vector<std::string>{"hook: no disk", "hook: internal error: oops",
                                              "hook: internal error"}));

    const auto broken = [](const std::string&) { throw std::bad_alloc(); };
    EXPECT_EQ(spank_guard("hook", broken,
                          []() -> Status {
                              return Error{Errc::io, "no disk"};
                          }),
              0);
}

}  // namespace
}  // namespace commmap::spank
