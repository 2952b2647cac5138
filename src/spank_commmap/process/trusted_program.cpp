// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/trusted_program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace commmap::spank {
namespace {

constexpr std::size_t longest_path = std::size_t{2} * PATH_MAX;  // links may make it longer
constexpr int by_path = O_PATH | O_NOFOLLOW | O_CLOEXEC;

uid_t& owner_of_plugin() {
    static constinit uid_t owner = 0;
    return owner;
}

bool is_trusted(const struct stat& status) {
    const bool others_write =
        !S_ISLNK(status.st_mode) && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    return (status.st_uid == 0 || status.st_uid == owner_of_plugin()) &&
           (!others_write || is_sticky);
}

/// Text with a fixed capacity, which it never exceeds.
template <std::size_t Size>
struct Text {
    char letters[Size] = {};
    std::size_t length = 0;

    bool append(const char* text, std::size_t size) {
        if (size >= Size - length) return false;
        std::memcpy(letters + length, text, size);
        length += size;
        letters[length] = '\0';
        return true;
    }
};

using Name = Text<NAME_MAX + 1>;

/// The folders and links from `/` to a file.
class Walk {
public:
    explicit Walk(Untrusted& why) : why_(why) {}

    /// Walks to a file. Returns its descriptor, or an empty one on failure.
    FileDescriptor to(const char* path) {
        const bool fits = rest_.append(path, std::strlen(path)) ? true : failed(ENAMETOOLONG);
        if (!fits || !begin_again() || !arrives()) return {};
        return std::move(at_);
    }

private:
    static constexpr int most_links = 40;

    // The functions below return false when the walk is over; `why_` says why.

    bool failed(int error) {
        why_.error = error;
        return false;
    }
    bool refused() {
        const char* const place = shown_.length == 0 ? "/" : shown_.letters;
        std::memcpy(why_.place, place, std::strlen(place) + 1);
        return failed(EPERM);
    }

    bool begin_again() {
        at_.reset(::open("/", by_path | O_DIRECTORY));
        shown_ = {};
        return at_ ? true : failed(errno);
    }

    bool arrives() {
        struct stat status {};
        for (;;) {
            if (::fstat(at_.get(), &status) != 0) return failed(errno);
            if (!is_trusted(status)) return refused();
            Name name;
            if (!next_name(name)) return failed(ENAMETOOLONG);
            if (name.length == 0) return S_ISREG(status.st_mode) ? true : failed(EACCES);
            if (!S_ISDIR(status.st_mode)) return failed(ENOTDIR);
            if (!enter(name)) return false;
        }
    }

    /// Takes the next name off the rest of the path; empty at the end. Returns false when the name
    /// is too long.
    bool next_name(Name& name) {
        const char* begin = rest_.letters + std::strspn(rest_.letters, "/");
        const std::size_t size = std::strcspn(begin, "/");
        if (!name.append(begin, size)) return false;
        begin += size;
        rest_.length -= static_cast<std::size_t>(begin - rest_.letters);
        std::memmove(rest_.letters, begin, rest_.length + 1);
        return true;
    }

    /// Opens a name in the current folder. O_DIRECTORY makes the kernel mount a file system that is
    /// mounted on demand.
    [[nodiscard]] int open_here(const Name& name) const {
        const int folder = ::openat(at_.get(), name.letters, by_path | O_DIRECTORY);
        return folder >= 0 || errno != ENOTDIR ? folder
                                               : ::openat(at_.get(), name.letters, by_path);
    }

    bool show(const Name& name) {
        return shown_.append("/", 1) && shown_.append(name.letters, name.length)
                   ? true
                   : failed(ENAMETOOLONG);
    }

    bool enter(const Name& name) {
        FileDescriptor next(open_here(name));
        struct stat status {};
        if (!next || ::fstat(next.get(), &status) != 0) return failed(errno);
        if (S_ISLNK(status.st_mode))
            return is_trusted(status) ? follow(next.get()) : show(name) && refused();
        at_ = std::move(next);
        return show(name);
    }

    bool follow(int link) {
        if (++links_ > most_links) return failed(ELOOP);
        Text<longest_path> path;
        const ssize_t length = ::readlinkat(link, "", path.letters, PATH_MAX);
        if (length <= 0) return failed(errno);
        path.length = static_cast<std::size_t>(length);
        if (!path.append("/", 1) || !path.append(rest_.letters, rest_.length))
            return failed(ENAMETOOLONG);
        rest_ = path;
        return path.letters[0] != '/' || begin_again();
    }

    Untrusted& why_;
    Text<longest_path> rest_;
    Text<PATH_MAX> shown_;  ///< path of `at_`, for people
    FileDescriptor at_;
    int links_ = 0;
};

}  // namespace

FileDescriptor open_trusted_program(const char* path, Untrusted& why) noexcept {
    return Walk(why).to(path);
}

void trust_owner_of_plugin(uid_t owner) noexcept { owner_of_plugin() = owner; }

bool is_root_of_system() noexcept {
    struct stat status {};
    return ::geteuid() == 0 && ::stat("/", &status) == 0 && status.st_uid == 0;
}

}  // namespace commmap::spank
