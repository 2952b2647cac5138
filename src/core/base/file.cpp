// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

#include "core/base/handle.hpp"

namespace commmap {

Error system_error(const std::string& what, const std::string& path, int error) {
    const Errc code = error == ENOENT || error == ENOTDIR ? Errc::not_found : Errc::io;
    return Error{code, "cannot " + what + " '" + path + "': " + std::strerror(error)};
}

namespace {

/// Blocks SIGXFSZ in this thread. The signal kills a program that writes past the limit of a file's
/// length (ulimit -f), and no profile is worth the recorded program. While the object lives, the
/// write just fails. The destructor takes the signal, so that it does not stay pending.
class NoSignalOfFileSize {
public:
    NoSignalOfFileSize() noexcept {
        ::sigemptyset(&signal_);
        ::sigaddset(&signal_, SIGXFSZ);
        sigset_t pending;
        was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGXFSZ) == 1;
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~NoSignalOfFileSize() {
        const int saved_errno = errno;
        const timespec no_time{};
        if (!was_pending_) ::sigtimedwait(&signal_, nullptr, &no_time);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = saved_errno;
    }
    NoSignalOfFileSize(const NoSignalOfFileSize&) = delete;
    NoSignalOfFileSize& operator=(const NoSignalOfFileSize&) = delete;

private:
    sigset_t signal_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

Status write_all(int fd, std::string_view content, const std::string& path) {
    const NoSignalOfFileSize no_signal;
    while (!content.empty()) {
        const ssize_t written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_error("write", path, errno);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return Ok{};
}

/// Returns the umask. A process can read its umask only by setting it.
mode_t file_mode_mask() {
    const mode_t mask = ::umask(077);
    ::umask(mask);
    return mask;
}

/// Sets a mode whatever the umask is. Keeps the bit by which a directory hands its group down.
void set_directory_mode(const std::string& path, mode_t mode) {
    struct stat status {};
    const mode_t group = ::stat(path.c_str(), &status) == 0 ? status.st_mode & S_ISGID : 0;
    ::chmod(path.c_str(), mode | group);
}

std::string directory_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// Writes a file beside another one and gives it that one's name.
/// @param prepare  is called with the new file before it gets the name; an error ends the work
Status write_beside_and_rename(const std::string& path, std::string_view content, Sync sync,
                               const std::function<Status(int fd)>& prepare) {
    std::string temporary = path + ".new-XXXXXX";
    FileDescriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!fd) return system_error("create a file beside", path, errno);
    const auto give_up = [&](const Error& error) {
        ::unlink(temporary.c_str());
        return error;
    };
    if (const Status written = write_all(fd.get(), content, path); !written)
        return give_up(written.error());
    if (const Status prepared = prepare(fd.get()); !prepared) return give_up(prepared.error());
    if (sync == Sync::yes && ::fsync(fd.get()) != 0)
        return give_up(system_error("write", path, errno));
    if (::close(fd.release()) != 0) return give_up(system_error("write", path, errno));
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return give_up(system_error("replace", path, errno));
    if (sync == Sync::no) return Ok{};
    // The rename itself must survive a crash of the machine; a directory that cannot be synced is
    // not our failure.
    const FileDescriptor directory(
        ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) ::fsync(directory.get());
    return Ok{};
}

}  // namespace

Result<OpenedFile> open_file(const std::string& path, std::uint64_t max_bytes) {
    FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return system_error("read", path, errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return system_error("read", path, errno);
    if (!S_ISREG(status.st_mode)) {
        const char* kind = S_ISDIR(status.st_mode)    ? "a directory"
                           : S_ISFIFO(status.st_mode) ? "a FIFO"
                                                      : "a special file";
        return Error{Errc::invalid_input, "'" + path + "' is " + kind + ", not a regular file"};
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > max_bytes)
        return Error{Errc::invalid_input,
                     "'" + path + "' is larger than " + std::to_string(max_bytes) + " bytes"};
    return OpenedFile{std::move(fd), size};
}

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
    const auto file = open_file(path, max_bytes);
    if (!file) return file.error();
    std::string content(file.value().size_bytes, '\0');
    std::size_t have = 0;
    while (have < content.size()) {
        const ssize_t got =
            ::read(file.value().fd.get(), content.data() + have, content.size() - have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error("read", path, errno);
        if (got == 0) break;  // the file was cut meanwhile: returns what is left
        have += static_cast<std::size_t>(got);
    }
    content.resize(have);
    return content;
}

Status write_file_atomically(const std::string& path, std::string_view content, unsigned mode,
                             Sync sync) {
    struct stat old {};
    if (::lstat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) {
        return Error{Errc::invalid_input,
                     "'" + path + "' is no regular file, and is not replaced by one"};
    }
    return write_beside_and_rename(path, content, sync, [&](int fd) -> Status {
        if (::fchmod(fd, mode) == 0) return Ok{};
        return system_error("set the mode of", path, errno);
    });
}

Status is_replaceable(const std::string& path) {
    struct stat old {};
    if (::lstat(path.c_str(), &old) != 0) return system_error("write", path, errno);
    const auto refuse = [&](const std::string& why) {
        return Error{Errc::invalid_input, "cannot write '" + path + "': " + why};
    };
    if (S_ISLNK(old.st_mode)) {
        std::string target(PATH_MAX, '\0');
        const bool known = ::realpath(path.c_str(), target.data()) != nullptr;
        return refuse(known ? "it is a symbolic link: name the file '" +
                                  std::string(target.c_str()) + "' instead"
                            : "it is a symbolic link to nothing");
    }
    if (!S_ISREG(old.st_mode)) return refuse("it is no regular file");
    if (old.st_nlink > 1) {
        return refuse("it has " + std::to_string(old.st_nlink) +
                      " names (hard links), of which one would get the new text: copy it first");
    }
    // root may write what nobody may; what an admin made read-only stays so
    constexpr mode_t for_anybody = 0222;
    if ((old.st_mode & for_anybody) == 0) return system_error("write", path, EACCES);
    if (::access(path.c_str(), W_OK) != 0) return system_error("write", path, errno);
    // Nobody but root can give a file to another user.
    if (::geteuid() != 0 && old.st_uid != ::geteuid()) {
        return refuse("it belongs to another user, and the new file would not");
    }
    const std::string directory = directory_of(path);
    if (::access(directory.c_str(), W_OK | X_OK) != 0) {
        return system_error("write into the directory", directory, errno);
    }
    return Ok{};
}

Status replace_file(const std::string& path, std::string_view old_content,
                    std::string_view content) {
    if (Status replaceable = is_replaceable(path); !replaceable) return replaceable;
    return write_beside_and_rename(path, content, Sync::yes, [&](int fd) -> Status {
        struct stat old {};
        if (::stat(path.c_str(), &old) != 0) return system_error("write", path, errno);
        if (::fchown(fd, old.st_uid, old.st_gid) != 0) {
            return system_error("keep owner and group of", path, errno);
        }
        if (::fchmod(fd, old.st_mode & 07777) != 0) {
            return system_error("set the mode of", path, errno);
        }
        // One byte more would be another content too.
        const auto now = read_file(path, old_content.size() + 1);
        if (now && now.value() == old_content) return Ok{};
        return Error{Errc::invalid_input,
                     "'" + path + "' was changed meanwhile, and is not written"};
    });
}

Status write_to(const std::string& path, std::string_view content) {
    constexpr mode_t readable = 0666;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        if (errno != ENOENT) return system_error("write", path, errno);
        return write_file_atomically(path, content, readable & ~file_mode_mask(), Sync::no);
    }
    if (S_ISREG(status.st_mode))
        return write_file_atomically(path, content, status.st_mode & 0777, Sync::no);
    // Follows links, because the kernel decides who may follow one (protected_symlinks).
    // O_NONBLOCK: does not wait until somebody reads a FIFO.
    const FileDescriptor fd(::open(
        path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, readable));
    if (!fd) return system_error("write", path, errno);
    ::fcntl(fd.get(), F_SETFL, 0);
    return write_all(fd.get(), content, path);
}

Status is_own_directory(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0)
        return Error{errno == ENOENT ? Errc::not_found : Errc::io,
                     "cannot look at '" + path + "': " + std::strerror(errno)};
    if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid()) return Ok{};
    return Error{Errc::io, "'" + path +
                               "' is no directory of this user (a link, or somebody else's): "
                               "remove it, or set COMMMAP_PROFILE_DIR"};
}

Status make_directories(const std::string& path, unsigned mode) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        const bool made = !part.empty() && ::mkdir(part.c_str(), mode) == 0;
        if (made) set_directory_mode(part, mode);
        if (!part.empty() && !made && errno != EEXIST) {
            const int error = errno;
            struct stat status {};
            if (::stat(part.c_str(), &status) != 0)
                return system_error("make directory", part, error);
        }
        if (slash == std::string::npos) break;
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return system_error("make directory", path, errno);
    if (!S_ISDIR(status.st_mode)) return Error{Errc::io, "'" + path + "' is not a directory"};
    return Ok{};
}

}  // namespace commmap
