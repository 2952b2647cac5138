// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace commmap::spank {

/// What a hook did, one line each.
using Deeds = std::vector<std::string>;

/// Splits a text at its line ends.
[[nodiscard]] Deeds lines_of(const std::string& text);
/// Returns all that is in an open file.
[[nodiscard]] std::string content_of(int fd);

/// A user without rights.
inline constexpr uid_t nobody = 65534;

/// Runs work in a child process. Returns what the work returns.
Deeds in_child(const std::function<Deeds()>& work);
/// The same, as nobody where this process is root. A slurmd that is not root's is such a process.
Deeds in_child_without_root(const std::function<Deeds()>& work);

/// Returns whether nobody can read the plugin's files in this build's folder.
[[nodiscard]] bool nobody_reaches_installed_files();

}  // namespace commmap::spank
