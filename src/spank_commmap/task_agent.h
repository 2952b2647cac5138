#pragma once

#include <stddef.h>
#include <stdint.h>

/* commmap_task.so: what the plugin does in a task, as the user, just before the program starts. A
 * library of its own because it needs hwloc and libelf: loaded only there, so that srun, slurmd,
 * salloc and sbatch map neither. */

#ifdef __cplusplus
extern "C" {
#endif

enum CommmapExecutableKind {
    COMMMAP_NO_EXECUTABLE,
    COMMMAP_DYNAMIC,
    COMMMAP_STATIC,
    COMMMAP_SCRIPT,
    COMMMAP_OTHER
};

struct CommmapExecutable {
    enum CommmapExecutableKind kind;
    char path[4096];
    char application_id[256];
};

/* Finds and inspects a task's program. COMMMAP_NO_EXECUTABLE: there is none, the task will fail by
 * itself. */
typedef void commmap_task_inspect_function(const char* command, const char* search_path,
                                           const char* directory,
                                           struct CommmapExecutable* executable);

struct CommmapBindRequest {
    const char* slurm_masks; /* SLURM_CPU_BIND_LIST when it lists masks, else NULL */
    const uint32_t* slots;   /* of all local tasks */
    size_t num_slots;
    size_t local_id; /* this task: index into slots */
};

/* Binds the calling thread. 0, or -1 with the reason in `reason`; then the binding is as Slurm made
 * it. */
typedef int commmap_task_bind_function(const struct CommmapBindRequest* request, char* reason,
                                       size_t reason_size);

#define COMMMAP_TASK_INSPECT "commmap_task_inspect"
#define COMMMAP_TASK_BIND "commmap_task_bind"

#ifdef __cplusplus
}
#endif
