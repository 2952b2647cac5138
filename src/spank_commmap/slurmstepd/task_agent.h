#pragma once

/* commmap_task.so: what the plugin does in a task, as the user, just before the program starts. A
 * library of its own because it needs libelf: loaded only there, so that srun, slurmd, salloc and
 * sbatch do not map it. */

#ifdef __cplusplus
extern "C" {
#endif

enum CommmapExecutableKind {
    COMMMAP_NO_EXECUTABLE,
    COMMMAP_DYNAMIC,
    COMMMAP_STATIC,
    COMMMAP_FOREIGN,   /* of another machine's code, or of 32 bits */
    COMMMAP_LOADER,    /* started by another dynamic linker than this machine's programs */
    COMMMAP_CONTAINER, /* runs its program in a container */
    COMMMAP_SCRIPT,
    COMMMAP_OTHER
};

/* Which of the recorder's libraries it takes. */
enum CommmapMpi { COMMMAP_UNKNOWN_MPI, COMMMAP_OPEN_MPI, COMMMAP_MPICH };

struct CommmapExecutable {
    enum CommmapExecutableKind kind;
    enum CommmapMpi mpi;
    char path[4096]; /* of an interpreter's script that */
    char application_id[512];
    char loader[4096]; /* of COMMMAP_LOADER */
};

/* Finds and inspects a task's program: of the words of its command, which end with a null, what
 * they are about (core/program/launched_program.hpp). COMMMAP_NO_EXECUTABLE: there is none, the
 * task will fail by itself. */
typedef void commmap_task_inspect_function(const char* const* words, const char* search_path,
                                           const char* directory,
                                           struct CommmapExecutable* executable);

#define COMMMAP_TASK_INSPECT "commmap_task_inspect"

#ifdef __cplusplus
}
#endif
