// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace commmap::spank {

/// Returns pointers to the words and a null, as execve and getopt_long want them. They are valid as
/// long as `words` is unchanged.
[[nodiscard]] inline std::vector<char*> argv_pointers(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace commmap::spank
