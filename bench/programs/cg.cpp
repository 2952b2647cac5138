// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/bench_program.hpp"
#include "common/grid_options.hpp"
#include "common/message.hpp"
#include "common/process_grid.hpp"

namespace commmap::bench {
namespace {

/// The messages of one iteration of NPB CG: the sum of a vector along each row of the process grid
/// (an exchange with log2(columns) partners), the exchange with the transposed process, and the
/// two dot products (again along the row, one number each).
///
/// Source: NAS Parallel Benchmarks 3.4, CG/cg.f90, conj_grad and setup_proc_info.
/// Differs from it: no matrix; every vector message has --message-bytes, also on a 2:1 grid; the
/// vectors hold 64-bit integers, so that sums are exact and each has one right value; a cell of the
/// process grid is a rank only through --scramble.
class CgProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "cg"; }
    [[nodiscard]] std::string summary() const override {
        return "Row sums and transpose exchange of a conjugate gradient solver (as NPB CG)";
    }
    void add_options(CLI::App& app) override { grid_.add_scramble_to(app); }
    void prepare(RunContext& context) override;
    void iterate(std::uint64_t iteration) override;
    [[nodiscard]] std::uint64_t message_bytes() const override {
        return vector_.size() * sizeof(std::uint64_t);
    }

private:
    static constexpr std::uint64_t element_step = 0x9E3779B97F4A7C15ULL;

    [[nodiscard]] int rank_of(int cell) const {
        return rank_of_cell_[static_cast<std::size_t>(cell)];
    }
    [[nodiscard]] std::uint64_t first_element(int cell, int channel, std::uint64_t iteration) const;
    [[nodiscard]] std::uint64_t row_sum(int row, int channel, std::uint64_t iteration) const;
    void swap_with(int cell, int tag, std::span<std::uint64_t> sent,
                   std::span<std::uint64_t> received);
    void sum_along_row(std::span<std::uint64_t> values, int tag);
    void check_row_sum(std::span<const std::uint64_t> values, int row, int channel,
                       std::uint64_t iteration, const char* what) const;

    GridOptions grid_;
    int rows_ = 1;
    int columns_ = 1;
    int cell_ = 0;
    int transposed_cell_ = 0;
    std::vector<int> rank_of_cell_;
    std::vector<std::uint64_t> vector_;
    std::vector<std::uint64_t> received_;
    RunContext* context_ = nullptr;
};

void CgProgram::prepare(RunContext& context) {
    context_ = &context;
    const int ranks = context.num_ranks();
    if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
        throw UsageError("needs a power of two of ranks, not " + std::to_string(ranks));
    }
    const std::uint64_t bytes = context.options().message_bytes;
    if (bytes % sizeof(std::uint64_t) != 0) {
        throw UsageError("--message-bytes must be a multiple of 8, not " + std::to_string(bytes));
    }
    const auto log2_ranks = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(ranks))) - 1;
    rows_ = 1 << (log2_ranks / 2U);
    columns_ = ranks / rows_;

    const std::vector<int> cell_of_rank = seeded_permutation(ranks, grid_.scramble);
    rank_of_cell_.resize(cell_of_rank.size());
    for (int rank = 0; rank < ranks; ++rank) {
        rank_of_cell_[static_cast<std::size_t>(cell_of_rank[static_cast<std::size_t>(rank)])] =
            rank;
    }
    cell_ = cell_of_rank[static_cast<std::size_t>(context.rank())];
    if (columns_ == rows_) {
        transposed_cell_ = cell_ % rows_ * rows_ + cell_ / rows_;
    } else {  // 2:1: pairs of columns are transposed
        const int pair = cell_ / 2;
        transposed_cell_ = 2 * (pair % rows_ * rows_ + pair / rows_) + cell_ % 2;
    }
    vector_.resize(bytes / sizeof(std::uint64_t));
    received_.resize(
        std::max<std::size_t>(vector_.size(), 1));  // the dot products need a place too
}

std::uint64_t CgProgram::first_element(int cell, int channel, std::uint64_t iteration) const {
    return message_key({context_->options().seed, cell, 0, channel, iteration});
}

std::uint64_t CgProgram::row_sum(int row, int channel, std::uint64_t iteration) const {
    std::uint64_t sum = 0;
    for (int column = 0; column < columns_; ++column) {
        sum += first_element(row * columns_ + column, channel, iteration);
    }
    return sum;
}

void CgProgram::swap_with(int cell, int tag, std::span<std::uint64_t> sent,
                          std::span<std::uint64_t> received) {
    context_->damage_if_asked(std::as_writable_bytes(sent));
    const auto count = static_cast<int>(sent.size());
    MPI_Sendrecv(sent.data(), count, MPI_UINT64_T, rank_of(cell), tag, received.data(), count,
                 MPI_UINT64_T, rank_of(cell), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void CgProgram::sum_along_row(std::span<std::uint64_t> values, int tag) {
    const std::span<std::uint64_t> received = std::span(received_).first(values.size());
    for (int distance = columns_ / 2; distance > 0; distance /= 2) {
        swap_with(cell_ ^ distance, tag, values, received);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] += received[i];
        }
    }
}

void CgProgram::check_row_sum(std::span<const std::uint64_t> values, int row, int channel,
                              std::uint64_t iteration, const char* what) const {
    const std::uint64_t first = row_sum(row, channel, iteration);
    const std::uint64_t step = static_cast<std::uint64_t>(columns_) * element_step;
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        difference |= values[i] ^ (first + i * step);
    }
    if (difference != 0) {
        throw CheckError(std::string(what) + " of row " + std::to_string(row) + " in iteration " +
                         std::to_string(iteration) + " is wrong");
    }
}

void CgProgram::iterate(std::uint64_t iteration) {
    constexpr int vector_channel = 0;
    constexpr int transpose_channel = 1;
    constexpr int first_dot_channel = 2;
    const int row = cell_ / columns_;

    const std::uint64_t first = first_element(cell_, vector_channel, iteration);
    for (std::size_t i = 0; i < vector_.size(); ++i) {
        vector_[i] = first + i * element_step;
    }
    sum_along_row(vector_, vector_channel);
    check_row_sum(vector_, row, vector_channel, iteration, "vector sum");

    if (transposed_cell_ != cell_) {
        const std::span<std::uint64_t> transposed = std::span(received_).first(vector_.size());
        swap_with(transposed_cell_, transpose_channel, vector_, transposed);
        check_row_sum(transposed, transposed_cell_ / columns_, vector_channel, iteration,
                      "transposed vector");
    }

    for (int channel = first_dot_channel; channel < first_dot_channel + 2; ++channel) {
        std::uint64_t dot = first_element(cell_, channel, iteration);
        sum_along_row({&dot, 1}, channel);
        check_row_sum({&dot, 1}, row, channel, iteration, "dot product");
    }
}

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::CgProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
