// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/task_program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/base/handle.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/preload/multi_prog.hpp"

namespace commmap::spank {
namespace {

/// Returns the function of commmap_task.so, which stays loaded: exec will soon replace the task's
/// process image.
commmap_task_inspect_function* inspect_function() {
    const std::string file = installed_file("commmap_task.so");
    // dlopen() would take an empty path for the program itself
    if (file.empty()) return nullptr;
    void* const agent = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    return agent == nullptr ? nullptr
                            : reinterpret_cast<commmap_task_inspect_function*>(
                                  ::dlsym(agent, COMMMAP_TASK_INSPECT));
}

}  // namespace

Result<std::unique_ptr<TaskProgram>> program_of_task(spank_t spank) {
    std::vector<std::string> command = step_command(spank);
    if (command.empty()) return std::unique_ptr<TaskProgram>();
    auto* const inspect = inspect_function();
    if (inspect == nullptr)
        return Error{Errc::not_found, "commmap_task.so cannot be loaded on this node"};
    auto program = std::make_unique<TaskProgram>();
    const std::unique_ptr<char, FreeWith<std::free>> directory(::getcwd(nullptr, 0));
    if (directory) program->directory = directory.get();
    const auto inspect_command = [&] {
        std::vector<const char*> words;
        words.reserve(command.size() + 1);
        for (const std::string& word : command) words.push_back(word.c_str());
        words.push_back(nullptr);
        inspect(words.data(), task_variable(spank, "PATH").value_or("").c_str(),
                directory ? directory.get() : "/", &program->executable);
    };
    inspect_command();
    const auto kind = program->executable.kind;
    if (kind == COMMMAP_NO_EXECUTABLE || kind == COMMMAP_OTHER) {
        // The step may have several programs.
        command =
            multi_prog_words(command, number_item(spank, S_TASK_GLOBAL_ID).value_or(UINT32_MAX));
        if (command.empty()) return std::unique_ptr<TaskProgram>();
        inspect_command();
    }
    program->word = command.front();
    return program;
}

std::string why_not_preloaded(const TaskProgram& program, std::string_view library,
                              std::string_view more_on_container) {
    const CommmapExecutable& executable = program.executable;
    const std::string its(library);
    switch (executable.kind) {
        case COMMMAP_STATIC:
            return "it is statically linked, and " + its +
                   " is loaded by the dynamic linker; link it dynamically";
        case COMMMAP_FOREIGN:
            return "it is of 32 bits, or of another machine's code, and " + its + " is not";
        case COMMMAP_LOADER:
            return "'" + std::string(executable.loader) +
                   "' starts it, which is not the dynamic linker of this node's system; link it "
                   "with the system's C library";
        case COMMMAP_CONTAINER:
            return "it runs programs in a container, which may have another C library" +
                   std::string(more_on_container);
        default:
            return "";
    }
}

}  // namespace commmap::spank
