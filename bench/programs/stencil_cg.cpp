// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <cstdint>
#include <string>

#include "common/halo_program.hpp"
#include "common/message.hpp"

namespace commmap::bench {
namespace {

/// The messages of an iteration of a conjugate gradient solver on a grid: the halo of the product
/// of matrix and vector, and the two dot products, each a sum of one number over all ranks.
class StencilCgProgram : public HaloProgram {
public:
    StencilCgProgram() : HaloProgram(2) {}

    [[nodiscard]] std::string name() const override { return "stencil_cg"; }
    [[nodiscard]] std::string summary() const override {
        return "Halo exchange and two 8-byte allreduces of a conjugate gradient solver on a grid";
    }
    void prepare(RunContext& context) override {
        context_ = &context;
        HaloProgram::prepare(context);
    }
    void iterate(std::uint64_t iteration) override {
        HaloProgram::iterate(iteration);
        // Far from the halo's channels, so that no number is a message's first word.
        constexpr int first_dot_channel = 100;
        for (int channel = first_dot_channel; channel < first_dot_channel + 2; ++channel) {
            check_dot_product(channel, iteration);
        }
    }

private:
    [[nodiscard]] std::uint64_t part_of(int rank, int channel, std::uint64_t iteration) const {
        return message_key({context_->options().seed, rank, 0, channel, iteration});
    }

    /// The numbers are whole ones, so that each sum has one right value.
    void check_dot_product(int channel, std::uint64_t iteration) const {
        const std::uint64_t own = part_of(context_->rank(), channel, iteration);
        std::uint64_t sum = 0;
        MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        for (int rank = 0; rank < context_->num_ranks(); ++rank) {
            sum -= part_of(rank, channel, iteration);
        }
        if (sum != 0) {
            throw CheckError("dot product of iteration " + std::to_string(iteration) + " is wrong");
        }
    }

    RunContext* context_ = nullptr;
};

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::StencilCgProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
