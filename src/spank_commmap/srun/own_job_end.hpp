// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/srun/launch_actions.hpp"
#include "spank_commmap/srun/relaunch/reexec.hpp"

namespace commmap::spank {

/// Ends the job that srun made for itself, when srun ends.
/// The first of two sruns would have ended the job. But the second srun runs in that job as in any
/// allocation, and leaves the job alone.
class OwnJobEnd {
public:
    OwnJobEnd(Slurm& slurm, LaunchActions& actions) : slurm_(slurm), actions_(actions) {}

    /// Arranges that the end of this process ends the job. This object must live until then.
    void arrange(const OwnJob& own);

private:
    static void at_exit(int status, void* own_job_end);
    void end_job(int status);

    Slurm& slurm_;
    LaunchActions& actions_;
    OwnJob own_;
    pid_t process_ = 0;  ///< process that ends the job; 0: none does
};

}  // namespace commmap::spank
