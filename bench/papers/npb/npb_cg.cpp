// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "npb/npb_run.hpp"

namespace commmap::bench::npb {
namespace {

struct CgSizes {
    int rows;
    int iterations;
};
constexpr std::array<CgSizes, 5> table{
    {{1400, 15}, {7000, 15}, {14000, 15}, {75000, 75}, {150000, 75}}};
constexpr int inner_iterations = 25;

/// The matrix is dealt to a grid of processes. With twice as many columns as rows, neighbours share
/// what one process of a square grid has.
class ConjugateGradient {
public:
    ConjugateGradient(const Run& run, int rows_of_matrix);
    /// One call of conj_grad.
    void solve() const;
    /// The sums of x.z and z.z together.
    void norms() const { reduce_over_row(2); }

private:
    [[nodiscard]] bool square() const { return rows_ == columns_; }
    [[nodiscard]] int first_of_row(int row) const;
    void reduce_over_row(int count) const;
    void multiply() const;

    int matrix_rows_;
    int rows_;
    int columns_;
    int own_rows_;  ///< of the matrix: what the processes of this row of the grid have together
    int piece_;     ///< of these, what is sent to the transposed process
    int other_piece_;
    int own_columns_;
    int transposed_;
    std::vector<int> partners_;  ///< of a sum over the row of the grid
};

ConjugateGradient::ConjugateGradient(const Run& run, int rows_of_matrix)
    : matrix_rows_(rows_of_matrix) {
    const int log_ranks = std::bit_width(static_cast<unsigned>(run.ranks)) - 1;
    rows_ = 1 << (log_ranks / 2);
    columns_ = run.ranks / rows_;
    const int row = run.rank / columns_;
    const int column = run.rank % columns_;
    own_rows_ = first_of_row(row + 1) - first_of_row(row);
    const bool even = run.rank % 2 == 0;
    piece_ = square() ? own_rows_ : even ? (own_rows_ + 1) / 2 : own_rows_ / 2;
    other_piece_ = square() ? own_rows_ : own_rows_ - piece_;
    const int grid_column = square() ? column : column / 2;
    const int shared = first_of_row(grid_column + 1) - first_of_row(grid_column);
    own_columns_ = square() ? shared : even ? (shared + 1) / 2 : shared / 2;
    transposed_ = square()
                      ? run.rank % rows_ * rows_ + run.rank / rows_
                      : 2 * (run.rank / 2 % rows_ * rows_ + run.rank / 2 / rows_) + run.rank % 2;
    for (int distance = columns_; distance > 1; distance /= 2) {
        const int partner = (column + distance / 2) % distance + column / distance * distance;
        partners_.push_back(row * columns_ + partner);
    }
}

/// The first rows of the grid have one more each, where the matrix cannot be divided evenly.
int ConjugateGradient::first_of_row(int row) const {
    const int left_over = matrix_rows_ % rows_;
    return row * (matrix_rows_ / rows_) + (row < left_over ? row : left_over);
}

void ConjugateGradient::reduce_over_row(int count) const {
    for (const int partner : partners_) swap_with(partner, count, count);
}

/// q = A p: the sum over the row of the grid, nearest partner first, and the transposition.
void ConjugateGradient::multiply() const {
    for (std::size_t i = partners_.size(); i-- > 0;) {
        const bool nearest = i + 1 == partners_.size();
        swap_with(partners_[i],
                  square()  ? own_rows_
                  : nearest ? other_piece_
                            : piece_,
                  square() ? own_rows_ : piece_);
    }
    if (!partners_.empty()) swap_with(transposed_, piece_, own_columns_);
}

void ConjugateGradient::solve() const {
    reduce_over_row(1);
    for (int i = 0; i < inner_iterations; ++i) {
        multiply();
        reduce_over_row(1);
        reduce_over_row(1);
    }
    multiply();
    reduce_over_row(1);
}

}  // namespace

void send_cg(const Run& run) {
    require_power_of_two(run);
    const CgSizes& sizes = sizes_of<CgSizes>(run, table);
    tell_timers(run);
    const ConjugateGradient gradient(run, sizes.rows);
    gradient.solve();  // to touch all pages
    gradient.norms();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < sizes.iterations; ++i) {
        gradient.solve();
        gradient.norms();
    }
    reduce(1, MPI_DOUBLE);
}

}  // namespace commmap::bench::npb
