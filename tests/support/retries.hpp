// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace commmap {

/// Counts a second try of the running test, in the same file and form as tests/support/retries.py.
/// @param why  without quotes, backslashes and line ends
inline void note_retry(const std::string& why) {
    const char* const path = std::getenv("COMMMAP_RETRIES");
    if (path == nullptr || *path == '\0') return;
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    const std::string line = std::string("{\"what\": \"") + test.test_suite_name() + "." +
                             test.name() + "\", \"why\": \"" + why + "\"}\n";
    std::ofstream(path, std::ios::app) << line;  // one write: other tests write to it too
}

}  // namespace commmap
