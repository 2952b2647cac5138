# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D ROOT=DIR -D PATTERNS=a/*.cpp,b/*.hpp -D NAME=record_sources -D OUTPUT=FILE -P source_hash.cmake: writes a header with the
# hash of these sources, also of those in folders below a and b. What one build writes for another process of the same build carries
# it: two builds of one version differ.
string(REPLACE "," ";" patterns "${PATTERNS}")
list(TRANSFORM patterns PREPEND "${ROOT}/")
file(GLOB_RECURSE sources LIST_DIRECTORIES false RELATIVE "${ROOT}" ${patterns})
list(SORT sources)
if(NOT sources)
    message(FATAL_ERROR "source_hash.cmake: no source of ${PATTERNS} in ${ROOT}")
endif()
foreach(source IN LISTS sources)
    file(SHA256 "${ROOT}/${source}" hash)
    string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING "${hash}" 0 16 hash)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[#pragma once

namespace commmap {

/// Of the sources that this was built from.
inline constexpr char @NAME@[] = "@hash@";

}  // namespace commmap
]] @ONLY)
