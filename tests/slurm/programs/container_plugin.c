/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* A stand-in for pyxis, as far as commmap sees it: with CONTAINER_ROOT in the task's environment it
 * takes the task into a mount namespace whose root is that directory, with all that the machine has
 * in it, but for what is in CONTAINER_HIDES. In slurm_spank_task_init, as pyxis does
 * (pyxis_slurmstepd.c). */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

SPANK_PLUGIN(container_stand_in, 1);

static int bind(const char* name, const char* root) {
    char target[4096];
    struct stat status;
    if (stat(name, &status) != 0) return 0;
    snprintf(target, sizeof target, "%s%s", root, name);
    mkdir(target, 0755);
    return mount(name, target, NULL, MS_BIND | MS_REC, NULL);
}

int slurm_spank_task_init(spank_t spank, int count, char** arguments) {
    static const char* const seen[] = {"/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root",
                                       "/run", "/sys", "/tmp", "/usr", "/var",   "/work"};
    char root[4096], directory[4096], hidden[4096], place[8192];
    (void)count, (void)arguments;
    if (spank_getenv(spank, "CONTAINER_ROOT", root, sizeof root) != ESPANK_SUCCESS) return 0;
    if (getcwd(directory, sizeof directory) == NULL || unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0 ||
        mount("none", root, "tmpfs", 0, "mode=755") != 0)
        return -errno;
    for (unsigned i = 0; i < sizeof seen / sizeof *seen; ++i)
        if (bind(seen[i], root) != 0) return -errno;
    if (spank_getenv(spank, "CONTAINER_HIDES", hidden, sizeof hidden) == ESPANK_SUCCESS) {
        snprintf(place, sizeof place, "%s%s", root, hidden);
        if (mount("none", place, "tmpfs", 0, "mode=755") != 0) return -errno;
    }
    return chroot(root) == 0 && chdir(directory) == 0 ? 0 : -errno;
}
