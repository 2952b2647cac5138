/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* A program without MPI that loads one with MPI, in a scope of its own. usage: local_scope SCENARIO
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* plugin = dlopen(TRAFFIC_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*run)(int, char**) = (int (*)(int, char**))dlsym(plugin, "traffic_main");
    return run(argc, argv);
}
