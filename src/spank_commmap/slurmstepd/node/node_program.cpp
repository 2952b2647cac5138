// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <sys/prctl.h>

#include <cstdio>
#include <exception>
#include <string>

#include "core/cpus/hwloc_cpus.hpp"

// commmap-node prints what hwloc says about this node's CPUs, as bytes_of_node() writes it.
// One task of a placed step runs this program for all tasks of its node.
int main() {
    ::prctl(PR_SET_NAME, "commmap-node");  // the program may have been run by descriptor
    try {
        const auto node = commmap::cpus_of_this_node();
        if (!node) {
            std::fprintf(stderr, "%s\n", node.error().message.c_str());
            return 1;
        }
        const std::string bytes = commmap::bytes_of_node(node.value());
        if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
            std::fflush(stdout) == 0)
            return 0;
        std::fputs("cannot write to standard output\n", stderr);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "%s\n", exception.what());
    }
    return 1;
}
