// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/priority_matrix.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/base/reduce_by_key.hpp"

namespace commmap {
namespace {

/// Adds to a sum; false when the sum would not fit.
bool add_to(std::uint64_t& sum, std::uint64_t more) {
    return !__builtin_add_overflow(sum, more, &sum);
}

/// Adds the phase's rows to the matrix; false when a sum does not fit.
bool add_phase(const Phase& phase, std::uint64_t small_bytes, PriorityMatrix& matrix) {
    PriorityRows& rows = matrix.phases.emplace_back();
    rows.reserve(matrix.num_ranks, 0);
    std::vector<Priority> row;
    for (RankId rank = 0; rank < matrix.num_ranks; ++rank) {
        row.clear();
        for (const TrafficCell& cell : phase.sent.sent_by(rank)) {
            if (cell.peer == rank) continue;
            if (!add_to(matrix.all_messages, cell.count)) return false;
            if (bucket_limit_bytes(cell.bucket) > small_bytes) continue;
            if (row.empty() || row.back().peer != cell.peer) row.push_back({cell.peer, 0});
            row.back().messages += cell.count;
        }
        rows.add_row(row);
    }
    return true;
}

PriorityRows turned(const PriorityRows& rows) {
    std::vector<std::size_t> next(rows.num_ranks() + 1, 0);
    for (const Priority& entry : rows.entries()) ++next[entry.peer + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::size_t> ends(next.begin() + 1, next.end());
    std::vector<Priority> entries(rows.num_entries());
    for (RankId sender = 0; sender < rows.num_ranks(); ++sender)
        for (const Priority& entry : rows.of(sender))
            entries[next[entry.peer]++] = {sender, entry.messages};
    PriorityRows received;
    received.reserve(ends.size(), entries.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        received.add_row(std::span(entries).subspan(begin, end - begin));
        begin = end;
    }
    return received;
}

}  // namespace

void PriorityRows::reserve(std::size_t num_ranks, std::size_t num_entries) {
    ends_.reserve(num_ranks);
    entries_.reserve(num_entries);
}

void PriorityRows::add_row(std::span<const Priority> row) {
    entries_.insert(entries_.end(), row.begin(), row.end());
    ends_.push_back(entries_.size());
}

std::uint64_t PriorityRows::num_messages() const {
    std::uint64_t sum = 0;
    for (const Priority& entry : entries_) sum += entry.messages;
    return sum;
}

Result<std::uint64_t> small_limit_bytes(std::uint64_t bytes) {
    std::optional<std::uint64_t> limit;
    for (std::size_t i = 0; i + 1 < num_size_buckets; ++i)
        if (bucket_limit_bytes(i) <= bytes) limit = bucket_limit_bytes(i);
    if (limit) return *limit;
    return Error{Errc::invalid_input,
                 fmt::format("a profile cannot tell messages of at most {} B from longer ones: {} "
                             "B is the least",
                             bytes, bucket_limit_bytes(0))};
}

Result<PriorityMatrix> priority_matrix(const Profile& profile, std::uint64_t small_bytes,
                                       std::optional<std::size_t> phase) {
    assert((!phase || *phase < profile.phases.size()) && "there is no such phase");
    PriorityMatrix matrix;
    matrix.num_ranks = profile.num_ranks();
    for (std::size_t i = 0; i < profile.phases.size(); ++i) {
        if (phase && i != *phase) continue;
        if (!add_phase(profile.phases[i], small_bytes, matrix))
            return Error{Errc::out_of_range, "the profile has 2^64 messages or more"};
        matrix.small_messages += matrix.phases.back().num_messages();
    }
    return matrix;
}

PriorityRows whole_run(const PriorityMatrix& matrix) {
    if (matrix.phases.size() == 1) return matrix.phases.front();
    PriorityRows whole;
    whole.reserve(matrix.num_ranks, 0);
    std::vector<Priority> row;
    for (RankId rank = 0; rank < matrix.num_ranks; ++rank) {
        row.clear();
        for (const PriorityRows& phase : matrix.phases) {
            const std::span<const Priority> of_phase = phase.of(rank);
            row.insert(row.end(), of_phase.begin(), of_phase.end());
        }
        std::sort(row.begin(), row.end(),
                  [](const Priority& a, const Priority& b) { return a.peer < b.peer; });
        row.resize(reduce_by_key(
            std::span(row), &Priority::peer,
            [](Priority& to, const Priority& from) { to.messages += from.messages; }));
        whole.add_row(row);
    }
    return whole;
}

PriorityMatrix by_receiver(const PriorityMatrix& matrix) {
    PriorityMatrix received = {matrix.num_ranks, {}, matrix.small_messages, matrix.all_messages};
    for (const PriorityRows& phase : matrix.phases) received.phases.push_back(turned(phase));
    return received;
}

}  // namespace commmap
