#include "spank_commmap/trusted_program.hpp"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace commmap::spank {
namespace {

constexpr int by_path = O_PATH | O_NOFOLLOW | O_CLOEXEC;

Error no_file(int number) { return Error{Errc::not_found, std::strerror(number)}; }

/// @param shown  the path, for people
Status check_owner(const struct stat& status, const std::string& shown) {
    const bool others_write =
        !S_ISLNK(status.st_mode) && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if (status.st_uid == 0 && (!others_write || is_sticky)) return Ok{};
    return Error{Errc::invalid_input,
                 "others than root can change '" + shown +
                     "'; a program that root starts must be root's alone, with all folders above "
                     "it"};
}

/// The folders and links from `/` to a file.
class Walk {
public:
    explicit Walk(const std::string& path) : rest_(path) { begin_again(); }

    Result<FileDescriptor> to_end() {
        struct stat status {};
        for (;;) {
            if (!at_ || ::fstat(at_.get(), &status) != 0) return no_file(errno);
            if (Status s = check_owner(status, shown_.empty() ? "/" : shown_); !s) return s.error();
            const std::string name = next_name();
            if (name.empty()) break;
            if (!S_ISDIR(status.st_mode)) return no_file(ENOTDIR);
            if (Status s = enter(name); !s) return s.error();
        }
        if (!S_ISREG(status.st_mode)) return no_file(EACCES);
        return std::move(at_);
    }

private:
    static constexpr int most_links = 40;

    void begin_again() {
        at_.reset(::open("/", by_path | O_DIRECTORY));
        shown_.clear();
    }

    /// Empty at the end.
    std::string next_name() {
        const auto begin = rest_.find_first_not_of('/');
        if (begin == std::string::npos) return "";
        const auto end = std::min(rest_.find('/', begin), rest_.size());
        std::string name = rest_.substr(begin, end - begin);
        rest_.erase(0, end);
        return name;
    }

    Status enter(const std::string& name) {
        FileDescriptor next(::openat(at_.get(), name.c_str(), by_path));
        struct stat status {};
        if (!next || ::fstat(next.get(), &status) != 0) return no_file(errno);
        if (!S_ISLNK(status.st_mode)) {
            at_ = std::move(next);
            shown_ += "/" + name;
            return Ok{};
        }
        if (Status s = check_owner(status, shown_ + "/" + name); !s) return s;
        if (++links_ > most_links) return no_file(ELOOP);
        std::array<char, PATH_MAX> target{};
        const ssize_t length = ::readlinkat(next.get(), "", target.data(), target.size());
        if (length <= 0) return no_file(errno);
        rest_.insert(0, std::string(target.data(), static_cast<std::size_t>(length)) + "/");
        if (target.front() == '/') begin_again();
        return Ok{};
    }

    std::string rest_;
    std::string shown_;  ///< where `at_` is, for people
    FileDescriptor at_;
    int links_ = 0;
};

}  // namespace

Result<FileDescriptor> open_trusted_program(const std::string& path) { return Walk(path).to_end(); }

}  // namespace commmap::spank
