// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/process/working_directory.hpp"

#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "core/base/handle.hpp"

namespace commmap::spank {

std::string working_directory() {
    const std::unique_ptr<char, FreeWith<std::free>> path(::getcwd(nullptr, 0));
    return path ? path.get() : "/";
}

std::string absolute_path(const std::string& path) {
    return path.starts_with('/') ? path : working_directory() + "/" + path;
}

}  // namespace commmap::spank
