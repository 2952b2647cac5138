#include "spank_commmap/slurmstepd/remote_context.hpp"

#include <dlfcn.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/handle.hpp"
#include "core/config/sources.hpp"
#include "core/cpus/node_cpus.hpp"
#include "core/plan_reply/slots.hpp"
#include "core/profile/recording/record_state.hpp"
#include "core/program/application_id.hpp"
#include "core/text/one_line.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/handover/pmi2_map.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/slurm/container_plugin.hpp"
#include "spank_commmap/slurm/say.hpp"
#include "spank_commmap/slurm/slurm_calls.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/binding.hpp"
#include "spank_commmap/slurmstepd/multi_prog.hpp"
#include "spank_commmap/slurmstepd/node/kept_node.hpp"
#include "spank_commmap/slurmstepd/node/shared_answer.hpp"
#include "spank_commmap/slurmstepd/preload_list.hpp"
#include "spank_commmap/slurmstepd/task_agent.h"
#include "spank_commmap/slurmstepd/task_memories.hpp"

namespace commmap::spank {
namespace {

constexpr const char* open_mpi_recorder = "libcommmap_hooks_ompi.so";
constexpr const char* mpich_recorder = "libcommmap_hooks_mpich.so";
constexpr const char* run_clock = "libcommmap_clock.so";
/// The path of the file that libcommmap_clock.so writes.
constexpr const char* run_clock_variable = "COMMMAP_CLOCK";
struct Variable {
    const char* name;
    const char* value;
};
/// Intel MPI, MVAPICH2 and MVAPICH 3 bind their ranks themselves under srun too, and would undo
/// what was done here. Open MPI keeps a binding that it finds (orte/mca/ess/base/ess_base_fns.c
/// of 4.1; 5 does not bind under srun), MPICH binds only under its own launcher.
constexpr std::array binders_off = std::to_array<Variable>({
    {"I_MPI_PIN", "off"},
    {"MV2_ENABLE_AFFINITY", "0"},
    {"MVP_ENABLE_AFFINITY", "0"},
});

constexpr std::size_t longest_value = std::size_t{1} << 20;

std::string& option_value() {
    static std::string value;
    return value;
}

/// Of commmap_task.so, which stays loaded: the task's process image is replaced in a moment anyway.
commmap_task_inspect_function* inspect_function() {
    const std::string file = installed_file("commmap_task.so");
    if (file.empty()) return nullptr;  // which dlopen() would take for the program itself
    void* const agent = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    return agent == nullptr ? nullptr
                            : reinterpret_cast<commmap_task_inspect_function*>(
                                  ::dlsym(agent, COMMMAP_TASK_INSPECT));
}

/// Not a batch script, an interactive shell or the extern step.
bool runs_tasks(spank_t spank) {
    const auto step = number_item(spank, S_JOB_STEPID);
    return step && *step < SLURM_MAX_NORMAL_STEP_ID;
}

/// One task of the step speaks for all.
bool speaks(spank_t spank) { return number_item(spank, S_TASK_GLOBAL_ID) == 0U; }

std::string directory_of_hooks(const Options& options) {
    return options.hooks.empty() ? library_directory() : options.hooks;
}

Environment environment_of_task(spank_t spank) {
    return [spank](std::string_view name) { return task_variable(spank, name); };
}

/// @param decided  the mode that srun says counts, where it is not the option's
Options task_options(spank_t spank, int argc, char** argv,
                     const std::optional<std::string>& decided) {
    Options options;
    // Errors were shown by srun already.
    static_cast<void>(read_plugstack_arguments(options, plugstack_arguments(argc, argv)));
    static_cast<void>(read_environment(options, environment_of_task(spank)));
    if (decided) {
        static_cast<void>(set_mode(options, *decided));
    } else if (!option_value().empty()) {
        static_cast<void>(set_mode(options, option_value()));
    }
    if (options.disabled) options.mode = Mode::off;
    return options;
}

constexpr std::string_view any_link_order = "verify_asan_link_order=0";

/// The libraries go in front of what is to be loaded before the task's program; the first of them
/// is the first of all.
void preload(spank_t spank, const std::vector<std::string>& libraries) {
    std::string list = task_variable(spank, "LD_PRELOAD").value_or("");
    for (auto library = libraries.rbegin(); library != libraries.rend(); ++library)
        list = with_entry(list, *library);
    set_task_variable(spank, "LD_PRELOAD", list);
    // gcc's AddressSanitizer ends a program before whose runtime something was loaded; whether one
    // is behind a script nobody can see. The user's own words come after ours and win.
    const std::string sanitizer = task_variable(spank, "ASAN_OPTIONS").value_or("");
    if (sanitizer.starts_with(any_link_order)) return;  // of a step around this one
    set_task_variable(spank, "ASAN_OPTIONS",
                      std::string(any_link_order) + (sanitizer.empty() ? "" : ":" + sanitizer));
}

void forget_link_order(spank_t spank) {
    const std::string sanitizer = task_variable(spank, "ASAN_OPTIONS").value_or("");
    if (!sanitizer.starts_with(any_link_order)) return;
    if (sanitizer == any_link_order) return unset_task_variable(spank, "ASAN_OPTIONS");
    set_task_variable(spank, "ASAN_OPTIONS", sanitizer.substr(any_link_order.size() + 1));
}

/// What a step inside a step has of the outer one.
void forget_preloaded(spank_t spank, std::initializer_list<const char*> files) {
    const auto list = task_variable(spank, "LD_PRELOAD");
    if (!list) return;
    std::string rest = *list;
    for (const char* file : files) rest = without_file(rest, file);
    if (rest.empty()) {
        unset_task_variable(spank, "LD_PRELOAD");
    } else {
        set_task_variable(spank, "LD_PRELOAD", rest);
    }
}

/// Names of the variables that a task has of its recorded step alone.
constexpr const char* added_variable = "COMMMAP_RECORD_ADDED";
constexpr std::array settings_of_recorder = {"COMMMAP_PROFILE_DIR", "COMMMAP_PROFILE_READERS",
                                             "COMMMAP_VERBOSE"};

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

/// What the recorder reads, and the user may have set too: those that the user has not are noted.
void set_for_recorder(spank_t spank, const char* name, const std::string& value) {
    if (!task_variable(spank, name))
        set_task_variable(spank, added_variable,
                          task_variable(spank, added_variable).value_or("") + name + ' ');
    set_task_variable(spank, name, value);
}

/// What a step, or a job, has of the step that it was started in.
void forget_clock(spank_t spank) {
    if (!task_variable(spank, run_clock_variable)) return;
    unset_task_variable(spank, run_clock_variable);
    forget_preloaded(spank, {run_clock});
}

std::pair<dev_t, ino_t> root_directory_now() {
    struct stat status {};
    if (::stat("/", &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

/// As it was when the plugin was loaded. Another plugin (pyxis) may take the task into a container.
std::pair<dev_t, ino_t> root_directory() {
    static const std::pair<dev_t, ino_t> at_first = root_directory_now();
    return at_first;
}

constexpr const char* how_inside =
    "; docs/user/recorder.md, In containers, says how to record there";

/// Of a step that runs in a container, or may; else empty.
std::string why_nothing_is_preloaded(spank_t spank) {
    if (task_variable(spank, "SLURM_CONTAINER") || root_directory() != root_directory_now())
        return std::string(
                   "not recorded: the step runs in a container (--container, pyxis), which may "
                   "have another C library") +
               how_inside;
    if (container_plugin_is_behind())
        return "not recorded: spank_pyxis.so stands behind commmap.so in plugstack.conf, so that "
               "nobody can tell whether the step runs in a container; the administrator can put "
               "commmap.so behind it";
    return "";
}

/// @param path  where rank 0's time goes, as srun says; empty: no time is wanted of this step
void set_up_clock(spank_t spank, int argc, char** argv, const std::string& path) {
    if (path.empty() || !speaks(spank)) return;
    if (!why_nothing_is_preloaded(spank).empty()) return;
    Options admins;
    static_cast<void>(read_plugstack_arguments(admins, plugstack_arguments(argc, argv)));
    const std::string library = directory_of_hooks(admins) + "/" + run_clock;
    // without it the run is one by the step's clock
    if (!can_be_preloaded(library) || ::access(library.c_str(), R_OK) != 0) return;
    preload(spank, {library});
    set_task_variable(spank, run_clock_variable, path);
}

TaskMemories& task_memories() {
    static TaskMemories memories;
    return memories;
}

/// Whether the step may be one of profile mode; the tasks find out. Of the user's words the first
/// letters are compared.
bool may_record(spank_t spank, int argc, char** argv) {
    constexpr std::string_view profile = "profile";
    if (task_variable(spank, "SLURM_HET_SIZE")) return false;  // nodes of two parts have one number
    for (const char* name : {mode_variable, "COMMMAP"}) {
        if (task_variable(spank, name).value_or("").starts_with(profile)) return true;
    }
    if (option_value().starts_with(profile)) return true;
    Options admins;
    static_cast<void>(read_plugstack_arguments(admins, plugstack_arguments(argc, argv)));
    return admins.mode == Mode::profile;
}

constexpr std::chrono::seconds collect_seconds{4};
constexpr std::uint64_t collect_memory_mib = 512;

/// By a program that is the user: what is in the tasks' memory is theirs.
Status collect_records(spank_t spank) {
    const auto job = number_item(spank, S_JOB_ID);
    const auto step = number_item(spank, S_JOB_STEPID);
    const auto node = number_item(spank, S_JOB_NODEID);
    auto user = job_user(spank);
    if (::geteuid() != 0) return Ok{};  // a slurmd that is not root's cannot become the user
    if (!job || !step || !node || !user)
        return Error{Errc::library, "Slurm does not say whose step it is"};
    user->descriptors = task_memories().descriptors();
    std::vector<std::string> argv = {installed_file("commmap-collect")};
    for (const std::uint32_t number : {*job, *step, *node}) argv.push_back(std::to_string(number));
    for (const int fd : user->descriptors) argv.push_back(std::to_string(fd));
    // Where Slurm looks for a step's processes among slurmstepd's children (proctrack/linuxproc),
    // what is sent to the step is sent to this program too, as often as it is sent: a TERM that
    // comes a second time, the KILL after it. What has begun anew reads the same memory.
    const auto deadline = std::chrono::steady_clock::now() + collect_seconds;
    ProgramResult done;
    for (auto left = collect_seconds; left > std::chrono::seconds(0);) {
        const auto seconds = static_cast<std::uint64_t>(left.count());
        done = run_limited(
            argv,
            {.seconds = seconds, .memory_mib = collect_memory_mib, .whole_environment = false},
            nullptr, {}, &*user);
        if (done.end != ProgramResult::End::failed ||
            !done.reason.starts_with("was killed by signal"))
            break;
        constexpr timespec moment{0, 100'000'000};
        ::nanosleep(&moment, nullptr);
        left = std::chrono::ceil<std::chrono::seconds>(deadline - std::chrono::steady_clock::now());
    }
    // Of what is wrong everywhere (the directory) one node tells.
    const bool tells = *node == 0 || done.refused || task_memories().has_whole_run();
    if (done.end == ProgramResult::End::answered || !tells) return Ok{};
    return Error{Errc::io,
                 "what was recorded on this node is lost: '" + argv.front() + "' " + done.reason};
}

/// The recorder's libraries for a program. Each passes on the calls of an MPI that is not its own.
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

/// Empty: nothing speaks against it. A library that a program's C library does not take ends the
/// program.
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
                   how_inside;
        default:
            return "";
    }
}

/// Puts the recorder before the task's program when the program can be recorded.
void set_up_recorder(spank_t spank, const Options& options) {
    const auto tasks = number_item(spank, S_JOB_TOTAL_TASK_COUNT);
    if (tasks && *tasks > options.profile_ranks) {
        if (speaks(spank))
            say("not recorded: the step has " + std::to_string(*tasks) + " tasks, and " +
                std::to_string(options.profile_ranks) + " may be recorded (profile-ranks)");
        return;
    }
    // before anything is loaded: a library of that name in the image would be another one
    if (const std::string why = why_nothing_is_preloaded(spank); !why.empty()) {
        if (speaks(spank)) say(why);
        return;
    }
    std::vector<std::string> command = step_command(spank);
    auto* const inspect = inspect_function();
    if (command.empty()) return;
    if (inspect == nullptr) {
        if (speaks(spank)) say("not recorded: commmap_task.so cannot be loaded on this node");
        return;
    }
    const std::unique_ptr<char, FreeWith<std::free>> directory(::getcwd(nullptr, 0));
    const auto executable = std::make_unique<CommmapExecutable>();
    const auto inspect_command = [&] {
        std::vector<const char*> words;
        words.reserve(command.size() + 1);
        for (const std::string& word : command) words.push_back(word.c_str());
        words.push_back(nullptr);
        inspect(words.data(), task_variable(spank, "PATH").value_or("").c_str(),
                directory ? directory.get() : "/", executable.get());
    };
    inspect_command();
    if (executable->kind == COMMMAP_NO_EXECUTABLE || executable->kind == COMMMAP_OTHER) {
        command =
            multi_prog_words(command, number_item(spank, S_TASK_GLOBAL_ID).value_or(UINT32_MAX));
        if (command.empty()) return;
        inspect_command();
    }
    if (const std::string why = why_not_recorded(*executable); !why.empty()) {
        if (speaks(spank)) say("'" + command.front() + "' is not recorded: " + why);
        return;
    }
    if (executable->kind != COMMMAP_DYNAMIC && executable->kind != COMMMAP_SCRIPT) return;
    const std::vector<std::string> libraries = recorders(options, executable->mpi);
    for (const std::string& library : libraries) {
        if (can_be_preloaded(library) && ::access(library.c_str(), R_OK) == 0) continue;
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
    preload(spank, libraries);
    set_task_variable(spank, "COMMMAP_RECORD", "1");
    set_task_variable(spank, "COMMMAP_APP_ID", with_tag(executable->application_id, options.tag));
    set_task_variable(spank, "COMMMAP_APP_PATH", executable->path);
    set_for_recorder(spank, "COMMMAP_PROFILE_DIR", profiles);
    set_for_recorder(spank, "COMMMAP_PROFILE_READERS",
                     std::string(readers_name(options.profile_readers)));
    if (tasks && *tasks > most_ranks_asked) set_task_variable(spank, record_apart_variable, "1");
    const std::string memory = task_memories().hand_over(local_task_id(spank).value_or(0));
    if (!memory.empty()) set_task_variable(spank, record_memory_variable, memory);
    if (options.verbose) set_for_recorder(spank, "COMMMAP_VERBOSE", "1");
}

/// SLURM_CPU_BIND_LIST when it holds masks.
std::string slurm_masks(spank_t spank) {
    const auto type = task_variable(spank, "SLURM_CPU_BIND_TYPE");
    if (!type || type->find("mask_cpu") == std::string::npos) return "";
    return task_variable(spank, "SLURM_CPU_BIND_LIST").value_or("");
}

/// Releases differ in what they say where the user said nothing: none, or a number that is no
/// number.
std::uint32_t cpus_per_task(spank_t spank) {
    const std::uint32_t number = number_item(spank, S_STEP_CPUS_PER_TASK).value_or(1);
    constexpr std::uint32_t most = 0xfff0;
    return number == 0 || number > most ? 1 : number;
}

/// What hwloc says of this node. Its tasks are forked when it is known or shared; the first that
/// wants to know asks.
SharedAnswer& node_seen() {
    static SharedAnswer node;
    return node;
}

constexpr std::chrono::seconds node_limit{1};

std::string node_program() { return installed_file("commmap-node"); }

KeptNode kept_node() { return {"/run/commmap", node_program()}; }

Result<std::string> look_at_node() {
    const std::string program = node_program();
    ProgramResult found = run_limited({program}, {.seconds = node_limit.count(),
                                                  .memory_mib = 1024,
                                                  .output_bytes = SharedAnswer::most_bytes,
                                                  .whole_environment = false});
    if (found.end != ProgramResult::End::answered)
        return Error{found.refused ? Errc::invalid_input : Errc::library,
                     "'" + program + "' " + found.reason};
    return std::move(found.output);
}

/// What srun decided for the step, in its option or beside it.
std::string placed_text(spank_t spank) {
    const std::string& value = option_value();
    if (is_placed_value(value)) return value;
    auto handed = task_variable(spank, placed_variable);
    return handed && is_placed_value(*handed) && handed->size() <= longest_value ? *handed : "";
}

/// Which local task this is and the slots of all, as far as they fit the node.
Result<BindingRequest> binding_request(spank_t spank, const SlotTable& table) {
    const auto node = number_item(spank, S_JOB_NODEID);
    const auto local_id = local_task_id(spank);
    const auto local_tasks = number_item(spank, S_JOB_LOCAL_TASK_COUNT);
    const SlotTable::Pattern* const pattern = node ? table.pattern_of(*node) : nullptr;
    if (pattern == nullptr || !local_id || *local_id >= pattern->size() ||
        local_tasks != pattern->size()) {
        return Error{Errc::out_of_range, "the plan is for other tasks than this node has"};
    }
    return BindingRequest{
        .cpus_per_task = cpus_per_task(spank), .slots = *pattern, .local_id = *local_id};
}

/// Slurm gave the task CPUs near its devices then. A step takes its job's devices also when its
/// srun does not say so, which srun does not know of.
bool has_gpus(spank_t spank) {
    return task_variable(spank, "SLURM_STEP_GPUS") || task_variable(spank, "SLURM_GPUS_ON_NODE");
}

void set_up_placed(spank_t spank, const PlacedValue& placed) {
    if (placed.slots.empty() || has_gpus(spank)) return;
    const auto leave = [&](const std::string& who, const Error& error) {
        say(who + ": CPU binding is left to Slurm: " + error.message);
    };
    const std::string task =
        "task " + std::to_string(number_item(spank, S_TASK_GLOBAL_ID).value_or(0));
    const auto table = SlotTable::parse(placed.slots);
    if (!table) return leave(task, table.error());
    const auto request = binding_request(spank, table.value());
    if (!request) {
        if (placed.verbose) leave(task, request.error());
        return;
    }
    // more than the program may take
    const auto seen = node_seen().get(look_at_node, std::chrono::milliseconds(1500));
    const auto node = seen ? node_of_bytes(seen.value()) : seen.error();
    if (!node) {
        // all tasks of the node are left to Slurm; of a program that is missing everywhere one node
        // tells
        if (speaks(spank) || (placed.verbose && request.value().local_id == 0))
            leave(task_variable(spank, "SLURMD_NODENAME").value_or("a node"), node.error());
        return;
    }
    const Status bound = bind_task(node.value(), slurm_masks(spank), request.value());
    if (bound) {
        for (const auto& [name, value] : binders_off) {
            if (!task_variable(spank, name)) set_task_variable(spank, name, value);
        }
    } else if (placed.verbose || bound.error().code != Errc::out_of_range) {
        // other ranks of the node may be bound, and meet this one on their CPUs
        leave(task, bound.error());
    }
}

}  // namespace

void RemoteContext::init(spank_t spank) {
    static_cast<void>(root_directory());
    if (const auto map = task_variable(spank, pmi2_map_variable); map) {
        unset_task_variable(spank, pmi2_map_variable);
        if (own_rules().pmi2_loses_nodes && map->size() <= longest_pmi_value)
            set_task_variable(spank, "SLURM_PMI2_PROC_MAPPING", *map);
    }
    if (task_variable(spank, own_job_variable)) {
        unset_task_variable(spank, own_job_variable);
        for (const char* name : variables_of_job) unset_task_variable(spank, name);
    }
}

void RemoteContext::option(const char* value) {
    const std::string_view text = value == nullptr ? "" : value;
    option_value() = text.size() <= longest_value ? text : "";
}

Status RemoteContext::user_init(spank_t spank, int argc, char** argv) {
    if (!runs_tasks(spank)) return Ok{};
    const std::string value = placed_text(spank);
    if (value.empty()) {
        if (may_record(spank, argc, argv))
            task_memories().make(number_item(spank, S_JOB_LOCAL_TASK_COUNT).value_or(0));
        return Ok{};
    }
    const auto placed = parse_placed_value(value);  // splits it, no more
    if (!placed || placed.value().slots.empty()) return Ok{};
    if (auto kept = kept_node().load(); kept && node_of_bytes(kept.value())) {
        node_seen().know(std::move(kept).value());
    } else {
        node_seen().share();
    }
    return Ok{};
}

Status RemoteContext::task_exit(spank_t spank) {
    task_memories().one_ended();
    return task_memories().take_what_is_left() ? collect_records(spank) : Ok{};
}

Status RemoteContext::exit(spank_t spank) {
    if (task_memories().take_anything_left()) return collect_records(spank);
    if (::geteuid() != 0 || !node_seen().worked_out()) return Ok{};
    const KeptNode kept = kept_node();
    const auto there = kept.load();  // another step's slurmstepd was faster
    if (there && (there.value().empty() || node_of_bytes(there.value()))) return Ok{};
    const auto key = kept.key();
    if (!key) return key.error();
    // Asked once more, by root: what a task has seen is not for the tasks of others. The step ends
    // the later for it, so one that took all its time is not asked again.
    const auto begin = std::chrono::steady_clock::now();
    const auto seen = look_at_node();
    const auto node = seen ? node_of_bytes(seen.value()) : seen.error();
    if (node) return kept.keep(key.value(), seen.value());
    if (std::chrono::steady_clock::now() - begin >= node_limit)
        static_cast<void>(kept.keep(key.value(), ""));
    // what an admin has to know is more than what is said in passing
    if (node.error().code == Errc::invalid_input)
        slurm_error("commmap: %s", one_line(node.error().message).c_str());
    return node.error();
}

Status RemoteContext::task_init(spank_t spank, int argc, char** argv) {
    forget_clock(spank);
    if (!runs_tasks(spank)) return Ok{};
    const auto decided = task_variable(spank, mode_variable);
    const std::string value = placed_text(spank);
    const std::string clock = task_variable(spank, clock_variable).value_or("");
    for (const char* name : {handed_on_variable, option_variable, relaunch_variable, mode_variable,
                             placed_variable, clock_variable})
        unset_task_variable(spank, name);
    set_up_clock(spank, argc, argv, clock);
    if (!value.empty()) {
        const auto placed = parse_placed_value(value);
        if (placed) {
            set_up_placed(spank, placed.value());
        } else if (speaks(spank)) {
            say("CPU binding is left to Slurm: " + placed.error().message);
        }
        return Ok{};
    }
    const Options options = task_options(spank, argc, argv, decided);
    if (options.mode == Mode::profile) {
        set_up_recorder(spank, options);
    } else if (task_variable(spank, "COMMMAP_RECORD")) {
        forget_recorder(spank);  // a step inside a recorded step that is not to be recorded itself
    }
    return Ok{};
}

}  // namespace commmap::spank
