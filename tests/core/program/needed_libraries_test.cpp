// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/needed_libraries.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/program/program_files.hpp"

namespace commmap {
namespace {

class NeededLibrariesTest : public ProgramFiles {
protected:
    NeededLibrariesTest() {
        std::ofstream(directory_ + "/main.c") << "int main(void) { return 0; }\n";
        std::ofstream(directory_ + "/mpi.c") << "int MPI_Init;\n";
    }
    std::string compile(const std::string& name, const std::string& options) {
        const std::string path = directory_ + "/" + name;
        const std::string command =
            "cd " + directory_ +
            " && cc -shared -fPIC -Wl,-soname,libmpi.so.40 -o libmpi.so mpi.c && "
            "cc -Wl,--no-as-needed -o " +
            name + " main.c -L. " + options;
        EXPECT_EQ(std::system(command.c_str()), 0);
        return path;
    }
    /// A library of that name and number, to be linked as -l:FILE.
    void library(const std::string& file) {
        const std::string command = "cd " + directory_ + " && cc -shared -fPIC -Wl,-soname," +
                                    file + " -o " + file + " mpi.c";
        EXPECT_EQ(std::system(command.c_str()), 0);
    }
};

TEST_F(NeededLibrariesTest, OnlyRuntimesIsSurelyWithoutMpi) {
    EXPECT_TRUE(surely_without_mpi(compile("plain", "-lm -lpthread")));
}

TEST_F(NeededLibrariesTest, AnyOtherLibraryIsADoubt) {
    EXPECT_FALSE(surely_without_mpi(compile("with_mpi", "-lmpi")));
}

TEST_F(NeededLibrariesTest, WhatCannotBeKnownIsADoubt) {
    EXPECT_FALSE(surely_without_mpi(compile("fixed", "-static")));
    EXPECT_FALSE(surely_without_mpi(compile("env", ""))) << "it starts another program";
    EXPECT_FALSE(surely_without_mpi(directory_ + "/main.c"));
    EXPECT_FALSE(surely_without_mpi(directory_ + "/absent"));
    EXPECT_FALSE(surely_without_mpi(directory_));
}

TEST_F(NeededLibrariesTest, TheMpiLibraryIsToldByItsNumber) {
    for (const char* file : {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpich.so.12", "libmpi.so.12",
                             "libmpi_abi.so.0"})
        library(file);
    EXPECT_EQ(needed_mpi(compile("a", "-l:libmpi.so.40")), MpiKind::open_mpi);
    EXPECT_EQ(needed_mpi(compile("b", "-lm -l:libmpi_mpifh.so.40")), MpiKind::open_mpi);
    EXPECT_EQ(needed_mpi(compile("c", "-l:libmpich.so.12")), MpiKind::mpich);
    EXPECT_EQ(needed_mpi(compile("d", "-l:libmpi.so.12")), MpiKind::mpich);
    EXPECT_EQ(needed_mpi(compile("e", "-l:libmpi_abi.so.0")), MpiKind::unknown);
    EXPECT_EQ(needed_mpi(compile("f", "-l:libmpi.so.40 -l:libmpich.so.12")), MpiKind::unknown);
    EXPECT_EQ(needed_mpi(compile("g", "-lm")), MpiKind::unknown);
    EXPECT_EQ(needed_mpi(directory_ + "/main.c"), MpiKind::unknown);
}

}  // namespace
}  // namespace commmap
