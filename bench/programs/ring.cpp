// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/bench_program.hpp"
#include "common/message.hpp"
#include "common/neighbour_exchange.hpp"
#include "common/process_grid.hpp"

namespace commmap::bench {
namespace {

/// Ranks on a ring. swap: every rank swaps a message with both neighbours. shift: every rank sends
/// one to the right and gets one from the left. token: one message goes around, from rank to rank.
class RingProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "ring"; }
    [[nodiscard]] std::string summary() const override {
        return "Exchange with the neighbours on a ring of ranks";
    }
    void add_options(CLI::App& app) override;
    void prepare(RunContext& context) override;
    void iterate(std::uint64_t iteration) override;
    [[nodiscard]] std::uint64_t message_bytes() const override { return bytes_; }

private:
    enum class Pattern { swap, shift, token };
    static constexpr int to_left = 0;
    static constexpr int to_right = 1;

    void fill(std::uint64_t iteration);
    void send() const;
    void receive();
    void check(std::uint64_t iteration) const;

    Pattern pattern_ = Pattern::swap;
    std::uint64_t scramble_ = 0;
    std::uint64_t bytes_ = 0;
    int left_ = -1;
    int right_ = -1;
    bool first_ = false;  ///< the token begins and ends here
    std::vector<std::byte> outgoing_;
    std::vector<std::byte> incoming_;
    std::optional<NeighbourExchange> exchange_;
    RunContext* context_ = nullptr;
};

void RingProgram::add_options(CLI::App& app) {
    const std::map<std::string, Pattern> patterns{
        {"swap", Pattern::swap}, {"shift", Pattern::shift}, {"token", Pattern::token}};
    app.add_option("--pattern", pattern_,
                   "swap with both neighbours, shift to the right, or a token that goes around "
                   "[swap]")
        ->transform(CLI::CheckedTransformer(patterns));
    app.add_option("--scramble", scramble_,
                   "order of the ranks on the ring is random with this seed; 0: rank order")
        ->capture_default_str();
}

void RingProgram::prepare(RunContext& context) {
    context_ = &context;
    bytes_ = context.options().message_bytes;
    const int ranks = context.num_ranks();
    const ProcessGrid ring(ranks, 1, std::to_string(ranks), scramble_);
    left_ = ring.neighbour(context.rank(), 0, -1, true);
    right_ = ring.neighbour(context.rank(), 0, +1, true);
    first_ = context.rank() == 0;
    std::vector<Neighbour> neighbours;
    if (ranks > 1) {
        neighbours.push_back({left_, bytes_, to_left, to_right});
        neighbours.push_back({right_, bytes_, to_right, to_left});
    }
    outgoing_.resize(bytes_);
    incoming_.resize(bytes_);
    exchange_.emplace(context, std::move(neighbours));
}

void RingProgram::fill(std::uint64_t iteration) {
    fill_message(outgoing_,
                 {context_->options().seed, context_->rank(), right_, to_right, iteration});
    context_->damage_if_asked(outgoing_);
}

void RingProgram::send() const {
    MPI_Send(outgoing_.data(), static_cast<int>(bytes_), MPI_BYTE, right_, to_right,
             MPI_COMM_WORLD);
}

void RingProgram::receive() {
    MPI_Recv(incoming_.data(), static_cast<int>(bytes_), MPI_BYTE, left_, to_right, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

void RingProgram::check(std::uint64_t iteration) const {
    if (const auto offset = find_damage(
            incoming_, {context_->options().seed, left_, context_->rank(), to_right, iteration})) {
        throw CheckError("message from rank " + std::to_string(left_) + " of iteration " +
                         std::to_string(iteration) + " is wrong at byte " +
                         std::to_string(*offset) + " of " + std::to_string(bytes_));
    }
}

void RingProgram::iterate(std::uint64_t iteration) {
    if (pattern_ == Pattern::swap || context_->num_ranks() == 1) {
        exchange_->run(iteration);
        return;
    }
    if (pattern_ == Pattern::shift) {
        fill(iteration);
        const auto bytes = static_cast<int>(bytes_);
        MPI_Sendrecv(outgoing_.data(), bytes, MPI_BYTE, right_, to_right, incoming_.data(), bytes,
                     MPI_BYTE, left_, to_right, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(iteration);
        return;
    }
    if (first_) {
        fill(iteration);
        send();
    }
    receive();
    check(iteration);
    if (!first_) {
        fill(iteration);
        send();
    }
}

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::RingProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
