// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/bench_program.hpp"
#include "npb/npb_run.hpp"

namespace commmap::bench::npb {
namespace {

struct IsSizes {
    int log_keys;
    int log_largest_key;
    int log_buckets;
};
constexpr std::array<IsSizes, 5> table{
    {{16, 11, 9}, {20, 16, 10}, {23, 19, 10}, {25, 21, 10}, {27, 23, 10}}};
constexpr int iterations = 10;
constexpr int keys_to_verify = 5;

constexpr std::uint64_t mask46 = (std::uint64_t{1} << 46) - 1;
constexpr std::uint64_t multiplier = 1220703125;  // 5^13
constexpr std::uint64_t first_seed = 314159265;

/// x_(k+1) = multiplier * x_k mod 2^46, from the number `skipped` on.
class RandomNumbers {
public:
    explicit RandomNumbers(std::uint64_t skipped) {
        std::uint64_t factor = multiplier;
        for (; skipped != 0; skipped /= 2) {
            if (skipped % 2 == 1) state_ = factor * state_ & mask46;
            factor = factor * factor & mask46;
        }
    }
    /// In (0, 1).
    [[nodiscard]] double next() {
        state_ = multiplier * state_ & mask46;
        return static_cast<double>(state_) * 0x1p-46;
    }

private:
    std::uint64_t state_ = first_seed;
};

class BucketSort {
public:
    BucketSort(const Run& run, const IsSizes& sizes);
    /// One call of rank().
    void rank_keys(int iteration);
    void verify() const;

private:
    [[nodiscard]] std::vector<int> count_buckets() const;
    [[nodiscard]] std::vector<int> deal(const std::vector<int>& own,
                                        const std::vector<int>& all) const;

    Run run_;
    IsSizes sizes_;
    std::vector<int> keys_;
};

BucketSort::BucketSort(const Run& run, const IsSizes& sizes)
    : run_(run),
      sizes_(sizes),
      keys_((std::size_t{1} << sizes.log_keys) / static_cast<std::size_t>(run.ranks)) {
    RandomNumbers numbers(4 * keys_.size() * static_cast<std::size_t>(run.rank));
    const double quarter = static_cast<double>(1 << sizes.log_largest_key) / 4;
    for (int& key : keys_) {
        double sum = numbers.next();
        for (int i = 0; i < 3; ++i) sum += numbers.next();
        key = static_cast<int>(quarter * sum);
    }
}

std::vector<int> BucketSort::count_buckets() const {
    std::vector<int> counts((std::size_t{1} << sizes_.log_buckets) + keys_to_verify);
    for (const int key : keys_)
        ++counts[static_cast<std::size_t>(key >> (sizes_.log_largest_key - sizes_.log_buckets))];
    return counts;
}

/// Buckets go to a rank until the ranks up to it have as many keys as they had.
std::vector<int> BucketSort::deal(const std::vector<int>& own, const std::vector<int>& all) const {
    std::vector<int> counts(static_cast<std::size_t>(run_.ranks));
    std::size_t to = 0;
    std::size_t dealt = 0;
    int waiting = 0;
    for (std::size_t bucket = 0; bucket + keys_to_verify < all.size() && to < counts.size();
         ++bucket) {
        dealt += static_cast<std::size_t>(all[bucket]);
        waiting += own[bucket];
        if (dealt < (to + 1) * keys_.size()) continue;
        counts[to++] = waiting;
        waiting = 0;
    }
    return counts;
}

void BucketSort::rank_keys(int iteration) {
    if (run_.rank == 0) {
        keys_[static_cast<std::size_t>(iteration)] = iteration;
        keys_[static_cast<std::size_t>(iteration + iterations)] =
            (1 << sizes_.log_largest_key) - iteration;
    }
    const std::vector<int> own = count_buckets();
    std::vector<int> all(own.size());
    MPI_Allreduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    const std::vector<int> sent = deal(own, all);
    std::vector<int> received(sent.size());
    MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> sent_from(sent.size());
    std::vector<int> received_at(sent.size());
    std::exclusive_scan(sent.begin(), sent.end(), sent_from.begin(), 0);
    std::exclusive_scan(received.begin(), received.end(), received_at.begin(), 0);
    std::vector<int> sorted(
        static_cast<std::size_t>(std::reduce(received.begin(), received.end())));
    MPI_Alltoallv(keys_.data(), sent.data(), sent_from.data(), MPI_INT, sorted.data(),
                  received.data(), received_at.data(), MPI_INT, MPI_COMM_WORLD);
}

/// Each rank tells the next one its largest key.
void BucketSort::verify() const {
    MPI_Request request = MPI_REQUEST_NULL;
    int largest_before = 0;
    if (run_.rank > 0)
        MPI_Irecv(&largest_before, 1, MPI_INT, run_.rank - 1, 1000, MPI_COMM_WORLD, &request);
    if (run_.rank < run_.ranks - 1)
        MPI_Send(keys_.data(), 1, MPI_INT, run_.rank + 1, 1000, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

void send_is(const Run& run) {
    require_power_of_two(run);
    const IsSizes& sizes = sizes_of<IsSizes>(run, table);
    if (run.ranks > 1 << (sizes.log_keys - 5))
        throw UsageError("has too few keys for so many ranks");
    tell_timers(run);
    BucketSort sort(run, sizes);
    sort.rank_keys(1);  // to touch all pages
    for (int iteration = 1; iteration <= iterations; ++iteration) sort.rank_keys(iteration);
    reduce(1, MPI_DOUBLE);  // the time
    sort.verify();
    reduce(1, MPI_INT);  // what was verified
}

}  // namespace commmap::bench::npb
