// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What <fmt/core.h> declares, compiled once. Header-only in every source, libfmt would add 4 s and 90 kB to each of them; as the
// distribution's library it would be one more that srun, slurmstepd and users' programs load.
#define FMT_HEADER_ONLY
// no std::locale: with it come 400 kB of the C++ library
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#include <fmt/format.h>

#include <string>

namespace {

/// An inline function is compiled where its address is taken. It is all that fmt::format() calls.
[[gnu::used]] std::string (*const vformat)(fmt::string_view, fmt::format_args) = &fmt::vformat;

}  // namespace
