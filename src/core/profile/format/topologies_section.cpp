// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/topologies_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/base/flat_buffer.hpp"
#include "core/profile/profile_checks.hpp"

namespace commmap {
namespace {

/// Takes numbers from the front of a list that several topologies share.
template <class Number>
class Next {
public:
    explicit Next(const flatbuffers::Vector<Number>& all) : all_(all) {}
    [[nodiscard]] bool has(std::size_t count) const { return count <= all_.size() - next_; }
    /// @pre has(count)
    std::vector<Number> take(std::size_t count) {
        const Number* const first = all_.data() + next_;
        next_ += count;
        return {first, first + count};
    }
    [[nodiscard]] bool at_end() const { return next_ == all_.size(); }

private:
    const flatbuffers::Vector<Number>& all_;
    std::size_t next_ = 0;
};

}  // namespace

void finish_topologies(flatbuffers::FlatBufferBuilder& builder,
                       std::span<const ProcessTopology> topologies) {
    std::vector<std::uint32_t> communicator;
    std::vector<std::uint8_t> num_dims;
    std::vector<std::uint32_t> dims;
    std::vector<std::uint8_t> periodic;
    std::vector<std::uint32_t> num_destinations;
    std::vector<RankId> destinations;
    for (const ProcessTopology& topology : topologies) {
        communicator.push_back(topology.communicator);
        num_dims.push_back(static_cast<std::uint8_t>(topology.dims.size()));
        dims.insert(dims.end(), topology.dims.begin(), topology.dims.end());
        periodic.insert(periodic.end(), topology.periodic.begin(), topology.periodic.end());
        for (const std::vector<RankId>& of_member : topology.destinations) {
            num_destinations.push_back(static_cast<std::uint32_t>(of_member.size()));
            destinations.insert(destinations.end(), of_member.begin(), of_member.end());
        }
    }
    builder.Finish(format3::CreateTopologiesDirect(builder, &communicator, &num_dims, &dims,
                                                   &periodic, &num_destinations, &destinations));
}

std::size_t most_bytes_of(std::span<const ProcessTopology> topologies) {
    std::size_t numbers = 0;
    for (const ProcessTopology& topology : topologies) {
        numbers += 2 + 2 * topology.dims.size();
        for (const std::vector<RankId>& of_member : topology.destinations)
            numbers += 1 + of_member.size();
    }
    return numbers * sizeof(std::uint32_t);
}

Result<std::vector<ProcessTopology>> read_topologies(
    const format3::Topologies& in, const std::vector<std::vector<RankId>>& communicators,
    std::size_t num_ranks) {
    if (in.num_dims()->size() != in.communicator()->size() || !is_aligned(in.communicator()) ||
        !is_aligned(in.dims()) || !is_aligned(in.num_destinations()) ||
        !is_aligned(in.destinations()))
        return corrupt("topologies: its lists do not fit together");
    Next dims(*in.dims());
    Next periodic(*in.periodic());
    Next num_destinations(*in.num_destinations());
    Next destinations(*in.destinations());
    if (in.communicator()->size() > ProcessTopology::most_of_run)
        return corrupt(fmt::format("it has {} topologies", in.communicator()->size()));
    std::vector<ProcessTopology> topologies;
    for (flatbuffers::uoffset_t i = 0; i < in.communicator()->size(); ++i) {
        const std::string name = fmt::format("topology {}", i);
        ProcessTopology& topology = topologies.emplace_back();
        topology.communicator = in.communicator()->Get(i);
        const std::uint8_t sides = in.num_dims()->Get(i);
        if (topology.communicator >= communicators.size())
            return corrupt(fmt::format("{} is on communicator {} of {}", name,
                                       topology.communicator, communicators.size()));
        if (i > 0 && topology.communicator < topologies[i - 1].communicator)
            return corrupt(name + " is out of order");
        const std::size_t members = communicators[topology.communicator].size();
        if (sides > 0) {
            if (!dims.has(sides) || !periodic.has(sides))
                return corrupt(name + " has more sides than the file");
            topology.dims = dims.take(sides);
            topology.periodic = periodic.take(sides);
            if (!is_grid(topology.dims, topology.periodic, members))
                return corrupt(name + " is no grid of its members");
            continue;
        }
        if (!num_destinations.has(members)) return corrupt(name + " has too few members");
        for (const std::uint32_t count : num_destinations.take(members)) {
            if (!destinations.has(count))
                return corrupt(name + " has more neighbours than the file");
            topology.destinations.push_back(destinations.take(count));
            if (std::ranges::any_of(topology.destinations.back(),
                                    [&](RankId to) { return to >= num_ranks; }))
                return corrupt(name + " has a neighbour out of range");
        }
    }
    if (!dims.at_end() || !periodic.at_end() || !num_destinations.at_end() ||
        !destinations.at_end())
        return corrupt("topologies: its lists do not fit together");
    return topologies;
}

}  // namespace commmap
