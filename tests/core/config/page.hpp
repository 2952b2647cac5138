// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace commmap {

/// A file of the project, whole: "docs/admin/admin.md".
inline std::string page(const std::string& name) {
    const std::ifstream file(std::string(COMMMAP_TEST_DATA) + "/../../" + name);
    EXPECT_TRUE(file) << name;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace commmap
