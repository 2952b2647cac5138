#include "spank_commmap/task_memories.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/profile/record_state.hpp"

namespace commmap::spank {
namespace {

bool is_left(const FileDescriptor& file) {
    RecordState state{};
    return ::pread(file.get(), &state, sizeof state, record_state_offset) == sizeof state &&
           (state == RecordState::running || state == RecordState::finished);
}

}  // namespace

void TaskMemories::make(std::uint32_t num_tasks) {
    num_tasks_ = num_tasks;
    for (std::uint32_t i = 0; i < num_tasks; ++i) {
        FileDescriptor file(::memfd_create("commmap-record", MFD_CLOEXEC));
        if (!file) return;
        files_.push_back(std::move(file));
    }
}

std::string TaskMemories::hand_over(std::uint32_t local_id) const {
    if (local_id >= files_.size()) return "";
    const int fd = files_[local_id].get();
    struct stat status {};
    if (::fstat(fd, &status) != 0 || ::fcntl(fd, F_SETFD, 0) != 0) return "";
    return std::to_string(fd) + ":" + std::to_string(status.st_dev) + ":" +
           std::to_string(status.st_ino);
}

bool TaskMemories::take_what_is_left() { return ended_ >= num_tasks_ && take_anything_left(); }

bool TaskMemories::take_anything_left() {
    if (taken_) return false;
    taken_ = true;
    return std::any_of(files_.begin(), files_.end(), is_left);
}

std::vector<int> TaskMemories::descriptors() const {
    std::vector<int> numbers;
    for (const FileDescriptor& file : files_) numbers.push_back(file.get());
    return numbers;
}

}  // namespace commmap::spank
