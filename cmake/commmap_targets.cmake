# What every target of the project has in common, and one function per kind of target.

add_library(commmap_warnings INTERFACE)
target_compile_options(commmap_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
    $<$<BOOL:${COMMMAP_WARNINGS_AS_ERRORS}>:-Werror>)
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

# commmap_module(topology SOURCES hct.cpp ... DEPS base PUBLIC_LIBS ... LIBS PkgConfig::HWLOC) -> commmap::topology
function(commmap_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LIBS;PUBLIC_LIBS")
    list(TRANSFORM arg_DEPS PREPEND commmap::)
    add_library(commmap_${name} STATIC ${arg_SOURCES})
    add_library(commmap::${name} ALIAS commmap_${name})
    target_include_directories(commmap_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(commmap_${name} PUBLIC ${arg_DEPS} ${arg_PUBLIC_LIBS} PRIVATE ${arg_LIBS} commmap_warnings)
    set_target_properties(commmap_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                          CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Builds all programs of the label unit, and nothing that they do not need.
add_custom_target(unit_tests)

# commmap_test(core/mapping/greedy_test.cpp DEPS mapping [LIBS ...] [LABELS unit] [TIMEOUT 60])
# -> test core.mapping.greedy, from tests/core/mapping/greedy_test.cpp. Label unsanitized: a unit test of which sanitizers
# leave something out.
function(commmap_test source)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "DEPS;LIBS;LABELS;SOURCES")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    if(NOT COMMMAP_UNIT_TESTS AND "unit" IN_LIST arg_LABELS AND NOT "unsanitized" IN_LIST arg_LABELS)
        return()
    endif()
    string(REGEX REPLACE "_test\\.cpp$" "" name ${source})
    string(REPLACE "/" "." name ${name})
    string(REPLACE "." "_" target test_${name})
    list(TRANSFORM arg_DEPS PREPEND commmap::)
    add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${source} ${arg_SOURCES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${target} PRIVATE ${arg_DEPS} ${arg_LIBS} GTest::gmock GTest::gtest_main commmap_warnings)
    target_compile_definitions(${target} PRIVATE COMMMAP_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    # most of a test's build is reading these
    if(NOT TARGET commmap_test_headers)
        add_library(commmap_test_headers OBJECT ${PROJECT_SOURCE_DIR}/cmake/empty.cpp)
        target_link_libraries(commmap_test_headers PRIVATE GTest::gmock GTest::gtest_main commmap_warnings)
        target_precompile_headers(commmap_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    endif()
    if(NOT arg_SOURCES)  # clang-tidy looks at sources of ours and cannot read gcc's precompiled headers
        target_precompile_headers(${target} REUSE_FROM commmap_test_headers)
        # gcc 12 finds these, wrongly, in std::string and EXPECT_FALSE once their headers come precompiled
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-array-bounds
                               -Wno-stringop-overflow)
    endif()
    if("unit" IN_LIST arg_LABELS)
        add_dependencies(unit_tests ${target})
    endif()
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
