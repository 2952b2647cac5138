// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/task_memories.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/memory_file.hpp"
#include "core/profile/recording/record_state.hpp"

namespace commmap::spank {
namespace {

RecordState state_of(const FileDescriptor& file) {
    RecordState state{};
    return ::pread(file.get(), &state, sizeof state, record_state_offset) == sizeof state
               ? state
               : RecordState::nothing;
}
bool is_left(const FileDescriptor& file) { return is_to_be_collected(state_of(file)); }

}  // namespace

void TaskMemories::make(std::uint32_t num_tasks) {
    // Another process than this one may fork the tasks (contain_spank). The numbers of our
    // descriptors mean nothing there.
    owner_ = ::getpid();
    num_tasks_ = num_tasks;
    // A slurmd that is not root's cannot become the user who reads the memory.
    if (::getuid() != 0) return;
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    for (std::uint32_t i = 0; i < num_tasks; ++i) {
        FileDescriptor file = memory_file("commmap-record", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        // Slurm needs descriptors too. The size is fixed here, for a task's own limit of file sizes
        // may be lower. The seals keep a task from cutting off what a reader reads.
        if (!file || static_cast<rlim_t>(file.get()) > limit.rlim_cur / 2 ||
            ::ftruncate(file.get(), static_cast<off_t>(record_memory_bytes)) != 0 ||
            ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
            return;
        files_.push_back(std::move(file));
    }
}

std::string TaskMemories::hand_over(std::uint32_t local_id) {
    if (::getppid() != owner_) forget();
    if (local_id >= files_.size()) return "";
    const int fd = files_[local_id].get();
    struct stat status {};
    if (::fstat(fd, &status) != 0 || ::fcntl(fd, F_SETFD, 0) != 0) return "";
    return std::to_string(fd) + ":" + std::to_string(status.st_dev) + ":" +
           std::to_string(status.st_ino);
}

void TaskMemories::forget() {
    for (FileDescriptor& file : files_) static_cast<void>(file.release());
    files_.clear();
}

bool TaskMemories::take_what_is_left() { return ended_ >= num_tasks_ && take_anything_left(); }

bool TaskMemories::take_anything_left() {
    if (taken_) return false;
    taken_ = true;
    if (::getpid() != owner_) forget();
    return std::any_of(files_.begin(), files_.end(), is_left);
}

bool TaskMemories::has_whole_run() const {
    return std::any_of(files_.begin(), files_.end(), [](const FileDescriptor& file) {
        return state_of(file) == RecordState::gathered;
    });
}

std::vector<int> TaskMemories::descriptors() const {
    std::vector<int> numbers;
    for (const FileDescriptor& file : files_) numbers.push_back(file.get());
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace commmap::spank
