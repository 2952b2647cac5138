// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/store/store.hpp"
#include "support/mpirun_test.hpp"

namespace commmap {

inline const std::string library = COMMMAP_HOOKS_LIBRARY;
inline const std::string mpich_library = COMMMAP_MPICH_HOOKS_LIBRARY;
/// A task whose MPI cannot be seen has both.
inline const std::string preloads[] = {library, library + ":" + mpich_library,
                                       mpich_library + ":" + library};
inline const std::string programs = COMMMAP_TEST_PROGRAMS;

/// A test that runs programs of programs/ under mpirun with the recorder preloaded.
class RecordedRun : public MpirunTest {
protected:
    std::function<void()> undo_later() override {
        const bool nothing_recorded = !fs::exists(profiles_);
        return [this, nothing_recorded] {
            if (nothing_recorded) fs::remove_all(profiles_);
        };
    }
    /// @param options  of mpirun, for instance "-x COMMMAP_VERBOSE=1"
    Outcome mpirun(int num_ranks, const std::string& program, const std::string& options = "") {
        return mpirun_path(num_ranks, programs + "/" + program, options);
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

    fs::path profiles_ = directory_ / "profiles";
};

}  // namespace commmap
