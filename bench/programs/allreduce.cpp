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

/// MPI_Allreduce over all ranks: the sum of vectors of --message-bytes. The vectors hold 64-bit
/// integers, so that each sum has one right value.
class AllreduceProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "allreduce"; }
    [[nodiscard]] std::string summary() const override {
        return "Sum of a vector over all ranks, by MPI_Allreduce";
    }
    void add_options(CLI::App& /*app*/) override {}
    void prepare(RunContext& context) override {
        context_ = &context;
        const std::uint64_t bytes = context.options().message_bytes;
        if (bytes % sizeof(std::uint64_t) != 0) {
            throw UsageError("--message-bytes must be a multiple of 8, not " +
                             std::to_string(bytes));
        }
        own_.resize(bytes / sizeof(std::uint64_t));
        sum_.resize(own_.size());
    }
    void iterate(std::uint64_t iteration) override {
        const std::uint64_t first = first_element(context_->rank(), iteration);
        for (std::size_t i = 0; i < own_.size(); ++i) {
            own_[i] = first + i * element_step;
        }
        context_->damage_if_asked(std::as_writable_bytes(std::span(own_)));
        MPI_Allreduce(own_.data(), sum_.data(), static_cast<int>(own_.size()), MPI_UINT64_T,
                      MPI_SUM, MPI_COMM_WORLD);
        check(iteration);
    }
    [[nodiscard]] std::uint64_t message_bytes() const override {
        return own_.size() * sizeof(std::uint64_t);
    }

private:
    static constexpr std::uint64_t element_step = 0x9E3779B97F4A7C15ULL;

    [[nodiscard]] std::uint64_t first_element(int rank, std::uint64_t iteration) const {
        return message_key({context_->options().seed, rank, 0, 0, iteration});
    }

    void check(std::uint64_t iteration) const {
        std::uint64_t first = 0;
        for (int rank = 0; rank < context_->num_ranks(); ++rank) {
            first += first_element(rank, iteration);
        }
        const std::uint64_t step = static_cast<std::uint64_t>(context_->num_ranks()) * element_step;
        std::uint64_t difference = 0;
        for (std::size_t i = 0; i < sum_.size(); ++i) {
            difference |= sum_[i] ^ (first + i * step);
        }
        if (difference != 0) {
            throw CheckError("sum of iteration " + std::to_string(iteration) + " is wrong");
        }
    }

    std::vector<std::uint64_t> own_;
    std::vector<std::uint64_t> sum_;
    RunContext* context_ = nullptr;
};

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::AllreduceProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
