/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

#pragma once

#include <slurm/spank.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hooks of plugin_entry.c call these functions. None of them throws or ends the process.
 * All but commmap_option return 0. */
int commmap_init(spank_t spank, int argc, char** argv);
int commmap_init_post_opt(spank_t spank, int argc, char** argv);
int commmap_local_user_init(spank_t spank, int argc, char** argv);
int commmap_user_init(spank_t spank, int argc, char** argv);
int commmap_task_init(spank_t spank, int argc, char** argv);
int commmap_task_exit(spank_t spank, int argc, char** argv);
int commmap_exit(spank_t spank, int argc, char** argv);
/* Takes --commmap=VALUE. Returns -1 in srun, salloc and sbatch when the value is wrong. */
int commmap_option(int value, const char* argument, int remote);

#ifdef __cplusplus
}
#endif
