#include "pmix_hooks/own_communicator.hpp"

#include "pmix_hooks/mpi_library.hpp"

namespace commmap::hooks {
namespace {

/// Null when MPI refuses.
MPI_Comm of_world(std::span<const int> ranks) noexcept {
    // Whoever is not in the group has gone on to MPI_Finalize.
    constexpr int tag = 0;
    MPI_Comm comm = nullptr;
    MPI_Group world = nullptr;
    MPI_Group group = nullptr;
    if (PMPI(Comm_group)(comm_world(), &world) != MPI_SUCCESS) return nullptr;
    if (PMPI(Group_incl)(world, static_cast<int>(ranks.size()), ranks.data(), &group) ==
        MPI_SUCCESS) {
        if (PMPI(Comm_create_group)(comm_world(), group, tag, &comm) != MPI_SUCCESS) comm = nullptr;
        PMPI(Group_free)(&group);
    }
    PMPI(Group_free)(&world);
    return comm;
}

}  // namespace

OwnCommunicator::OwnCommunicator(std::span<const int> ranks, int size) noexcept {
    MPI_Errhandler handler = nullptr;
    if (PMPI(Comm_get_errhandler)(comm_world(), &handler) != MPI_SUCCESS) return;
    PMPI(Comm_set_errhandler)(comm_world(), errors_return());
    if (ranks.size() < static_cast<std::size_t>(size))
        comm_ = of_world(ranks);
    else if (PMPI(Comm_dup)(comm_world(), &comm_) != MPI_SUCCESS)
        comm_ = nullptr;
    PMPI(Comm_set_errhandler)(comm_world(), handler);
    PMPI(Errhandler_free)(&handler);
    if (comm_ != nullptr) PMPI(Comm_set_errhandler)(comm_, errors_return());
}

OwnCommunicator::~OwnCommunicator() {
    if (comm_ != nullptr) PMPI(Comm_free)(&comm_);
}

}  // namespace commmap::hooks
