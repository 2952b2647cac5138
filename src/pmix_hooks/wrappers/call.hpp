// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>

#include "pmix_hooks/process/clock.hpp"
#include "pmix_hooks/recorder.hpp"
#include "pmix_hooks/rounds/call_times.hpp"

namespace commmap::hooks {

/// Number of wrapped calls that this thread is in.
inline constinit thread_local int call_depth = 0;

/// Scope of one wrapped call. Calls that MPI makes inside of it, also for a user's callbacks, are
/// neither timed nor recorded again.
class CallScope {
public:
    // Inlined even where the compiler finds the code too long for that, as with a stack protector.
    // Without inlining a call cost 20 instructions more.
    [[gnu::always_inline]] explicit CallScope(MpiCall call) noexcept
        : call_(call),
          outermost_(call_depth++ == 0),
          begin_(outermost_ && recorder.timed() ? ticks() : 0) {
        if (recorder.phases().is_due(begin_)) [[unlikely]]
            recorder.phases().look(begin_);
    }
    [[gnu::always_inline]] ~CallScope() {
        stop();
        --call_depth;
    }
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

    [[nodiscard]] bool outermost() const noexcept { return outermost_; }
    /// Ends the time inside MPI.
    [[gnu::always_inline]] void stop() noexcept {
        if (begin_ == 0) return;
        last_call = {begin_, ticks()};
        recorder.add_call(call_, last_call.ticks());
        begin_ = 0;
    }

private:
    MpiCall call_;
    bool outermost_;
    std::uint64_t begin_;
};

/// Makes the call, and record() afterwards if the call succeeded: the call's arguments are then
/// known to be valid.
/// Returns what the call returned. Exceptions of a user's callbacks pass through.
template <class Call, class Record>
inline int recorded(MpiCall number, Call&& call, Record&& record) {
    if (!recorder.recording()) return call();
    CallScope scope(number);
    const int status = call();
    scope.stop();
    if (status == MPI_SUCCESS && scope.outermost()) record();
    return status;
}

/// Makes the call, and records its time only.
template <class Call>
inline int timed(MpiCall number, Call&& call) {
    if (!recorder.recording()) return call();
    const CallScope scope(number);
    return call();
}

}  // namespace commmap::hooks
