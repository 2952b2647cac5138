// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/process/print_line.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>

namespace commmap::hooks {
namespace {

iovec part(std::string_view text) noexcept {
    return {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
}

}  // namespace

void print_line(std::string_view message, std::string_view rest) noexcept {
    const std::array parts = {part("commmap: "), part(message), part(rest), part("\n")};
    [[maybe_unused]] const ssize_t written =
        ::writev(STDERR_FILENO, parts.data(), static_cast<int>(parts.size()));
}

}  // namespace commmap::hooks
