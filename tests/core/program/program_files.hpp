// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace commmap {

/// A fixture with a directory of its own for programs and scripts; it is removed after the test.
class ProgramFiles : public testing::Test {
protected:
    ProgramFiles() {
        std::string name =
            (std::filesystem::temp_directory_path() / "commmap-program-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    ~ProgramFiles() override { std::filesystem::remove_all(directory_); }

    /// Returns the path of the file.
    std::string write(const std::string& name, const std::string& content, mode_t mode = 0755) {
        std::string path = directory_ + "/" + name;
        std::ofstream(path) << content;
        ::chmod(path.c_str(), mode);
        return path;
    }

    std::string directory_;
};

}  // namespace commmap
