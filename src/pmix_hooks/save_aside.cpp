#include "pmix_hooks/save_aside.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "core/base/handle.hpp"
#include "core/base/memory_file.hpp"
#include "pmix_hooks/arena.hpp"
#include "pmix_hooks/described_run.hpp"
#include "pmix_hooks/environment.hpp"
#include "pmix_hooks/record_memory.hpp"
#include "pmix_hooks/say.hpp"

namespace commmap::hooks {
namespace {

constexpr std::chrono::seconds longest{5};

/// A descriptor that is none of the standard ones and that a child keeps.
FileDescriptor kept_by_child(const FileDescriptor& file) {
    return FileDescriptor(::fcntl(file.get(), F_DUPFD, STDERR_FILENO + 1));
}

/// What commmap-collect reads: a record as a task's, whose state is `gathered`.
FileDescriptor record_of_all(std::string_view reports, int size) {
    const FileDescriptor file = memory_file("commmap-record", MFD_CLOEXEC);
    Arena arena;
    if (!file || ::ftruncate(file.get(), record_memory_bytes) != 0 || !arena.open(file.get()))
        return {};
    auto* head = arena.make<RecordHead>();
    auto* room = static_cast<char*>(arena.allocate(reports.size()));
    if (head == nullptr || room == nullptr) return {};
    std::memcpy(room, reports.data(), reports.size());
    describe_run(*head);
    head->base = arena.base();
    head->size = static_cast<std::uint32_t>(size);
    head->gathered = room;
    head->gathered_bytes = reports.size();
    head->layout = record_layout();
    head->state.store(RecordState::gathered);
    return kept_by_child(file);
}

/// Empty where nobody knows.
std::string collector() {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<void*>(&save_aside), &here) == 0 || here.dli_fname == nullptr)
        return "";
    const std::string library = here.dli_fname;
    const std::size_t slash = library.rfind('/');
    return slash == std::string::npos ? "" : library.substr(0, slash) + "/commmap-collect";
}

/// The program that saves is not to be recorded itself.
std::vector<char*> environment_without_recorder() {
    std::vector<char*> kept;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("COMMMAP_RECORD="))
            kept.push_back(*entry);
    }
    kept.push_back(nullptr);
    return kept;
}

/// Its standard streams are the pipe and nothing, so that nobody who reads this process's output
/// waits for it. 0, or an error number.
int start(const std::string& program, const FileDescriptor& record, const FileDescriptor& pipe,
          pid_t& child) {
    const std::string job = environment("SLURM_JOB_ID");
    const std::string step = environment("SLURM_STEP_ID");
    const std::array<std::string, 5> words = {program, job.empty() ? "0" : job,
                                              step.empty() ? "0" : step, "-",
                                              std::to_string(record.get())};
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (const int failed = ::posix_spawn_file_actions_init(&actions); failed != 0) return failed;
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, pipe.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, pipe.get(), STDERR_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, pipe.get());
    const std::vector<char*> variables = environment_without_recorder();
    const int failed =
        ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), variables.data());
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/// What it wrote until it ended. false: it has not ended in time.
bool hear(const FileDescriptor& pipe, std::string& text) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + longest;
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return false;
        pollfd ready{pipe.get(), POLLIN, 0};
        if (::poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
        char part[512];
        const ssize_t got = ::read(pipe.get(), part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        text.append(part, static_cast<std::size_t>(got));
    }
}

void save(std::string_view reports, int size) {
    constexpr const char* failed = "no profile of this run: ";
    if (const auto directory = profile_directory(); !directory)
        return say(failed, directory.error().message);
    const std::string program = collector();
    const FileDescriptor record = record_of_all(reports, size);
    int ends[2];
    if (!record || ::pipe2(ends, O_CLOEXEC) != 0) return say(failed, "there is no memory for it");
    const FileDescriptor reading(ends[0]);
    FileDescriptor end(ends[1]);
    pid_t child = -1;
    {
        const FileDescriptor writing = kept_by_child(end);
        if (const int error = start(program, record, writing, child); error != 0)
            return say(failed,
                       "'" + program + "' cannot be run (error " + std::to_string(error) + ")");
    }
    end.reset();
    std::string text;
    if (!hear(reading, text)) {
        ::waitpid(child, nullptr, WNOHANG);
        return say(
            "no profile of this run yet: the directory for profiles has not answered within "
            "5 s");
    }
    ::waitpid(child, nullptr, 0);
    const std::string line = text.substr(0, text.find('\n'));
    if (!line.starts_with("recorded ")) return say(failed, line);
    if (is_set_to("COMMMAP_VERBOSE", "1")) say(line);
}

}  // namespace

void save_aside(std::string_view reports, int size) noexcept {
    try {
        save(reports, size);
    } catch (const std::exception& e) {
        say("no profile of this run: ", e.what());
    }
}

}  // namespace commmap::hooks
