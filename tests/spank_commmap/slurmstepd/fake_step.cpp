// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/fake_step.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/base/handle.hpp"
#include "core/base/memory_file.hpp"
#include "core/cpus/node_cpus.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurm/spank_api.hpp"

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;

constexpr const char* log_variable = "HWLOC_FAKE_LOG";
constexpr const char* answer_variable = "HWLOC_FAKE_ANSWER";
constexpr const char* end_variable = "HWLOC_FAKE_END";
constexpr const char* secret_variable = "HTTPS_PROXY";  // of slurmd, which no program gets

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Two CPUs of this process, or all where it has fewer.
CpuSet two_cpus(const CpuSet& own) {
    return {own.begin(), own.begin() + std::min<std::ptrdiff_t>(2, std::ssize(own))};
}

/// A task's memory as COMMMAP_RECORD_MEMORY names it.
struct Memory {
    int descriptor;
    std::string name;
    bool stays_at_exec;
};

/// The memory of all tasks that this process has open: files whose size is sealed. A task in a
/// container may have no /proc.
std::vector<Memory> open_memory() {
    constexpr int most_descriptors = 256;
    std::vector<Memory> found;
    for (int fd = STDERR_FILENO + 1; fd < most_descriptors; ++fd) {
        const int seals = ::fcntl(fd, F_GET_SEALS);
        struct stat status {};
        if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(fd, &status) != 0) continue;
        found.push_back({fd,
                         std::to_string(fd) + ":" + std::to_string(status.st_dev) + ":" +
                             std::to_string(status.st_ino),
                         (::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0});
    }
    return found;
}

/// How many mappings this process shares with the children that it will have.
std::ptrdiff_t num_shared_mappings() {
    return std::ranges::count_if(lines_of(content_of("/proc/self/maps")), [](const auto& mapping) {
        return mapping.ends_with("/dev/zero (deleted)");
    });
}

void replace_all(Deeds& deeds, const std::string& text, const std::string& by) {
    for (std::string& deed : deeds)
        for (auto at = deed.find(text); at != std::string::npos; at = deed.find(text))
            deed.replace(at, text.size(), by);
}

void add_changes(const Variables& before, const Variables& after, Deeds& deeds) {
    for (const auto& [name, value] : before)
        if (!after.contains(name)) deeds.push_back("unset " + name);
    for (const auto& [name, value] : after)
        if (const auto old = before.find(name); old == before.end() || old->second != value)
            deeds.push_back(name + "=" + value);
}

/// Adds the memory that the task keeps at its exec. Records that the task has come so far.
void use_memory(RecordState state, Deeds& deeds) {
    for (const Memory& memory : open_memory()) {
        if (!memory.stays_at_exec) continue;
        replace_all(deeds, "COMMMAP_RECORD_MEMORY=" + memory.name, "COMMMAP_RECORD_MEMORY is open");
        if (::pwrite(memory.descriptor, &state, sizeof state, record_state_offset) != sizeof state)
            deeds.emplace_back("the memory cannot be written to");
    }
}

/// Has this process's standard error go to a file, as long as the object lives.
class StandardError {
public:
    explicit StandardError(int to) : before_(::dup(STDERR_FILENO)) { ::dup2(to, STDERR_FILENO); }
    StandardError(const StandardError&) = delete;
    StandardError& operator=(const StandardError&) = delete;
    ~StandardError() { ::dup2(before_.get(), STDERR_FILENO); }

private:
    FileDescriptor before_;
};

bool become(const FakeStep& step) {
    return ::geteuid() != 0 || step.user == 0 ||
           (::setgroups(step.groups.size(), step.groups.data()) == 0 &&
            ::setresgid(step.group, step.group, step.group) == 0 &&
            ::setresuid(step.user, step.user, step.user) == 0);
}

}  // namespace

bool has_two_cpus() { return current_cpus().value().size() >= 2; }

Step::Step(std::optional<std::string> option, const Variables& variables)
    : directory_((fs::temp_directory_path() / "commmap-step-XXXXXX").string()),
      cpus_before_(current_cpus().value()),
      option_(std::move(option)) {
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
    become_later_step();
    slurm_.environment = {{"HOME", "/home/u"}, {"PATH", "/bin"}};
    slurm_.environment.insert(variables.begin(), variables.end());
    // Slurm hands the option to the tasks in a variable, too.
    if (option_) slurm_.environment[option_variable] = *option_;
    hooks_argument_ = "hooks=" + directory_;
    plugstack_ = {hooks_argument_};
    fs::permissions(directory_, fs::perms(0755));
    for (const char* file : {"libcommmap_hooks_ompi.so", "libcommmap_hooks_mpich.so",
                             "libcommmap_clock.so", "libcommmap_inside_ompi.so", "programs.log"})
        std::ofstream(directory_ + "/" + file) << "";
    fs::permissions(directory_ + "/programs.log", fs::perms(0666));
    ::setenv(log_variable, (directory_ + "/programs.log").c_str(), 1);
    ::setenv(answer_variable, (directory_ + "/answer").c_str(), 1);
    ::setenv(secret_variable, "https://name:password@proxy", 1);
    set_end_of_collect(0);
    const CpuSet cpus = two_cpus(cpus_before_);
    EXPECT_TRUE(set_cpus(cpus, cpus_before_));
    set_answer_of_node(
        bytes_of_node({{{{0, static_cast<std::uint32_t>(cpus.size()), 0, 0}}}, cpus}));
}

Step::~Step() {
    EXPECT_TRUE(set_cpus(cpus_before_, cpus_before_));
    for (const char* name : {log_variable, answer_variable, end_variable, secret_variable})
        ::unsetenv(name);
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
}

void Step::set_end_of_collect(int code) { ::setenv(end_variable, std::to_string(code).c_str(), 1); }

void Step::set_answer_of_node(std::string_view answer) const {
    std::ofstream(directory_ + "/answer", std::ios::binary) << answer;
}

std::string Step::kept() const { return content_of(kept_directory() + "/node"); }

Deeds Step::deeds_of(const std::function<Status()>& hook) {
    const Variables before = slurm_.environment;
    const std::string programs = content_of(directory_ + "/programs.log");
    const std::string kept_before = kept();
    const std::size_t memory_before = open_memory().size();
    const std::ptrdiff_t shared_before = num_shared_mappings();
    const CpuSet cpus = current_cpus().value();
    const FileDescriptor printed = memory_file("commmap-test", MFD_CLOEXEC);
    slurm_log().clear();

    Deeds deeds;
    {
        const StandardError here(printed.get());
        if (const Status status = hook(); !status)
            deeds.push_back("error " + status.error().message);
    }

    for (const std::string& line : lines_of(content_of(printed.get())))
        deeds.push_back("say " + line);
    for (const std::string& line : slurm_log()) deeds.push_back("log " + line);
    for (const std::string& line :
         lines_of(content_of(directory_ + "/programs.log").substr(programs.size())))
        deeds.push_back(line);
    add_changes(before, slurm_.environment, deeds);
    const std::size_t memory = open_memory().size() - memory_before;
    if (memory > 0) deeds.push_back("make memory for " + std::to_string(memory) + " tasks");
    if (num_shared_mappings() > shared_before) deeds.emplace_back("share memory for an answer");
    if (kept() != kept_before) deeds.emplace_back("keep what commmap-node says");
    if (const CpuSet now = current_cpus().value(); now != cpus) {
        std::string numbers;
        for (const unsigned cpu : now)
            numbers += " " + std::to_string(std::ranges::find(cpus, cpu) - cpus.begin());
        deeds.push_back("bind to CPU" + numbers);
    }
    return deeds;
}

Deeds Step::task(std::uint32_t local_id, const std::function<void()>& before) {
    return in_child([&]() -> Deeds {
        if (before) before();
        if (!become(slurm_)) return {"cannot become the user"};
        slurm_.task = local_id;
        Deeds deeds = deeds_of([this] { return hooks_->task_init(&slurm_, plugstack_); });
        use_memory(record_state_, deeds);
        replace_all(deeds, directory_, "DIR");
        replace_all(deeds, library_directory(), "LIB");
        return deeds;
    });
}

Status Step::each_task_exits() {
    for (std::uint32_t task = 0; task < slurm_.local_tasks; ++task) {
        slurm_.task = task;
        if (Status status = hooks_->task_exit(&slurm_); !status) return status;
    }
    slurm_.task.reset();
    return Ok{};
}

Deeds Step::call(Hook hook) {
    Deeds deeds;
    const auto note = [&](const std::function<Status()>& body) {
        deeds = deeds_of(body);
        replace_all(deeds, directory_, "DIR");
        replace_all(deeds, library_directory(), "LIB");
    };
    switch (hook) {
        case Hook::init:
            note([this] {
                hooks_->init(&slurm_);
                return Status(Ok{});
            });
            break;
        case Hook::option:
            note([this] {
                if (option_) hooks_->option(option_->c_str());
                return Status(Ok{});
            });
            break;
        case Hook::user_init:
            note([this] {
                // slurmstepd has the user's rights for a while, and can return to root
                const bool changes = ::geteuid() == 0 && slurm_.user != 0;
                EXPECT_TRUE(!changes || ::seteuid(slurm_.user) == 0);
                Status status = hooks_->user_init(&slurm_, plugstack_);
                EXPECT_TRUE(!changes || ::seteuid(0) == 0);
                return status;
            });
            break;
        case Hook::task_init:
            for (std::uint32_t id = 0; id < slurm_.local_tasks; ++id) {
                const Deeds of_task = task(id);
                if (id == 0) deeds = of_task;
            }
            break;
        case Hook::task_exit:
            note([this] { return each_task_exits(); });
            break;
        case Hook::exit:
            note([this] { return hooks_->exit(&slurm_); });
            break;
    }
    return deeds;
}

Deeds Step::call_up_to(Hook last) {
    Deeds deeds;
    for (const Hook hook : {Hook::init, Hook::option, Hook::user_init, Hook::task_init,
                            Hook::task_exit, Hook::exit}) {
        if (hook <= last) deeds = call(hook);
    }
    return deeds;
}

}  // namespace commmap::spank
