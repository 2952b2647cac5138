// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "common/halo_program.hpp"

int main(int argc, char** argv) {
    commmap::bench::HaloProgram program(3);
    return commmap::bench::run_program(argc, argv, program);
}
