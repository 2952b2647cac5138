#pragma once

#include <slurm/spank.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the hooks of plugin_entry.c call. None throws, none ends the process; all but commmap_option
 * return 0. */
int commmap_init(spank_t spank, int argc, char** argv);
int commmap_init_post_opt(spank_t spank, int argc, char** argv);
int commmap_local_user_init(spank_t spank, int argc, char** argv);
int commmap_user_init(spank_t spank, int argc, char** argv);
int commmap_task_init(spank_t spank, int argc, char** argv);
int commmap_task_exit(spank_t spank, int argc, char** argv);
int commmap_exit(spank_t spank, int argc, char** argv);
/* --commmap=VALUE; -1 in srun, salloc and sbatch when the value makes no sense. */
int commmap_option(int value, const char* argument, int remote);

#ifdef __cplusplus
}
#endif
