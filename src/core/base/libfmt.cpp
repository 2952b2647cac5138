// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Compiles what <fmt/core.h> declares, in one place. As a header-only library in every source,
// libfmt would add 4 s and 90 kB to each source. As the distribution's library, it would be one
// more library that srun, slurmstepd and users' programs load.
#define FMT_HEADER_ONLY
// Leaves out std::locale, which would bring 400 kB of the C++ library.
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#include <fmt/format.h>

#include <string>

namespace {

/// Takes the address of an inline function, so that the compiler emits it here. fmt::format() calls
/// no other function.
[[gnu::used]] std::string (*const vformat)(fmt::string_view, fmt::format_args) = &fmt::vformat;

}  // namespace
