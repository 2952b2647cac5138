// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/bench_program.hpp"
#include "common/message.hpp"

namespace commmap::bench {
namespace {

/// MPI_Alltoall over all ranks: each sends --message-bytes to each other.
class AlltoallProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "alltoall"; }
    [[nodiscard]] std::string summary() const override {
        return "A message from every rank to every other, by MPI_Alltoall";
    }
    void add_options(CLI::App& /*app*/) override {}
    void prepare(RunContext& context) override {
        context_ = &context;
        bytes_ = context.options().message_bytes;
        const std::uint64_t all = bytes_ * static_cast<std::uint64_t>(context.num_ranks());
        outgoing_.resize(all);
        incoming_.resize(all);
    }
    void iterate(std::uint64_t iteration) override {
        const int self = context_->rank();
        const std::uint64_t seed = context_->options().seed;
        for (int peer = 0; peer < context_->num_ranks(); ++peer) {
            fill_message(block(outgoing_, peer), {seed, self, peer, 0, iteration});
            if (peer != self) {
                context_->damage_if_asked(block(outgoing_, peer));
            }
        }
        const auto bytes = static_cast<int>(bytes_);
        MPI_Alltoall(outgoing_.data(), bytes, MPI_BYTE, incoming_.data(), bytes, MPI_BYTE,
                     MPI_COMM_WORLD);
        for (int peer = 0; peer < context_->num_ranks(); ++peer) {
            if (const auto offset =
                    find_damage(block(incoming_, peer), {seed, peer, self, 0, iteration})) {
                throw CheckError("block of rank " + std::to_string(peer) + " of iteration " +
                                 std::to_string(iteration) + " is wrong at byte " +
                                 std::to_string(*offset) + " of " + std::to_string(bytes));
            }
        }
    }
    [[nodiscard]] std::uint64_t message_bytes() const override { return bytes_; }

private:
    [[nodiscard]] std::span<std::byte> block(std::vector<std::byte>& all, int peer) const {
        return std::span(all).subspan(static_cast<std::size_t>(peer) * bytes_, bytes_);
    }

    std::uint64_t bytes_ = 0;
    std::vector<std::byte> outgoing_;  ///< a block for each rank
    std::vector<std::byte> incoming_;
    RunContext* context_ = nullptr;
};

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::AlltoallProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
