// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/store/store.hpp"
#include "support/retries.hpp"

namespace commmap {

namespace fs = std::filesystem;
inline const std::string library = COMMMAP_HOOKS_LIBRARY;
inline const std::string mpich_library = COMMMAP_MPICH_HOOKS_LIBRARY;
/// A task whose MPI cannot be seen has both.
inline const std::string preloads[] = {library, library + ":" + mpich_library,
                                       mpich_library + ":" + library};
inline const std::string programs = COMMMAP_TEST_PROGRAMS;

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

/// A test that runs programs of programs/ under mpirun with the recorder preloaded.
class RecordedRun : public testing::Test {
protected:
    RecordedRun() {
        std::string name = (fs::temp_directory_path() / "commmap-recorder-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
        profiles_ = directory_ / "profiles";
    }
    ~RecordedRun() override { fs::remove_all(directory_); }

    /// Runs it once more where Open MPI itself crashed.
    Outcome run_shell(const std::string& command) {
        const bool nothing_recorded = !fs::exists(profiles_);
        Outcome outcome = run_shell_once(command);
        if (outcome.exit_code != 139 || !jumped_nowhere(outcome.err)) return outcome;
        note_retry("Open MPI crashed in MPI_Finalize (docs/user/recorder.md, Who takes part)");
        if (nothing_recorded) fs::remove_all(profiles_);
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
    /// @param options  of mpirun, for instance "-x COMMMAP_VERBOSE=1"
    Outcome mpirun(int num_ranks, const std::string& program, const std::string& options = "") {
        return run_shell(mpirun_words() + "--mca osc ^ucx --mca btl " + transports_ + " -np " +
                         std::to_string(num_ranks) + " " + options + " " + programs + "/" +
                         program);
    }
    Outcome record(int num_ranks, const std::string& program, const std::string& options = "") {
        return mpirun(
            num_ranks, program,
            "-x LD_PRELOAD=" + library +
                " -x COMMMAP_RECORD=1 -x COMMMAP_APP_ID=test:app -x COMMMAP_APP_PATH=/x/app " +
                "-x COMMMAP_PROFILE_DIR=" + profiles_.string() + " " + options);
    }
    /// A run of more than an eighth of a second, which a busy machine makes of any, may have
    /// several phases.
    Profile as_one_phase(int num_ranks) {
        Profile recorded = profile(num_ranks);
        recorded.phases = {whole_run(recorded)};
        return recorded;
    }
    Profile profile(int num_ranks) {
        // the last run, also where several end in a second
        const auto runs = ProfileStore(profiles_.string())
                              .runs_of("test:app", static_cast<std::size_t>(num_ranks));
        EXPECT_TRUE(runs) << runs.error().message;
        std::string last;
        for (const ProfileStore::Entry& run : runs.value())
            if (last.empty() || fs::last_write_time(run.path) > fs::last_write_time(last))
                last = run.path;
        Result<Profile> loaded = read_profile_file(last);
        EXPECT_TRUE(loaded) << loaded.error().message;
        if (loaded) return std::move(loaded).value();
        Profile empty;
        empty.ranks.resize(static_cast<std::size_t>(num_ranks));
        return empty;
    }
    /// As the planner reads it.
    [[nodiscard]] Result<LoadedProfile> load(const std::string& id, std::size_t num_ranks) const {
        const std::vector<ProfileStore> stores = {ProfileStore(profiles_.string())};
        const auto paths = find_runs(stores, id, num_ranks);
        if (!paths) return paths.error();
        return read_runs(paths.value().paths, id, num_ranks);
    }
    std::vector<std::string> files() {
        std::vector<std::string> names;
        if (fs::exists(profiles_))
            for (const auto& entry : fs::directory_iterator(profiles_))
                names.push_back(entry.path().filename());
        return names;
    }

    fs::path directory_;
    fs::path profiles_;
    int num_mpiruns_ = 0;
    std::string transports_ = "self,vader";
};

}  // namespace commmap
