/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* This file has the symbols that Slurm looks for. It is C for two reasons: SPANK_PLUGIN() expanded
 * in C++ exports nothing (namespace-scope const is internal there), and spank.h declares the hooks
 * outside extern "C". */
#include "spank_commmap/plugin_entry.h"

SPANK_PLUGIN(commmap, 1)

int slurm_spank_init(spank_t spank, int argc, char** argv) {
    return commmap_init(spank, argc, argv);
}
int slurm_spank_init_post_opt(spank_t spank, int argc, char** argv) {
    return commmap_init_post_opt(spank, argc, argv);
}
int slurm_spank_local_user_init(spank_t spank, int argc, char** argv) {
    return commmap_local_user_init(spank, argc, argv);
}
int slurm_spank_user_init(spank_t spank, int argc, char** argv) {
    return commmap_user_init(spank, argc, argv);
}
int slurm_spank_task_init(spank_t spank, int argc, char** argv) {
    return commmap_task_init(spank, argc, argv);
}
int slurm_spank_task_exit(spank_t spank, int argc, char** argv) {
    return commmap_task_exit(spank, argc, argv);
}
int slurm_spank_exit(spank_t spank, int argc, char** argv) {
    return commmap_exit(spank, argc, argv);
}
