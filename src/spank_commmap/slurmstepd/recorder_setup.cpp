// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/recorder_setup.hpp"

#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "core/config/sources.hpp"
#include "core/profile/recording/record_state.hpp"
#include "core/program/application_id.hpp"
#include "spank_commmap/slurm/print_line.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/preload/preload_list.hpp"
#include "spank_commmap/slurmstepd/preload/task_preload.hpp"
#include "spank_commmap/slurmstepd/preload/task_program.hpp"

namespace commmap::spank {
namespace {

constexpr const char* open_mpi_recorder = "libcommmap_hooks_ompi.so";
constexpr const char* mpich_recorder = "libcommmap_hooks_mpich.so";

/// End of a line that says why nothing is recorded: it tells the user how to record in a container.
constexpr const char* how_to_record_inside =
    "; docs/user/recorder.md, In containers, says how to record there";

/// Variable with the names of the variables that were set for the recorded step alone.
constexpr const char* added_variable = "COMMMAP_RECORD_ADDED";
constexpr std::array settings_of_recorder = {"COMMMAP_PROFILE_DIR", "COMMMAP_PROFILE_READERS",
                                             "COMMMAP_VERBOSE"};

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

/// Returns why this step cannot be recorded, whatever its program is; empty when it can.
std::string why_no_step_is_recorded(spank_t spank, const Options& options,
                                    const ContainerCheck& containers) {
    const auto tasks = number_item(spank, S_JOB_TOTAL_TASK_COUNT);
    if (tasks && *tasks > options.profile_ranks)
        return "not recorded: the step has " + std::to_string(*tasks) + " tasks, and " +
               std::to_string(options.profile_ranks) + " may be recorded (profile-ranks)";
    // comes before anything is loaded: a library of that name in the image would be another one
    std::string why = containers.why_nothing_is_preloaded(spank, how_to_record_inside);
    return why.empty() ? why : "not recorded: " + why;
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
    const auto found = program_of_task(spank);
    if (!found) return leave("not recorded: " + found.error().message);
    const TaskProgram* const program = found.value().get();
    if (program == nullptr) return;
    if (const std::string why = why_not_preloaded(*program, "the recorder", how_to_record_inside);
        !why.empty())
        return leave("'" + program->word + "' is not recorded: " + why);
    if (!program->takes_libraries()) return;
    const std::vector<std::string> libraries = recorders(options, program->executable.mpi);
    for (const std::string& library : libraries) {
        if (can_be_preloaded(library) && ::access(library.c_str(), R_OK) == 0) continue;
        return leave("not recorded: '" + library + "' cannot be loaded on this node");
    }
    const auto place = profile_directory(options, environment_of_task(spank));
    if (!place) return leave("not recorded: " + place.error().message);
    std::string profiles = place.value();
    if (!profiles.starts_with('/')) profiles = program->directory + "/" + profiles;
    preload(spank, libraries);
    set_variables(spank, options, program->executable, profiles, records);
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
