// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace commmap::spank {

/// Returns the directory that this process is in, as an absolute path; "/" when the directory is
/// gone.
[[nodiscard]] std::string working_directory();

/// Returns a path made absolute by the directory that this process is in.
[[nodiscard]] std::string absolute_path(const std::string& path);

}  // namespace commmap::spank
