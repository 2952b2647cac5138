#include "spank_commmap/remote_context.hpp"

#include <dlfcn.h>
#include <slurm/slurm.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>

#include "core/base/handle.hpp"
#include "core/config/sources.hpp"
#include "spank_commmap/installed_paths.hpp"
#include "spank_commmap/option_value.hpp"
#include "spank_commmap/preload_list.hpp"
#include "spank_commmap/reexec.hpp"
#include "spank_commmap/say.hpp"
#include "spank_commmap/slots.hpp"
#include "spank_commmap/spank_api.hpp"
#include "spank_commmap/task_agent.h"

namespace commmap::spank {
namespace {

constexpr const char* recorder = "libcommmap_hooks_ompi.so";
constexpr std::size_t longest_value = std::size_t{1} << 20;

std::string& option_value() {
    static std::string value;
    return value;
}

/// commmap_task.so, loaded in the task only. Kept loaded: the process image is replaced in a moment
/// anyway.
template <class Function>
Function* agent_function(const char* name) {
    void* const agent =
        ::dlopen((library_directory() + "/commmap_task.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    return agent == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(agent, name));
}

/// One task of the step speaks for all.
bool speaks(spank_t spank) { return number_item(spank, S_TASK_GLOBAL_ID) == 0U; }

Environment environment_of_task(spank_t spank) {
    return [spank](std::string_view name) { return task_variable(spank, name); };
}

Options task_options(spank_t spank, int argc, char** argv) {
    Options options;
    // Errors were shown by srun already.
    static_cast<void>(read_plugstack_arguments(options, plugstack_arguments(argc, argv)));
    static_cast<void>(read_environment(options, environment_of_task(spank)));
    if (!option_value().empty()) static_cast<void>(set_mode(options, option_value()));
    return options;
}

void forget_recorder(spank_t spank) {
    for (const char* name : {"COMMMAP_RECORD", "COMMMAP_APP_ID", "COMMMAP_APP_PATH"})
        unset_task_variable(spank, name);
    const auto preload = task_variable(spank, "LD_PRELOAD");
    if (!preload) return;
    const std::string rest = without_file(*preload, recorder);
    if (rest.empty()) {
        unset_task_variable(spank, "LD_PRELOAD");
    } else {
        set_task_variable(spank, "LD_PRELOAD", rest);
    }
}

/// Puts the recorder before the task's program when the program can be recorded.
void set_up_recorder(spank_t spank, const Options& options) {
    const std::vector<std::string> command = step_command(spank);
    auto* const inspect = agent_function<commmap_task_inspect_function>(COMMMAP_TASK_INSPECT);
    if (command.empty()) return;
    if (inspect == nullptr) {
        if (speaks(spank)) say("not recorded: commmap_task.so cannot be loaded on this node");
        return;
    }
    const std::unique_ptr<char, FreeWith<std::free>> directory(::getcwd(nullptr, 0));
    const auto executable = std::make_unique<CommmapExecutable>();
    inspect(command.front().c_str(), task_variable(spank, "PATH").value_or("").c_str(),
            directory ? directory.get() : "/", executable.get());
    if (executable->kind == COMMMAP_STATIC) {
        if (speaks(spank)) {
            say("'" + command.front() +
                "' is not recorded: it is statically linked, and the recorder is loaded by the "
                "dynamic linker; link it dynamically");
        }
        return;
    }
    if (executable->kind != COMMMAP_DYNAMIC && executable->kind != COMMMAP_SCRIPT) return;
    const std::string library =
        (options.hooks.empty() ? library_directory() : options.hooks) + "/" + recorder;
    if (!can_be_preloaded(library) || ::access(library.c_str(), R_OK) != 0) {
        if (speaks(spank)) say("not recorded: '" + library + "' cannot be loaded on this node");
        return;
    }
    const auto place = profile_directory(options, environment_of_task(spank));
    if (!place) {
        if (speaks(spank)) say("not recorded: " + place.error().message);
        return;
    }
    std::string profiles = place.value();
    if (!profiles.starts_with('/'))  // the program may go elsewhere before it ends
        profiles = std::string(directory ? directory.get() : "") + "/" + profiles;
    set_task_variable(spank, "LD_PRELOAD",
                      with_entry(task_variable(spank, "LD_PRELOAD").value_or(""), library));
    set_task_variable(spank, "COMMMAP_RECORD", "1");
    set_task_variable(spank, "COMMMAP_APP_ID", executable->application_id);
    set_task_variable(spank, "COMMMAP_APP_PATH", executable->path);
    set_task_variable(spank, "COMMMAP_PROFILE_DIR", profiles);
    if (options.verbose) set_task_variable(spank, "COMMMAP_VERBOSE", "1");
}

/// SLURM_CPU_BIND_LIST when it holds masks.
std::string slurm_masks(spank_t spank) {
    const auto type = task_variable(spank, "SLURM_CPU_BIND_TYPE");
    if (!type || type->find("mask_cpu") == std::string::npos) return "";
    return task_variable(spank, "SLURM_CPU_BIND_LIST").value_or("");
}

Status bind(spank_t spank, const PlacedValue& placed) {
    const auto table = SlotTable::parse(placed.slots);
    if (!table) return table.error();
    const auto node = number_item(spank, S_JOB_NODEID);
    const auto local_id = local_task_id(spank);
    const auto local_tasks = number_item(spank, S_JOB_LOCAL_TASK_COUNT);
    const SlotTable::Pattern* const pattern = node ? table.value().pattern_of(*node) : nullptr;
    if (pattern == nullptr || !local_id || *local_id >= pattern->size() ||
        local_tasks != pattern->size()) {
        return Error{Errc::out_of_range, "the plan is for other tasks than this node has"};
    }
    auto* const bind_task = agent_function<commmap_task_bind_function>(COMMMAP_TASK_BIND);
    if (bind_task == nullptr) return Error{Errc::library, "commmap_task.so cannot be loaded"};
    const std::string masks = slurm_masks(spank);
    const CommmapBindRequest request{masks.empty() ? nullptr : masks.c_str(), pattern->data(),
                                     pattern->size(), *local_id};
    std::array<char, 512> reason{};
    if (bind_task(&request, reason.data(), reason.size()) != 0)
        return Error{Errc::library, reason.data()};
    return Ok{};
}

void set_up_placed(spank_t spank, const PlacedValue& placed) {
    // What the tasks would see without us: only a step that leaves the distribution to Slurm is
    // placed, and then srun takes cyclic for at most one task a node, else block (launch.c).
    if (task_variable(spank, "SLURM_DISTRIBUTION") == "arbitrary") {
        const auto tasks = number_item(spank, S_JOB_TOTAL_TASK_COUNT);
        const auto nodes = number_item(spank, S_JOB_NNODES);
        if (tasks && nodes)
            set_task_variable(spank, "SLURM_DISTRIBUTION", *tasks <= *nodes ? "cyclic" : "block");
        else
            unset_task_variable(spank, "SLURM_DISTRIBUTION");
    }
    if (placed.slots.empty()) return;
    const Status bound = bind(spank, placed);
    if (!bound && placed.verbose) {
        say("task " + std::to_string(number_item(spank, S_TASK_GLOBAL_ID).value_or(0)) +
            ": CPU binding is left to Slurm: " + bound.error().message);
    }
}

}  // namespace

void RemoteContext::option(const char* value) {
    const std::string_view text = value == nullptr ? "" : value;
    option_value() = text.size() <= longest_value ? text : "";
}

Status RemoteContext::task_init(spank_t spank, int argc, char** argv) {
    const auto step = number_item(spank, S_JOB_STEPID);
    if (!step || *step >= SLURM_MAX_NORMAL_STEP_ID) return Ok{};
    for (const char* name : {handed_on_variable, option_variable, Relaunch::variable})
        unset_task_variable(spank, name);
    if (is_placed_value(option_value())) {
        const auto placed = parse_placed_value(option_value());
        if (!placed) return placed.error();
        set_up_placed(spank, placed.value());
        return Ok{};
    }
    const Options options = task_options(spank, argc, argv);
    if (options.mode == Mode::profile) {
        set_up_recorder(spank, options);
    } else if (task_variable(spank, "COMMMAP_RECORD")) {
        forget_recorder(spank);  // a step inside a recorded step that is not to be recorded itself
    }
    return Ok{};
}

}  // namespace commmap::spank
