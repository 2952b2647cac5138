// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Copies a profile without its rounds: what is predicted for the copy takes the whole run at once.
#include <cstdio>

#include "../measure.hpp"
#include "core/profile/store/store.hpp"

int main(int argc, char** argv) {
    using namespace commmap;
    if (argc != 3) {
        std::fprintf(stderr, "usage: bench_without_rounds PROFILE COPY\n");
        return 2;
    }
    Profile profile = must(read_profile_file(argv[1]));
    profile.rounds = {};
    if (const Status written = write_profile_file(argv[2], profile); !written) {
        std::fprintf(stderr, "bench_without_rounds: %s\n", written.error().message.c_str());
        return 1;
    }
    return 0;
}
