#pragma once

#include <mpi.h>

#include <span>

namespace commmap::hooks {

/// Of the recorder alone, so that it meets none of the program's messages, and with
/// MPI_ERRORS_RETURN: an error must not end the program. Rank i of it is the i-th of the given
/// ranks. Made and freed collectively, by these ranks. Cost: each connects to log P others to agree
/// on it.
class OwnCommunicator {
public:
    /// @param ranks  of MPI_COMM_WORLD, ascending, the same on all of them
    /// @param size  of MPI_COMM_WORLD
    OwnCommunicator(std::span<const int> ranks, int size) noexcept;
    ~OwnCommunicator();
    OwnCommunicator(const OwnCommunicator&) = delete;
    OwnCommunicator& operator=(const OwnCommunicator&) = delete;

    /// Null when MPI refuses.
    [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

private:
    MPI_Comm comm_ = nullptr;
};

}  // namespace commmap::hooks
