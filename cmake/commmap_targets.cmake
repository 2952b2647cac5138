# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# What every target of the project has in common, and one function per kind of target.

add_library(commmap_warnings INTERFACE)
target_compile_options(commmap_warnings
                       INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                 $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
                                 $<$<BOOL:${COMMMAP_WARNINGS_AS_ERRORS}>:-Werror>)
# A seed gives the same placement on every machine: none may join a multiplication and an addition into one rounding.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(COMMMAP_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=address,undefined)
endif()
if(COMMMAP_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
        message(FATAL_ERROR "COMMMAP_FUZZ needs clang, this is ${CMAKE_CXX_COMPILER_ID}: cmake --preset fuzz")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# commmap_installed(TARGET): it is a part of what is installed.
function(commmap_installed target)
    string(REPLACE "commmap_" "" name ${target})
    set(protections commmap_checked)
    if(name IN_LIST COMMMAP_UNCHECKED_MODULES)
        set(protections commmap_hardening)
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON COMMMAP_PROTECTIONS ${protections})
    target_link_libraries(${target} PRIVATE ${protections})
endfunction()

# commmap_folder(PURPOSE "the tree of the machine" USES base text ROOMS low high PUBLIC result.hpp): what this folder of src is
# for, which modules of core it may include, its own folders from the lowest up, a point for the folder itself ("a|b" do not know
# each other), and which headers of include/commmap are its own. check_layers.py holds the sources to it.
function(commmap_folder)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "PURPOSE" "USES;ROOMS;PUBLIC")
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(list IN ITEMS USES ROOMS PUBLIC)
        list(TRANSFORM arg_${list} REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE ${list})
        list(JOIN ${list} ", " ${list})
    endforeach()
    set_property(GLOBAL APPEND_STRING
                 PROPERTY commmap_folders
                          "{\"folder\": \"${folder}\", \"purpose\": \"${arg_PURPOSE}\", \"uses\": [${USES}], \"rooms\": [${ROOMS}], \"public\": [${PUBLIC}]}\n"
    )
    set(commmap_uses ${arg_USES} PARENT_SCOPE)
endfunction()

# Writes what all folders have declared, a line each, for check_layers.py.
function(commmap_write_layers file)
    get_property(folders GLOBAL PROPERTY commmap_folders)
    file(WRITE ${file} "${folders}")
endfunction()

# commmap_module(topology SOURCES hct.cpp ... PUBLIC_LIBS ... LIBS PkgConfig::HWLOC) -> commmap::topology
# It is linked with what commmap_folder() says that it uses, unless DEPS name something else.
function(commmap_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LIBS;PUBLIC_LIBS")
    if(NOT arg_DEPS)
        set(arg_DEPS ${commmap_uses})
    endif()
    list(TRANSFORM arg_DEPS PREPEND commmap::)
    add_library(commmap_${name} STATIC ${arg_SOURCES})
    add_library(commmap::${name} ALIAS commmap_${name})
    target_include_directories(commmap_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(commmap_${name} PUBLIC ${arg_DEPS} ${arg_PUBLIC_LIBS} PRIVATE ${arg_LIBS} commmap_warnings)
    commmap_installed(commmap_${name})
    set_target_properties(commmap_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    commmap_precompile(commmap_${name} standard)
endfunction()

# commmap_precompile(TARGET standard|program): with COMMMAP_PRECOMPILE the target's sources get headers that most of them
# include already compiled. standard: the C++ library's. program: also CLI11's and nlohmann-json's; a source that uses neither
# pays for that, because CLI11 has objects that every source makes anew (2.5 s).
# A target whose compiler options are those of the first target that asked shares what was compiled for it.
function(commmap_precompile target kind)
    if(NOT COMMMAP_PRECOMPILE)
        return()
    endif()
    # gcc 12 finds these, wrongly, in std::string and std::variant once their headers come precompiled
    target_compile_options(${target}
                           PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized -Wno-array-bounds
                                   -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict>)
    get_target_property(type ${target} TYPE)
    get_target_property(position_independent ${target} POSITION_INDEPENDENT_CODE)
    get_target_property(protections ${target} COMMMAP_PROTECTIONS)
    if(NOT protections)
        set(protections)
    endif()
    set(owner commmap_${kind}_headers)
    if(protections)
        string(REPLACE commmap "" of_protections ${protections})
        string(APPEND owner ${of_protections})
    endif()
    if(type STREQUAL MODULE_LIBRARY) # each has options of its own
        set(owner)
    elseif(position_independent AND type STREQUAL EXECUTABLE)
        string(APPEND owner _pie)
    elseif(position_independent)
        string(APPEND owner _pic)
    endif()
    if(owner AND TARGET ${owner})
        target_precompile_headers(${target} REUSE_FROM ${owner})
        return()
    endif()
    set(headers
        <algorithm> <array> <charconv> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
        <string_view> <unordered_map> <variant> <vector>)
    if(kind STREQUAL program)
        list(APPEND headers <CLI/CLI.hpp> <nlohmann/json.hpp>)
    endif()
    if(NOT owner) # it may have sources in C
        string(REPLACE ">" "$<ANGLE-R>" headers "${headers}")
        target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${headers}>")
        return()
    endif()
    add_library(${owner} OBJECT ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/empty.cpp)
    target_link_libraries(${owner} PRIVATE commmap_warnings ${protections})
    if(kind STREQUAL program)
        target_link_libraries(${owner} PRIVATE CLI11::CLI11 nlohmann_json::nlohmann_json)
    endif()
    if(position_independent AND type STREQUAL EXECUTABLE)
        target_compile_options(${owner} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
    elseif(position_independent)
        set_target_properties(${owner}
                              PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                         VISIBILITY_INLINES_HIDDEN ON)
    endif()
    target_precompile_headers(${owner} PRIVATE ${headers})
    target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# Builds all programs of the label unit, and nothing that they do not need. unit_tests_core_mapping: those of one module, with
# its folders below.
add_custom_target(unit_tests)
function(commmap_unit_test target folder)
    string(REGEX MATCH "^(core/[^/]+|[^/]+)" module ${folder})
    string(REPLACE "/" "_" of_module unit_tests_${module})
    if(NOT TARGET ${of_module})
        add_custom_target(${of_module})
        add_dependencies(unit_tests ${of_module})
    endif()
    add_dependencies(${of_module} ${target})
endfunction()

# Seconds of the wall clock after which ctest ends a test. They are for tests that hang: on a busy machine a good one may take
# many minutes.
set(COMMMAP_TEST_SECONDS 1800)

# commmap_test(core/mapping/construction/greedy_test.cpp DEPS mapping [LIBS ...] [SOURCES ...] [DEFINITIONS NAME=VALUE ...] [LABELS unit])
# -> test core.mapping.greedy, from tests/core/mapping/construction/greedy_test.cpp. None where unit tests are left out (COMMMAP_UNIT_TESTS).
function(commmap_test source)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;LIBS;LABELS;SOURCES;DEFINITIONS")
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    if(NOT COMMMAP_UNIT_TESTS AND "unit" IN_LIST arg_LABELS)
        return()
    endif()
    string(REGEX REPLACE "_test\\.cpp$" "" name ${source})
    string(REPLACE "/" "." name ${name})
    string(REPLACE "." "_" target test_${name})
    list(TRANSFORM arg_DEPS PREPEND commmap::)
    add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${source} ${arg_SOURCES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${target} PRIVATE ${arg_DEPS} ${arg_LIBS} GTest::gmock GTest::gtest_main commmap_warnings)
    target_compile_definitions(${target}
                               PRIVATE COMMMAP_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" ${arg_DEFINITIONS})
    target_compile_options(${target} PRIVATE ${COMMMAP_TEST_OPTIONS})
    # most of a test's build is reading these
    if(NOT TARGET commmap_test_headers)
        add_library(commmap_test_headers OBJECT ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/empty.cpp)
        target_link_libraries(commmap_test_headers PRIVATE GTest::gmock GTest::gtest_main commmap_warnings)
        target_compile_options(commmap_test_headers PRIVATE ${COMMMAP_TEST_OPTIONS})
        target_precompile_headers(commmap_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    endif()
    target_precompile_headers(${target} REUSE_FROM commmap_test_headers)
    # gcc 12 finds these, wrongly, in std::string and EXPECT_FALSE once their headers come precompiled
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
    if("unit" IN_LIST arg_LABELS)
        get_filename_component(folder ${source} DIRECTORY)
        commmap_unit_test(${target} ${folder})
    endif()
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${COMMMAP_TEST_SECONDS})
endfunction()

# commmap_schemas(HEADERS format/profile_v3.fbs ...): flatc compiles FlatBuffers schemas of this folder into the build folder. They are
# included by their folder in src: #include "core/profile/format/profile_v3_generated.h". The variable HEADERS gets the files, and
# generated_dir the folder for target_include_directories().
function(commmap_schemas headers)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    set(generated_dir ${CMAKE_CURRENT_BINARY_DIR}/generated)
    set(made)
    foreach(schema IN LISTS ARGN)
        get_filename_component(output ${generated_dir}/${folder}/${schema} DIRECTORY)
        get_filename_component(name ${schema} NAME_WE)
        add_custom_command(OUTPUT ${output}/${name}_generated.h
                           COMMAND ${FLATC_EXECUTABLE} --cpp --scoped-enums -o ${output}
                                   ${CMAKE_CURRENT_SOURCE_DIR}/${schema}
                           DEPENDS ${schema}
                           VERBATIM)
        list(APPEND made ${output}/${name}_generated.h)
    endforeach()
    string(REPLACE "/" "_" target commmap_schemas_${folder})
    add_custom_target(${target} DEPENDS ${made})
    add_dependencies(generated_sources ${target})
    set(generated_dir ${generated_dir} PARENT_SCOPE)
    set(${headers} ${made} PARENT_SCOPE)
endfunction()

# commmap_source_hash(FILE NAME PATTERN...): FILE is a header with NAME, the hash of the sources that the patterns find in
# the project, also in folders below.
function(commmap_source_hash file name)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
    string(REPLACE ";" "," patterns "${ARGN}")
    add_custom_command(OUTPUT ${file}
                       COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR} -D PATTERNS=${patterns} -D NAME=${name} -D
                               OUTPUT=${file} -P ${PROJECT_SOURCE_DIR}/cmake/source_hash.cmake
                       DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/source_hash.cmake
                       VERBATIM)
endfunction()
