// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/recorder_setup.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/base/handle.hpp"
#include "core/config/sources.hpp"
#include "core/profile/recording/record_state.hpp"
#include "core/program/application_id.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurm/print_line.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/multi_prog.hpp"
#include "spank_commmap/slurmstepd/preload_list.hpp"
#include "spank_commmap/slurmstepd/task_agent.h"
#include "spank_commmap/slurmstepd/task_preload.hpp"

namespace commmap::spank {
namespace {

constexpr const char* open_mpi_recorder = "libcommmap_hooks_ompi.so";
constexpr const char* mpich_recorder = "libcommmap_hooks_mpich.so";

/// Variable with the names of the variables that were set for the recorded step alone.
constexpr const char* added_variable = "COMMMAP_RECORD_ADDED";
constexpr std::array settings_of_recorder = {"COMMMAP_PROFILE_DIR", "COMMMAP_PROFILE_READERS",
                                             "COMMMAP_VERBOSE"};

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

/// Sets a variable that the recorder reads and the user may have set too. Notes the variable if the
/// user has not set it.
void set_for_recorder(spank_t spank, const char* name, const std::string& value) {
    if (!task_variable(spank, name))
        set_task_variable(spank, added_variable,
                          task_variable(spank, added_variable).value_or("") + name + ' ');
    set_task_variable(spank, name, value);
}

/// Returns the recorder's libraries for a program. Each library passes on the calls of an MPI that
/// is not its own.
std::vector<std::string> recorders(const Options& options, CommmapMpi found) {
    const std::string directory = directory_of_hooks(options);
    MpiKind mpi = options.mpi;
    if (mpi == MpiKind::unknown && found == COMMMAP_OPEN_MPI) mpi = MpiKind::open_mpi;
    if (mpi == MpiKind::unknown && found == COMMMAP_MPICH) mpi = MpiKind::mpich;
    std::vector<std::string> libraries;
    if (mpi != MpiKind::mpich) libraries.push_back(directory + "/" + open_mpi_recorder);
    if (mpi != MpiKind::open_mpi) libraries.push_back(directory + "/" + mpich_recorder);
    return libraries;
}

/// Returns why a program cannot be recorded; empty when it can. A library that the program's C
/// library refuses ends the program.
std::string why_not_recorded(const CommmapExecutable& executable) {
    switch (executable.kind) {
        case COMMMAP_STATIC:
            return "it is statically linked, and the recorder is loaded by the dynamic linker; "
                   "link it dynamically";
        case COMMMAP_FOREIGN:
            return "it is of 32 bits, or of another machine's code, and the recorder is not";
        case COMMMAP_LOADER:
            return "'" + std::string(executable.loader) +
                   "' starts it, which is not the dynamic linker of this node's system; link it "
                   "with the system's C library";
        case COMMMAP_CONTAINER:
            return std::string(
                       "it runs programs in a container, which may have another C library") +
                   how_to_record_inside;
        default:
            return "";
    }
}

/// Returns why this step cannot be recorded, whatever its program is; empty when it can.
std::string why_no_step_is_recorded(spank_t spank, const Options& options,
                                    const ContainerCheck& containers) {
    const auto tasks = number_item(spank, S_JOB_TOTAL_TASK_COUNT);
    if (tasks && *tasks > options.profile_ranks)
        return "not recorded: the step has " + std::to_string(*tasks) + " tasks, and " +
               std::to_string(options.profile_ranks) + " may be recorded (profile-ranks)";
    // comes before anything is loaded: a library of that name in the image would be another one
    return containers.why_nothing_is_preloaded(spank);
}

/// Finds and inspects the program of this task; nullptr when there is none.
/// @param command  the words of the step; if the step has several programs, becomes this task's
///                 words
std::unique_ptr<CommmapExecutable> program_of_task(spank_t spank,
                                                   commmap_task_inspect_function* inspect,
                                                   const char* directory,
                                                   std::vector<std::string>& command) {
    auto executable = std::make_unique<CommmapExecutable>();
    const auto inspect_command = [&] {
        std::vector<const char*> words;
        words.reserve(command.size() + 1);
        for (const std::string& word : command) words.push_back(word.c_str());
        words.push_back(nullptr);
        inspect(words.data(), task_variable(spank, "PATH").value_or("").c_str(), directory,
                executable.get());
    };
    inspect_command();
    if (executable->kind == COMMMAP_NO_EXECUTABLE || executable->kind == COMMMAP_OTHER) {
        command =
            multi_prog_words(command, number_item(spank, S_TASK_GLOBAL_ID).value_or(UINT32_MAX));
        if (command.empty()) return nullptr;
        inspect_command();
    }
    return executable;
}

/// Tells the recorder what to record, and where the profile goes.
/// @param profiles  absolute, for the program may change its directory before it ends
void set_variables(spank_t spank, const Options& options, const CommmapExecutable& executable,
                   const std::string& profiles, RecordCollection& records) {
    set_task_variable(spank, "COMMMAP_RECORD", "1");
    set_task_variable(spank, "COMMMAP_APP_ID", with_tag(executable.application_id, options.tag));
    set_task_variable(spank, "COMMMAP_APP_PATH", executable.path);
    set_for_recorder(spank, "COMMMAP_PROFILE_DIR", profiles);
    set_for_recorder(spank, "COMMMAP_PROFILE_READERS",
                     std::string(visibility_name(options.profile_visibility)));
    const auto tasks = number_item(spank, S_JOB_TOTAL_TASK_COUNT);
    if (tasks && *tasks > most_ranks_asked) set_task_variable(spank, record_apart_variable, "1");
    const std::string memory = records.hand_over(spank);
    if (!memory.empty()) set_task_variable(spank, record_memory_variable, memory);
    if (options.verbose) set_for_recorder(spank, "COMMMAP_VERBOSE", "1");
}

}  // namespace

void set_up_recorder(spank_t spank, const Options& options, const ContainerCheck& containers,
                     RecordCollection& records) {
    const auto leave = [&](const std::string& why) {
        if (speaks_for_step(spank)) print_line(why);
    };
    if (const std::string why = why_no_step_is_recorded(spank, options, containers); !why.empty())
        return leave(why);
    std::vector<std::string> command = step_command(spank);
    auto* const inspect = inspect_function();
    if (command.empty()) return;
    if (inspect == nullptr)
        return leave("not recorded: commmap_task.so cannot be loaded on this node");
    const std::unique_ptr<char, FreeWith<std::free>> directory(::getcwd(nullptr, 0));
    const auto executable =
        program_of_task(spank, inspect, directory ? directory.get() : "/", command);
    if (!executable) return;
    if (const std::string why = why_not_recorded(*executable); !why.empty())
        return leave("'" + command.front() + "' is not recorded: " + why);
    if (executable->kind != COMMMAP_DYNAMIC && executable->kind != COMMMAP_SCRIPT) return;
    const std::vector<std::string> libraries = recorders(options, executable->mpi);
    for (const std::string& library : libraries) {
        if (can_be_preloaded(library) && ::access(library.c_str(), R_OK) == 0) continue;
        return leave("not recorded: '" + library + "' cannot be loaded on this node");
    }
    const auto place = profile_directory(options, environment_of_task(spank));
    if (!place) return leave("not recorded: " + place.error().message);
    std::string profiles = place.value();
    if (!profiles.starts_with('/'))
        profiles = std::string(directory ? directory.get() : "") + "/" + profiles;
    preload(spank, libraries);
    set_variables(spank, options, *executable, profiles, records);
}

void forget_recorder(spank_t spank) {
    for (const char* name : {"COMMMAP_RECORD", "COMMMAP_APP_ID", "COMMMAP_APP_PATH",
                             record_memory_variable, record_apart_variable})
        unset_task_variable(spank, name);
    forget_preloaded(spank, {open_mpi_recorder, mpich_recorder});
    forget_link_order(spank);
    const std::string added = task_variable(spank, added_variable).value_or("");
    for (const char* name : settings_of_recorder)
        if (added.find(name) != std::string::npos) unset_task_variable(spank, name);
    unset_task_variable(spank, added_variable);
}

}  // namespace commmap::spank
