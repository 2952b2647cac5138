// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "core/inside/comm_needs.hpp"

namespace commmap::inside {

/// Asks Open MPI's component coll/tuned for algorithms, as long as this object lives. Communicators
/// that are made meanwhile keep them.
///
/// The control variables are the process's: an object lives only while one communicator is made.
/// coll/tuned looks at them where coll_tuned_use_dynamic_rules was set before MPI_Init.
class TunedVariables {
public:
    /// Notes how many threads may call MPI. Called once MPI is initialised, before any object: a
    /// later MPI_T_init_thread changes what MPI_Query_thread says.
    static void prepare() noexcept;
    /// No variable is set from now on: the program makes communicators in the background, which
    /// could keep what was meant for another one.
    static void leave_alone() noexcept;
    /// Gives back what the objects have shared: MPI_Finalize has begun.
    static void end() noexcept;

    /// Sets the variables for a communicator's algorithms; none when it needs none.
    explicit TunedVariables(const CommNeed& need) noexcept;
    /// Takes the settings back. Ends the program where that fails: its later communicators would
    /// not have the algorithms that those of other ranks have.
    ~TunedVariables();
    TunedVariables(const TunedVariables&) = delete;
    TunedVariables& operator=(const TunedVariables&) = delete;

    /// Tells whether all variables are set. They are not
    /// - where coll/tuned would not look at them, or lacks one;
    /// - where the user has set one: the user's setting stands;
    /// - where several threads may call MPI: another one may be making a communicator;
    /// - after leave_alone().
    [[nodiscard]] bool are_set() const noexcept { return are_set_; }

private:
    struct Setting {
        MPI_T_cvar_handle handle;
        int before;
    };
    [[nodiscard]] bool set_for(CollectiveOp op, const Algorithm& algorithm);
    [[nodiscard]] bool set(const std::string& name, int value);

    bool are_set_ = false;
    std::vector<Setting> settings_;
};

}  // namespace commmap::inside
