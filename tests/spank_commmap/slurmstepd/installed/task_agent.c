/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Stands in for commmap_task.so: what a program is depends on its name alone. */
#include "spank_commmap/slurmstepd/preload/task_agent.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    enum CommmapExecutableKind kind;
    enum CommmapMpi mpi;
} programs[] = {
    {"./app", COMMMAP_DYNAMIC, COMMMAP_UNKNOWN_MPI},
    {"./open-mpi", COMMMAP_DYNAMIC, COMMMAP_OPEN_MPI},
    {"./mpich", COMMMAP_DYNAMIC, COMMMAP_MPICH},
    {"./script", COMMMAP_SCRIPT, COMMMAP_UNKNOWN_MPI},
    {"./static", COMMMAP_STATIC, COMMMAP_UNKNOWN_MPI},
    {"./foreign", COMMMAP_FOREIGN, COMMMAP_UNKNOWN_MPI},
    {"./loader", COMMMAP_LOADER, COMMMAP_UNKNOWN_MPI},
    {"./container", COMMMAP_CONTAINER, COMMMAP_UNKNOWN_MPI},
    {"./other", COMMMAP_OTHER, COMMMAP_UNKNOWN_MPI},
};

commmap_task_inspect_function commmap_task_inspect;

void commmap_task_inspect(const char* const* words, const char* search_path, const char* directory,
                          struct CommmapExecutable* executable) {
    (void)search_path, (void)directory;
    memset(executable, 0, sizeof *executable);
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; ++i) {
        if (strcmp(words[0], programs[i].name) != 0) continue;
        executable->kind = programs[i].kind;
        executable->mpi = programs[i].mpi;
        snprintf(executable->path, sizeof executable->path, "/home/u/%s", words[0] + 2);
        snprintf(executable->application_id, sizeof executable->application_id, "build-id:0a");
        snprintf(executable->loader, sizeof executable->loader, "/nix/ld.so");
    }
}
