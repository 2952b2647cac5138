// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>

#include "commmap/result.hpp"
#include "core/base/handle.hpp"

namespace commmap {

/// Holds open a directory that belongs to this user alone. Somebody who renames the directory, or
/// puts a link in its place, changes nothing for files opened below path(). Needs /proc.
class OwnDirectory {
public:
    /// Opens a directory. Errors: not_found; io when it is a symbolic link, belongs to somebody
    /// else, or others can write it.
    [[nodiscard]] static Result<OwnDirectory> open(const std::string& path);
    /// Opens a directory inside this one, with the same checks.
    /// @param make  makes it (0700) when it is missing
    [[nodiscard]] Result<OwnDirectory> open_in(const std::string& name, bool make) const;

    /// Returns a path to the directory, valid as long as this object exists.
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }
    /// Returns the directory's name for messages.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Replaces path() in an error's message by name().
    [[nodiscard]] Error named(Error error) const;

private:
    static Result<OwnDirectory> checked(FileDescriptor fd, std::string name);
    OwnDirectory(FileDescriptor fd, std::string name)
        : fd_(std::move(fd)), name_(std::move(name)) {}

    FileDescriptor fd_;
    std::string name_;
};

}  // namespace commmap
