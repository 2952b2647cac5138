#include "spank_commmap/trusted_program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace commmap::spank {
namespace {

constexpr std::size_t longest_path = std::size_t{2} * PATH_MAX;  // of links in it, too
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

/// Text that never grows beyond what it has room for.
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

/// The folders and links from `/` to a file.
class Walk {
public:
    Walk(const char* path, Untrusted& why) : why_(why) {
        fits_ = rest_.append(path, std::strlen(path));
    }
    ~Walk() {
        if (at_ >= 0) ::close(at_);
    }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    int to_end() {
        if (!fits_) return failed(ENAMETOOLONG);
        if (!begin_again()) return failed(errno);
        struct stat status {};
        for (;;) {
            if (::fstat(at_, &status) != 0) return failed(errno);
            if (!is_trusted(status)) return refused();
            Text<NAME_MAX + 1> name;
            if (!next_name(name)) return failed(ENAMETOOLONG);
            if (name.length == 0) break;
            if (!S_ISDIR(status.st_mode)) return failed(ENOTDIR);
            if (!enter(name)) return -1;
        }
        if (!S_ISREG(status.st_mode)) return failed(EACCES);
        const int opened = at_;
        at_ = -1;
        return opened;
    }

private:
    static constexpr int most_links = 40;

    int failed(int error) {
        why_.error = error;
        return -1;
    }
    int refused() {
        const char* const place = shown_.length == 0 ? "/" : shown_.letters;
        std::memcpy(why_.place, place, std::strlen(place) + 1);
        return failed(EPERM);
    }

    bool begin_again() {
        stand_at(::open("/", by_path | O_DIRECTORY));
        shown_ = {};
        return at_ >= 0;
    }
    void stand_at(int fd) {
        if (at_ >= 0) ::close(at_);
        at_ = fd;
    }

    /// Takes it off what is left of the path; empty at the end.
    bool next_name(Text<NAME_MAX + 1>& name) {
        const char* begin = rest_.letters + std::strspn(rest_.letters, "/");
        const std::size_t size = std::strcspn(begin, "/");
        if (!name.append(begin, size)) return false;
        begin += size;
        rest_.length -= static_cast<std::size_t>(begin - rest_.letters);
        std::memmove(rest_.letters, begin, rest_.length + 1);
        return true;
    }

    /// O_DIRECTORY has the kernel mount what is mounted on demand.
    int open_here(const char* name) const {
        const int folder = ::openat(at_, name, by_path | O_DIRECTORY);
        return folder >= 0 || errno != ENOTDIR ? folder : ::openat(at_, name, by_path);
    }

    bool enter(const Text<NAME_MAX + 1>& name) {
        const int next = open_here(name.letters);
        if (next < 0) return failed(errno) >= 0;
        struct stat status {};
        if (::fstat(next, &status) != 0 || !S_ISLNK(status.st_mode)) {
            stand_at(next);
            return shown_.append("/", 1) && shown_.append(name.letters, name.length)
                       ? true
                       : failed(ENAMETOOLONG) >= 0;
        }
        const bool followed = is_trusted(status) ? follow(next) : refuse_link(name);
        ::close(next);
        return followed;
    }
    bool refuse_link(const Text<NAME_MAX + 1>& name) {
        if (!shown_.append("/", 1) || !shown_.append(name.letters, name.length))
            return failed(ENAMETOOLONG) >= 0;
        return refused() >= 0;
    }
    bool follow(int link) {
        if (++links_ > most_links) return failed(ELOOP) >= 0;
        Text<longest_path> path;
        const ssize_t length = ::readlinkat(link, "", path.letters, PATH_MAX);
        if (length <= 0) return failed(errno) >= 0;
        path.length = static_cast<std::size_t>(length);
        if (!path.append("/", 1) || !path.append(rest_.letters, rest_.length))
            return failed(ENAMETOOLONG) >= 0;
        rest_ = path;
        return path.letters[0] != '/' || begin_again() || failed(errno) >= 0;
    }

    Untrusted& why_;
    Text<longest_path> rest_;
    Text<PATH_MAX> shown_;  ///< where `at_` is, for people
    int at_ = -1;
    int links_ = 0;
    bool fits_ = true;
};

}  // namespace

int open_trusted_program(const char* path, Untrusted& why) noexcept {
    return Walk(path, why).to_end();
}

void trust_owner_of_plugin(uid_t owner) noexcept { owner_of_plugin() = owner; }

bool is_root_of_system() noexcept {
    struct stat status {};
    return ::geteuid() == 0 && ::stat("/", &status) == 0 && status.st_uid == 0;
}

}  // namespace commmap::spank
