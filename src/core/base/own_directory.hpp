#pragma once

#include <string>
#include <utility>

#include "commmap/result.hpp"
#include "core/base/handle.hpp"

namespace commmap {

/// A directory of this user's alone that is held open: whoever renames it, or puts a link in its
/// place, changes nothing for who works below path(). Needs /proc.
class OwnDirectory {
public:
    /// Errors: not_found; io, where it is a link, somebody else's or one that others can write.
    [[nodiscard]] static Result<OwnDirectory> open(const std::string& path);
    /// The same of a directory in it. @param make  when it is missing, 0700
    [[nodiscard]] Result<OwnDirectory> open_in(const std::string& name, bool make) const;

    /// As long as this exists.
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }
    /// What people call it.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// An error's message with that name in the place of path().
    [[nodiscard]] Error named(Error error) const;

private:
    static Result<OwnDirectory> checked(FileDescriptor fd, std::string name);
    OwnDirectory(FileDescriptor fd, std::string name)
        : fd_(std::move(fd)), name_(std::move(name)) {}

    FileDescriptor fd_;
    std::string name_;
};

}  // namespace commmap
