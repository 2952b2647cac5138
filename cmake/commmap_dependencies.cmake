# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# Every dependency comes from the distribution's packages; one that is missing is an error here, never later.
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.1)
pkg_check_modules(YAMLCPP REQUIRED IMPORTED_TARGET yaml-cpp>=0.7) # 0.7 bounds the nesting depth
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED) # its headers: core/base/libfmt.cpp is what they declare
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)

find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(METIS::METIS UNKNOWN IMPORTED)
set_target_properties(METIS::METIS
                      PROPERTIES IMPORTED_LOCATION ${METIS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${METIS_INCLUDE_DIR})

find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h REQUIRED)
find_program(FLATC_EXECUTABLE flatc REQUIRED)

if(COMMMAP_PLUGIN)
    find_path(SLURM_INCLUDE_DIR slurm/spank.h REQUIRED)
endif()
if(COMMMAP_RECORDER)
    # Open MPI and MPICH by name: the alternatives system may choose either
    find_program(MPI_C_COMPILER NAMES mpicc.openmpi mpicc)
    find_program(MPI_CXX_COMPILER NAMES mpicxx.openmpi mpicxx)
    find_package(MPI REQUIRED COMPONENTS C CXX)
    pkg_check_modules(MPICH REQUIRED mpich) # only mpi.h, whose ABI has been that of all versions since 3.1
    find_path(PMIX_INCLUDE_DIR pmix.h REQUIRED PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/include)
endif()
if(COMMMAP_IMPORT)
    pkg_check_modules(OTF2 REQUIRED IMPORTED_TARGET otf2>=3.0) # 3.0: intercommunicators, nonblocking collectives
    pkg_check_modules(PUGIXML REQUIRED IMPORTED_TARGET pugixml)
endif()

if(COMMMAP_TESTS)
    find_package(GTest REQUIRED)
endif()
