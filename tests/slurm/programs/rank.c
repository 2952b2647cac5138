/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* rank DIRECTORY COMMAND...   notes in DIRECTORY/place.RANK which node this rank is on, then
   becomes COMMAND. rank DIRECTORY              notes it and stays until DIRECTORY/go exists; signal
   USR1: exit code 5. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void leave(int number) {
    (void)number;
    _exit(5);
}

static const char* variable(const char* name) {
    const char* value = getenv(name);
    return value ? value : "";
}

int main(int argc, char** argv) {
    char path[4096];
    char hidden[4096];
    FILE* file;

    if (argc < 2) return 98;
    signal(SIGUSR1, leave);
    /* under another name first: who sees the file sees all of it */
    snprintf(path, sizeof path, "%s/place.%s", argv[1], variable("SLURM_PROCID"));
    snprintf(hidden, sizeof hidden, "%s/.place.%s", argv[1], variable("SLURM_PROCID"));
    file = fopen(hidden, "w");
    if (!file || fprintf(file, "%s\n", variable("SLURMD_NODENAME")) < 0 || fclose(file) ||
        rename(hidden, path))
        return 97;
    if (argc > 2) {
        signal(SIGUSR1, SIG_DFL);
        execvp(argv[2], argv + 2);
        return 96;
    }
    snprintf(path, sizeof path, "%s/go", argv[1]);
    while (access(path, F_OK)) usleep(20000);
    return 0;
}
