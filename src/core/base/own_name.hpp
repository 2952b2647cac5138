// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

namespace commmap {

/// Names a file of this user in a directory that several users may share: "plans-1000".
[[nodiscard]] inline std::string own_name(std::string_view name) {
    return std::string(name) + "-" + std::to_string(::geteuid());
}

}  // namespace commmap
