// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_formats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "cli/profile/profile_json.hpp"

namespace commmap::cli {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

/// Writes the matrix of bytes, a row for each sending rank, with `separator` between the numbers.
/// @param symmetric  adds up both directions
std::string matrix(const Profile& profile, char separator, bool symmetric) {
    const TrafficMatrix sent = whole_run(profile).sent;
    const std::size_t size = profile.num_ranks();
    struct Received {
        RankId from;
        std::uint64_t bytes;
    };
    std::vector<std::vector<Received>> received(size);
    for (RankId from = 0; symmetric && from < size; ++from)
        for (const PeerSum& to : peers_of(sent.sent_by(from)))
            if (to.peer != from) received[to.peer].push_back({from, to.bytes});
    std::string text;
    std::vector<std::uint64_t> row(size);
    for (RankId from = 0; from < size; ++from) {
        std::fill(row.begin(), row.end(), 0);
        for (const PeerSum& to : peers_of(sent.sent_by(from))) row[to.peer] += to.bytes;
        for (const Received& back : received[from]) row[back.from] += back.bytes;
        for (std::size_t to = 0; to < size; ++to)
            text += number(row[to]) + (to + 1 == size ? '\n' : separator);
    }
    return text;
}

std::string csv(const Profile& profile) { return matrix(profile, ',', false); }
std::string tree_match(const Profile& profile) { return matrix(profile, ' ', true); }

std::string matrix_market(const Profile& profile) {
    const TrafficMatrix sent = whole_run(profile).sent;
    std::string entries;
    std::size_t count = 0;
    for (RankId from = 0; from < profile.num_ranks(); ++from)
        for (const PeerSum& to : peers_of(sent.sent_by(from))) {
            entries += fmt::format("{} {} {}\n", from + 1, to.peer + 1, to.bytes);
            ++count;
        }
    return fmt::format(
               "%%MatrixMarket matrix coordinate integer general\n"
               "% bytes from rank (row - 1) to rank (column - 1)\n"
               "{0} {0} {1}\n",
               profile.num_ranks(), count) +
           entries;
}

/// Writes the lines that Open MPI's pml_monitoring writes with enable_output 3.
std::string monitoring(const Profile& profile) {
    const TrafficMatrix sent = whole_run(profile).sent;
    std::string text = "# POINT TO POINT\n";
    for (RankId from = 0; from < profile.num_ranks(); ++from)
        for (const PeerSum& to : peers_of(sent.sent_by(from)))
            text += fmt::format("E\t{}\t{}\t{} bytes\t{} msgs sent\n", from, to.peer, to.bytes,
                                to.count);
    return text;
}

/// Neighbours of each rank in an undirected graph without loops, with the bytes of both directions,
/// at least 1.
using Neighbours = std::vector<std::map<RankId, std::uint64_t>>;

Neighbours neighbours_of(const Profile& profile) {
    const TrafficMatrix sent = whole_run(profile).sent;
    Neighbours neighbours(profile.num_ranks());
    std::uint64_t most = 1;
    for (RankId from = 0; from < profile.num_ranks(); ++from)
        for (const PeerSum& to : peers_of(sent.sent_by(from))) {
            if (to.peer == from) continue;
            neighbours[from][to.peer] += to.bytes;
            most = std::max(most, neighbours[to.peer][from] += to.bytes);
        }
    // The weights of both programs may be numbers of 32 bits, and METIS adds up those of a vertex.
    constexpr std::uint64_t largest = 1U << 24;
    const std::uint64_t unit = (most + largest - 1) / largest;
    for (auto& of_rank : neighbours)
        for (auto& [peer, weight] : of_rank) weight = std::max<std::uint64_t>(1, weight / unit);
    return neighbours;
}

std::size_t num_arcs(const Neighbours& neighbours) {
    std::size_t arcs = 0;
    for (const auto& of_rank : neighbours) arcs += of_rank.size();
    return arcs;
}

std::string metis(const Profile& profile) {
    const Neighbours neighbours = neighbours_of(profile);
    std::string text =
        number(neighbours.size()) + ' ' + number(num_arcs(neighbours) / 2) + " 001\n";
    for (const auto& of_rank : neighbours) {
        std::string line;
        for (const auto& [peer, weight] : of_rank)
            line += (line.empty() ? "" : " ") + number(peer + 1) + ' ' + number(weight);
        text += line + '\n';
    }
    return text;
}

std::string scotch(const Profile& profile) {
    const Neighbours neighbours = neighbours_of(profile);
    std::string text = fmt::format("0\n{} {}\n0 010\n", neighbours.size(), num_arcs(neighbours));
    for (const auto& of_rank : neighbours) {
        text += number(of_rank.size());
        for (const auto& [peer, weight] : of_rank)
            text += ' ' + number(weight) + ' ' + number(peer);
        text += '\n';
    }
    return text;
}

constexpr std::array profile_formats{
    ProfileFormat{"json", "everything that is in it", profile_to_json},
    ProfileFormat{"csv", "matrix of bytes, a line for each sender", csv},
    ProfileFormat{"matrixmarket", "sparse matrix of bytes", matrix_market},
    ProfileFormat{"mat", "TreeMatch: matrix of bytes there and back", tree_match},
    ProfileFormat{"metis", "graph for METIS: bytes there and back, scaled to 24 bits", metis},
    ProfileFormat{"scotch", "graph for Scotch, the same", scotch},
    ProfileFormat{"monitoring", "lines of Open MPI's pml_monitoring", monitoring},
};

}  // namespace

std::span<const ProfileFormat> profile_format_table() { return profile_formats; }

}  // namespace commmap::cli
