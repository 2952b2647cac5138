// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/communicators/tuned_variables.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>

#include "core/profile/collective_op.hpp"
#include "pmix_hooks/inside/communicators/end_program.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::inside {
namespace {

constinit std::atomic<int> thread_level{MPI_THREAD_MULTIPLE};
constinit std::atomic<bool> left_alone{false};
constinit std::atomic<bool> has_tools_interface{false};

/// Initialises MPI's tools interface, once: Open MPI reads all of its components' variables then.
bool have_tools_interface() noexcept {
    if (has_tools_interface.load()) return true;
    // Open MPI takes this level for the answer of MPI_Query_thread. So the level must be the same.
    int provided = 0;
    if (PMPI(T_init_thread)(thread_level.load(), &provided) != MPI_SUCCESS) return false;
    has_tools_interface.store(true);
    return true;
}

/// Opens a control variable. Returns false where there is none of this name, or not one value.
bool open_variable(const char* name, MPI_T_cvar_handle& handle) noexcept {
    int index = 0;
    int count = 0;
    if (PMPI(T_cvar_get_index)(name, &index) != MPI_SUCCESS) return false;
    if (PMPI(T_cvar_handle_alloc)(index, nullptr, &handle, &count) != MPI_SUCCESS) return false;
    if (count == 1) return true;
    PMPI(T_cvar_handle_free)(&handle);
    return false;
}

/// Whether coll/tuned looks at its variables when it makes a communicator.
bool tuned_looks() noexcept {
    MPI_T_cvar_handle handle{};
    if (!open_variable("coll_tuned_use_dynamic_rules", handle)) return false;
    // The variable has one byte or four, by the version.
    std::array<unsigned char, 16> value{};
    const bool read = PMPI(T_cvar_read)(handle, value.data()) == MPI_SUCCESS;
    PMPI(T_cvar_handle_free)(&handle);
    return read && std::any_of(value.begin(), value.end(), [](auto byte) { return byte != 0; });
}

}  // namespace

void TunedVariables::prepare() noexcept {
    int level = MPI_THREAD_MULTIPLE;
    if (PMPI(Query_thread)(&level) == MPI_SUCCESS) thread_level.store(level);
}

void TunedVariables::leave_alone() noexcept { left_alone.store(true); }

void TunedVariables::end() noexcept {
    if (has_tools_interface.exchange(false)) PMPI(T_finalize)();
}

TunedVariables::TunedVariables(const CommNeed& need) noexcept {
    if (need.tuned.empty()) {
        are_set_ = true;
        return;
    }
    const bool may_set = !left_alone.load() && thread_level.load() != MPI_THREAD_MULTIPLE;
    if (!may_set || !have_tools_interface() || !tuned_looks()) return;
    try {
        are_set_ = std::all_of(need.tuned.begin(), need.tuned.end(),
                               [&](const auto& one) { return set_for(one.first, one.second); });
    } catch (const std::exception&) {
        are_set_ = false;
    }
}

/// The length of segments too is the user's where the user has set one, so it is set even to 0.
bool TunedVariables::set_for(CollectiveOp op, const Algorithm& algorithm) {
    const std::string name = "coll_tuned_" + std::string(collective_name(op)) + "_algorithm";
    return set(name, algorithm.number) &&
           set(name + "_segmentsize", static_cast<int>(algorithm.segment_bytes));
}

bool TunedVariables::set(const std::string& name, int value) {
    settings_.reserve(settings_.size() + 1);
    Setting setting{};
    if (!open_variable(name.c_str(), setting.handle)) return false;
    const bool is_free =
        PMPI(T_cvar_read)(setting.handle, &setting.before) == MPI_SUCCESS && setting.before == 0;
    if (!is_free || PMPI(T_cvar_write)(setting.handle, &value) != MPI_SUCCESS) {
        PMPI(T_cvar_handle_free)(&setting.handle);
        return false;
    }
    settings_.push_back(setting);
    return true;
}

TunedVariables::~TunedVariables() {
    for (Setting& setting : settings_) {
        if (PMPI(T_cvar_write)(setting.handle, &setting.before) != MPI_SUCCESS) {
            end_program(hooks::comm_world(), "a control variable of Open MPI keeps its value");
        }
        PMPI(T_cvar_handle_free)(&setting.handle);
    }
}

}  // namespace commmap::inside
