// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/own_job_end.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdint>

#include "spank_commmap/srun/relaunch/shepherd.hpp"

namespace commmap::spank {

void OwnJobEnd::arrange(const OwnJob& own) {
    own_ = own;
    process_ = ::getpid();
    actions_.at_exit(at_exit, this);
}

void OwnJobEnd::at_exit(int status, void* own_job_end) {
    static_cast<OwnJobEnd*>(own_job_end)->end_job(status);
}

/// Ends the job as srun would have ended it, with the same state in accounting.
/// The first srun's shepherd would end the job too, but as if the user had cancelled it.
/// An exit code from 129 to 159 counts as a signal here: which of the two it was is no longer
/// known.
void OwnJobEnd::end_job(int status) {
    if (process_ != ::getpid()) return;  // in a child that srun forked
    const auto code = static_cast<std::uint32_t>(status) & 0xffU;
    // After two interrupts srun too ends its job as cancelled, and so does the shepherd.
    if (code == 128 + SIGINT) return;
    const bool by_signal = code > 128 && code <= 128 + SIGSYS;
    if (slurm_.complete_job(own_.job, by_signal ? code - 128 : code << 8))
        dismiss_shepherd(own_.shepherd);
}

}  // namespace commmap::spank
