// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <errno.h>
#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "commmap/result.hpp"

namespace commmap {

/// The value; a benchmark has no other way to go on.
template <class T>
T must(Result<T> result) {
    if (result) return std::move(result).value();
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, result.error().message.c_str());
    std::exit(1);
}

/// Splits `ranks` (a power of two) into three factors as equal as possible.
template <class Number>
std::array<Number, 3> cube(Number ranks) {
    std::array<Number, 3> dims{1, 1, 1};
    for (std::size_t axis = 0; dims[0] * dims[1] * dims[2] < ranks; axis = (axis + 1) % 3)
        dims[axis] *= 2;
    return dims;
}

/// Of the process.
inline double peak_mib() {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace commmap
