# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# Compiles through ccache where it is installed, unless whoever builds has chosen a launcher.
# The settings let precompiled headers be kept, and let another checkout of the same sources find what this one compiled.
if(NOT COMMMAP_CCACHE OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    return()
endif()
find_program(CCACHE_EXECUTABLE ccache)
if(CCACHE_EXECUTABLE)
    foreach(language IN ITEMS C CXX)
        set(CMAKE_${language}_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
            CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_EXECUTABLE})
    endforeach()
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()
