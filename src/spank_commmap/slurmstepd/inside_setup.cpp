// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/inside_setup.hpp"

#include <unistd.h>

#include <string>
#include <string_view>

#include "spank_commmap/handover/inside_value.hpp"
#include "spank_commmap/slurm/print_line.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/preload/preload_list.hpp"
#include "spank_commmap/slurmstepd/preload/task_preload.hpp"
#include "spank_commmap/slurmstepd/preload/task_program.hpp"

namespace commmap::spank {
namespace {

constexpr const char* inside_library = "libcommmap_inside_ompi.so";
// the library reads them: pmix_hooks/inside/inside.hpp
constexpr const char* rules_variable = "COMMMAP_INSIDE_RULES";
constexpr const char* verbose_variable = "COMMMAP_INSIDE_VERBOSE";

/// With this variable Open MPI's component coll/tuned lets others choose its algorithms.
constexpr const char* dynamic_rules_variable = "OMPI_MCA_coll_tuned_use_dynamic_rules";
/// Says that this file has set the variable above, and not the user.
constexpr const char* dynamic_rules_added_variable = "COMMMAP_INSIDE_DYNAMIC_RULES";
/// With variables that begin so, users tell Open MPI which algorithms to use.
constexpr std::string_view settings_of_users = "OMPI_MCA_coll_tuned_";

/// Returns why the library is not loaded into this task; empty where nothing speaks against it.
std::string why_native(spank_t spank, const Options& admin, const ContainerCheck& containers,
                       const std::string& library) {
    if (std::string why = containers.why_nothing_is_preloaded(spank, ""); !why.empty()) return why;
    const auto found = program_of_task(spank);
    if (!found) return found.error().message;
    const TaskProgram* const program = found.value().get();
    if (program == nullptr) return "there is no program";
    if (const std::string why = why_not_preloaded(*program, "the library for them", "");
        !why.empty())
        return "'" + program->word + "': " + why;
    if (!program->takes_libraries()) return "'" + program->word + "' is no program";
    if (admin.mpi == MpiKind::mpich || program->executable.mpi == COMMMAP_MPICH)
        return "the library for them serves Open MPI alone, and the program has MPICH's";
    if (const auto name = name_in_environment(spank, settings_of_users))
        return *name + " is set, and stands";
    if (!can_be_preloaded(library) || ::access(library.c_str(), R_OK) != 0)
        return "'" + library + "' cannot be loaded on this node";
    return "";
}

}  // namespace

void set_up_inside(spank_t spank, const StepOption::Arguments& plugstack,
                   const ContainerCheck& containers, const std::string& value) {
    if (value.empty()) return;
    const Options admin = options_of_admin(plugstack);
    const std::string library = directory_of_hooks(admin) + "/" + inside_library;
    const auto inside = parse_inside_value(value);
    const std::string why =
        inside ? why_native(spank, admin, containers, library) : inside.error().message;
    if (!why.empty()) {
        const bool tells = !inside || inside.value().verbose;
        if (tells && speaks_for_step(spank)) print_line("collectives stay native: " + why);
        return;
    }
    preload(spank, {library});
    set_task_variable(spank, rules_variable, inside.value().rules);
    if (inside.value().rules.find(" tuned ") != std::string::npos) {
        set_task_variable(spank, dynamic_rules_variable, "1");
        set_task_variable(spank, dynamic_rules_added_variable, "1");
    }
    if (inside.value().verbose) set_task_variable(spank, verbose_variable, "1");
}

void forget_inside(spank_t spank) {
    if (!task_variable(spank, rules_variable)) return;
    for (const char* name : {rules_variable, verbose_variable}) unset_task_variable(spank, name);
    if (task_variable(spank, dynamic_rules_added_variable)) {
        for (const char* name : {dynamic_rules_variable, dynamic_rules_added_variable})
            unset_task_variable(spank, name);
    }
    forget_preloaded(spank, {inside_library});
    forget_link_order(spank);
}

}  // namespace commmap::spank
