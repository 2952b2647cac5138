# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

# What is installed meets a fault of memory with its end, and not with somebody else's code. tests/gates/test_installed_files.py
# looks at every installed file; docs/admin/admin.md, Install, says how to leave it out.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported()

add_library(commmap_hardening INTERFACE)
# Paths of this build in what assert() says are paths of another machine later, where somebody else may make them.
target_compile_options(commmap_hardening
                       INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -fmacro-prefix-map=${PROJECT_BINARY_DIR}/=)
# The C++ library checks its callers. Not where placements are searched and simulated (COMMMAP_UNCHECKED_MODULES): that works on
# data which has been checked, as the user alone.
add_library(commmap_checked INTERFACE)

if(COMMMAP_HARDENING AND NOT COMMMAP_SANITIZE AND NOT COMMMAP_FUZZ)
    foreach(option IN ITEMS -fstack-clash-protection -fcf-protection=full) # not on every machine
        string(MAKE_C_IDENTIFIER "commmap_has${option}" has_option)
        check_cxx_compiler_flag(${option} ${has_option})
        if(${has_option})
            target_compile_options(commmap_hardening INTERFACE ${option})
        endif()
    endforeach()
    target_compile_options(commmap_hardening
                           INTERFACE -fstack-protector-strong
                                     "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>"
    )
    target_link_options(commmap_hardening INTERFACE -Wl,-z,relro -Wl,-z,now)
    target_compile_definitions(commmap_checked INTERFACE $<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_ASSERTIONS>)
endif()
target_link_libraries(commmap_checked INTERFACE commmap_hardening)
