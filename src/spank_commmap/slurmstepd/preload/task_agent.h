/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

#pragma once

/* commmap_task.so inspects a task's program for the plugin: in the task, as the user, just before
 * the program starts. It needs libelf, so it is a library of its own that is loaded only there.
 * srun, slurmd, salloc and sbatch do not map it. */

#ifdef __cplusplus
extern "C" {
#endif

enum CommmapExecutableKind {
    COMMMAP_NO_EXECUTABLE,
    COMMMAP_DYNAMIC,
    COMMMAP_STATIC,
    COMMMAP_FOREIGN,   /* code for another kind of machine, or for 32 bits */
    COMMMAP_LOADER,    /* has another dynamic linker than this machine's programs */
    COMMMAP_CONTAINER, /* runs its program in a container */
    COMMMAP_SCRIPT,
    COMMMAP_OTHER
};

/* MPI library of a program, which decides on the recorder's library. */
enum CommmapMpi { COMMMAP_UNKNOWN_MPI, COMMMAP_OPEN_MPI, COMMMAP_MPICH };

struct CommmapExecutable {
    enum CommmapExecutableKind kind;
    enum CommmapMpi mpi;
    char path[4096]; /* for an interpreter: that of its script */
    char application_id[512];
    char loader[4096]; /* of COMMMAP_LOADER */
};

/* Finds and inspects the program that a task's command is about: see
 * core/program/launched_program.hpp. A null ends the command's words. COMMMAP_NO_EXECUTABLE: there
 * is no such program, and the task will fail by itself. */
typedef void commmap_task_inspect_function(const char* const* words, const char* search_path,
                                           const char* directory,
                                           struct CommmapExecutable* executable);

#define COMMMAP_TASK_INSPECT "commmap_task_inspect"

#ifdef __cplusplus
}
#endif
