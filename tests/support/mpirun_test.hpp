// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "support/retries.hpp"

namespace commmap {

namespace fs = std::filesystem;

inline std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Outcome {
    int exit_code = -1;
    std::string out;
    std::string err;
};

/// A test that runs programs under Open MPI's mpirun, with a directory of its own.
class MpirunTest : public testing::Test {
protected:
    MpirunTest() {
        std::string name = (fs::temp_directory_path() / "commmap-mpirun-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    ~MpirunTest() override { fs::remove_all(directory_); }

    /// Returns what makes the test's files again what they are now, for a second try.
    virtual std::function<void()> undo_later() {
        return [] {};
    }
    /// Runs it once more where Open MPI itself crashed.
    Outcome run_shell(const std::string& command) {
        const std::function<void()> undo = undo_later();
        Outcome outcome = run_shell_once(command);
        if (outcome.exit_code != 139 || !jumped_nowhere(outcome.err)) return outcome;
        note_retry("Open MPI crashed in MPI_Finalize (docs/user/recorder.md, Who takes part)");
        undo();
        return run_shell_once(command);
    }
    /// The backtrace of gfortran or of Open MPI ends where it begins: at an address without code.
    /// Open MPI's thread calls its component for PMIx, which MPI_Finalize has unloaded.
    static bool jumped_nowhere(const std::string& err) {
        const auto has = [&](const char* text) { return err.find(text) != std::string::npos; };
        return (has("\n#3  0x") && !has("\n#4  ")) || (has("[ 1] [0x") && !has("[ 2] "));
    }
    Outcome run_shell_once(const std::string& command) {
        const fs::path out = directory_ / "out";
        const fs::path err = directory_ / "err";
        const int status =
            std::system((command + " >" + out.string() + " 2>" + err.string()).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out),
                text_of(err)};
    }

    /// mpirun with a directory of its own for what its processes share. All runs of a user share
    /// one in /tmp else, and Open MPI 4.1 fails where another run makes or removes that meanwhile.
    std::string mpirun_words() {
        const fs::path shared = directory_ / ("mpirun" + std::to_string(num_mpiruns_++));
        fs::create_directory(shared);
        return "OMPI_MCA_orte_tmpdir_base=" + shared.string() +
               " OMPI_MCA_mpi_yield_when_idle=1 timeout --foreground 600 mpirun.openmpi "
               "--allow-run-as-root --oversubscribe --mca pml ob1 ";
    }
    /// @param program  the path of a program of the tests, and its arguments
    /// @param options  of mpirun, for instance "-x COMMMAP_VERBOSE=1"
    Outcome mpirun_path(int num_ranks, const std::string& program, const std::string& options) {
        return run_shell(mpirun_words() + "--mca osc ^ucx --mca btl " + transports_ + " -np " +
                         std::to_string(num_ranks) + " " + options + " " + program);
    }

    fs::path directory_;
    std::string transports_ = "self,vader";

private:
    int num_mpiruns_ = 0;
};

}  // namespace commmap
