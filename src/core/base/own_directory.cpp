// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/own_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace commmap {
namespace {

constexpr int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

Result<OwnDirectory> OwnDirectory::open(const std::string& path) {
    return checked(FileDescriptor(::open(path.c_str(), how)), path);
}

Result<OwnDirectory> OwnDirectory::open_in(const std::string& name, bool make) const {
    const std::string whole = name_ + "/" + name;
    if (make && ::mkdirat(fd_.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
        return Error{Errc::io, "cannot make '" + whole + "': " + std::strerror(errno)};
    return checked(FileDescriptor(::openat(fd_.get(), name.c_str(), how)), whole);
}

Result<OwnDirectory> OwnDirectory::checked(FileDescriptor fd, std::string name) {
    const bool is_link = !fd && (errno == ELOOP || errno == ENOTDIR);
    if (!fd && !is_link)
        return Error{errno == ENOENT ? Errc::not_found : Errc::io,
                     "cannot look at '" + name + "': " + std::strerror(errno)};
    struct stat status {};
    if (is_link || ::fstat(fd.get(), &status) != 0 || status.st_uid != ::geteuid() ||
        (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return Error{Errc::io, "'" + name +
                                   "' is a link, or somebody else's, or one that others can write: "
                                   "make it yours alone, or set COMMMAP_PROFILE_DIR"};
    return OwnDirectory(std::move(fd), std::move(name));
}

Error OwnDirectory::named(Error error) const {
    const std::string own = path();
    if (const auto at = error.message.find(own); at != std::string::npos)
        error.message.replace(at, own.size(), name_);
    return error;
}

}  // namespace commmap
