// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/bench_program.hpp"
#include "common/message.hpp"

namespace commmap::bench {
namespace {

/// log2(P) stages, one after the other; in stage k every rank swaps a message with rank xor 2^k.
class ButterflyProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "butterfly"; }
    [[nodiscard]] std::string summary() const override {
        return "Exchange with rank xor 2^k in stage k, as in an FFT";
    }
    void add_options(CLI::App& app) override {
        app.add_option("--stage-bytes", stage_bytes_,
                       "bytes of a message of stage 0, 1, ... (default: --message-bytes for all)")
            ->delimiter(',')
            ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 30U));
    }
    void prepare(RunContext& context) override;
    void iterate(std::uint64_t iteration) override;
    [[nodiscard]] std::uint64_t message_bytes() const override { return outgoing_.size(); }

private:
    std::vector<std::uint64_t> stage_bytes_;
    std::vector<std::byte> outgoing_;
    std::vector<std::byte> incoming_;
    RunContext* context_ = nullptr;
};

void ButterflyProgram::prepare(RunContext& context) {
    context_ = &context;
    const auto ranks = static_cast<unsigned>(context.num_ranks());
    if (!std::has_single_bit(ranks)) {
        throw UsageError("needs a power of two of ranks, not " + std::to_string(ranks));
    }
    const auto stages = static_cast<std::size_t>(std::bit_width(ranks) - 1);
    if (stage_bytes_.empty()) {
        stage_bytes_.assign(stages, context.options().message_bytes);
    }
    if (stage_bytes_.size() != stages) {
        throw UsageError("--stage-bytes names " + std::to_string(stage_bytes_.size()) +
                         " stages, but " + std::to_string(ranks) + " ranks have " +
                         std::to_string(stages));
    }
    std::uint64_t largest = 0;
    for (const std::uint64_t bytes : stage_bytes_) {
        largest = std::max(largest, bytes);
    }
    outgoing_.resize(largest);
    incoming_.resize(largest);
}

void ButterflyProgram::iterate(std::uint64_t iteration) {
    const int self = context_->rank();
    const std::uint64_t seed = context_->options().seed;
    for (std::size_t stage = 0; stage < stage_bytes_.size(); ++stage) {
        const int peer = self ^ static_cast<int>(1U << stage);
        const int channel = static_cast<int>(stage);
        const auto bytes = static_cast<int>(stage_bytes_[stage]);
        const std::span<std::byte> sent = std::span(outgoing_).first(stage_bytes_[stage]);
        const std::span<std::byte> received = std::span(incoming_).first(stage_bytes_[stage]);
        fill_message(sent, {seed, self, peer, channel, iteration});
        context_->damage_if_asked(sent);
        MPI_Sendrecv(sent.data(), bytes, MPI_BYTE, peer, channel, received.data(), bytes, MPI_BYTE,
                     peer, channel, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (const auto offset = find_damage(received, {seed, peer, self, channel, iteration})) {
            throw CheckError("message from rank " + std::to_string(peer) + " of iteration " +
                             std::to_string(iteration) + ", stage " + std::to_string(stage) +
                             " is wrong at byte " + std::to_string(*offset) + " of " +
                             std::to_string(bytes));
        }
    }
}

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::ButterflyProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
