// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/same_file.hpp"

#include <filesystem>
#include <system_error>

namespace commmap::cli {
namespace {

/// Returns the file that writing to a path would write: the end of symbolic links, even if nothing
/// is there yet.
std::filesystem::path end_of_links(std::filesystem::path path) {
    constexpr int most_links = 40;  // as many as Linux follows
    std::error_code error;
    for (int i = 0; i < most_links && std::filesystem::is_symlink(path, error); ++i) {
        const auto target = std::filesystem::read_symlink(path, error);
        if (error) break;
        path = path.parent_path() / target;
    }
    // The path is made absolute first: weakly_canonical() leaves a relative path relative if
    // nothing is there.
    const auto whole =
        std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    return error ? path.lexically_normal() : whole;
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return end_of_links(a) == end_of_links(b) || std::filesystem::equivalent(a, b, error);
}

}  // namespace commmap::cli
