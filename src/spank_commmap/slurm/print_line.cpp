// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurm/print_line.hpp"

#include <unistd.h>

#include <string>

namespace commmap::spank {

void print_line(std::string_view text) {
    constexpr std::size_t longest = 1000;
    std::string line = "commmap: ";
    line += text.substr(0, longest);
    for (char& c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) c = ' ';
    }
    line += '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace commmap::spank
