// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/process_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/base/handle.hpp"
#include "core/base/number.hpp"

namespace commmap::spank {
std::vector<int> descriptors_of(const std::string& process) {
    std::vector<int> found;
    const std::unique_ptr<DIR, FreeWith<::closedir>> directory(
        ::opendir(("/proc/" + process + "/fd").c_str()));
    if (!directory) return found;
    const int own = process == "self" ? ::dirfd(directory.get()) : -1;
    while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT: an own stream
        const auto number = parse_number(entry->d_name);
        if (number && *number >= 3 && static_cast<int>(*number) != own)
            found.push_back(static_cast<int>(*number));
    }
    std::sort(found.begin(), found.end());
    return found;
}

void give_back_terminal(const termios& modes) {
    termios now{};
    if (::tcgetattr(STDIN_FILENO, &now) != 0) return;
    if (now.c_iflag == modes.c_iflag && now.c_oflag == modes.c_oflag &&
        now.c_cflag == modes.c_cflag && now.c_lflag == modes.c_lflag)
        return;
    sigset_t background;
    sigset_t before;
    ::sigemptyset(&background);
    ::sigaddset(&background, SIGTTOU);
    ::pthread_sigmask(SIG_BLOCK, &background, &before);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProcessState ProcessState::now() {
    ProcessState state;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &state.mask_);
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        state.ignored_[static_cast<std::size_t>(number)] =
            ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    }
    termios modes{};
    if (::tcgetattr(STDIN_FILENO, &modes) == 0) state.terminal_ = modes;
    if (const char* file = std::getenv("SLURM_CONF"); file != nullptr) state.slurm_conf_ = file;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) state.open_files_ = files;
    state.open_ = descriptors_of("self");
    return state;
}

void ProcessState::restore_for_exec(std::initializer_list<int> kept,
                                    std::span<const int> open) const {
    for (const int fd : descriptors_of("self")) {
        if (std::binary_search(open_.begin(), open_.end(), fd) ||
            std::find(kept.begin(), kept.end(), fd) != kept.end())
            continue;
        const int flags = ::fcntl(fd, F_GETFD);
        if (flags >= 0) ::fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
    if (open_files_) ::setrlimit(RLIMIT_NOFILE, &*open_files_);
    if (terminal_) give_back_terminal(*terminal_);
    if (slurm_conf_) {
        ::setenv("SLURM_CONF", slurm_conf_->c_str(), 1);
    } else {
        ::unsetenv("SLURM_CONF");
    }
    for (int number = 1; number < NSIG; ++number) {
        // exec itself resets handlers; an ignored signal stays ignored
        ::signal(number, ignored_[static_cast<std::size_t>(number)] ? SIG_IGN : SIG_DFL);
    }
    sigset_t mask = mask_;
    for (const int number : open) ::sigdelset(&mask, number);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

}  // namespace commmap::spank
