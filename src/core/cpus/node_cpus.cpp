// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/node_cpus.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/base/flat_buffer.hpp"
#include "core/cpus/node_cpus_generated.h"

namespace commmap {
namespace {

using Group = CpuTree::Group;

/// A group in the making. Groups get their numbers only when all groups that stay are known.
struct Part {
    std::uint32_t first_cpu = 0;
    std::uint32_t num_cpus = 0;
    std::vector<Part> children;
};

class Restriction {
public:
    Restriction(const NodeCpus& node, const CpuSet& allowed) : node_(node), allowed_(allowed) {}

    NodeCpus make() {
        if (node_.tree.groups.empty()) return {};
        std::vector<Part> level;
        if (Part machine = part_of(node_.tree.groups.front()); machine.num_cpus > 0)
            level.push_back(std::move(machine));
        auto& groups = cpus_.tree.groups;
        while (!level.empty()) {
            std::vector<Part> next;
            const std::size_t end_of_level = groups.size() + level.size();
            for (Part& part : level) {
                groups.push_back({part.first_cpu, part.num_cpus,
                                  static_cast<std::uint32_t>(end_of_level + next.size()),
                                  static_cast<std::uint32_t>(part.children.size())});
                std::move(part.children.begin(), part.children.end(), std::back_inserter(next));
            }
            level = std::move(next);
        }
        return std::move(cpus_);
    }

private:
    Part part_of(const Group& group) {
        Part part{static_cast<std::uint32_t>(cpus_.os_index.size()), 0, {}};
        for (std::uint32_t c = 0; c < group.num_children; ++c) {
            Part child = part_of(node_.tree.groups[group.first_child + c]);
            if (child.num_cpus > 0) part.children.push_back(std::move(child));
        }
        if (group.num_children == 0) add_cpus(group);
        part.num_cpus = static_cast<std::uint32_t>(cpus_.os_index.size()) - part.first_cpu;
        if (part.children.size() == 1) part = Part(std::move(part.children.front()));
        return part;
    }

    void add_cpus(const Group& group) {
        for (std::uint32_t cpu = group.first_cpu; cpu < group.first_cpu + group.num_cpus; ++cpu) {
            if (std::binary_search(allowed_.begin(), allowed_.end(), node_.os_index[cpu]))
                cpus_.os_index.push_back(node_.os_index[cpu]);
        }
    }

    const NodeCpus& node_;
    const CpuSet& allowed_;
    NodeCpus cpus_;
};

/// More levels than hwloc has kinds of objects, and few enough for a recursive walk.
constexpr std::size_t most_levels = 64;

/// Tells whether the groups are a tree in breadth-first order. Each group's children are its own
/// and come later, so that a walk ends and stays inside.
bool is_tree(const std::vector<Group>& groups, std::size_t num_cpus) {
    if (groups.empty()) return num_cpus == 0;
    if (groups.front().first_cpu != 0 || groups.front().num_cpus != num_cpus) return false;
    std::uint64_t next_child = 1;
    std::size_t levels = 1;
    std::uint64_t end_of_level = 1;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Group& group = groups[i];
        if (i == end_of_level) {
            if (++levels > most_levels) return false;
            end_of_level = next_child;
        }
        if (group.num_cpus == 0) return false;
        if (group.num_children == 0) continue;
        if (group.first_child != next_child) return false;
        next_child += group.num_children;
        if (next_child > groups.size()) return false;
        std::uint64_t cpu = group.first_cpu;
        for (std::uint32_t c = 0; c < group.num_children; ++c) {
            const Group& child = groups[group.first_child + c];
            if (child.first_cpu != cpu) return false;
            cpu += child.num_cpus;
        }
        if (cpu != std::uint64_t{group.first_cpu} + group.num_cpus) return false;
    }
    return next_child == groups.size();
}

}  // namespace

Result<NodeCpus> part_of_node(const NodeCpus& node, const CpuSet& allowed) {
    NodeCpus part = Restriction(node, allowed).make();
    if (part.os_index.size() == allowed.size()) return part;
    for (const unsigned cpu : allowed) {
        if (std::find(part.os_index.begin(), part.os_index.end(), cpu) == part.os_index.end())
            return Error{Errc::not_found,
                         fmt::format("hwloc does not know CPU {} of this node", cpu)};
    }
    return Error{
        Errc::library,
        "hwloc lists a CPU of this node twice; run commmap-node on the node, and report a bug"};
}

std::string bytes_of_node(const NodeCpus& node) {
    std::vector<wire::Group> groups;
    groups.reserve(node.tree.groups.size());
    for (const Group& group : node.tree.groups)
        groups.emplace_back(group.first_cpu, group.num_cpus, group.first_child, group.num_children);
    flatbuffers::FlatBufferBuilder builder;
    const auto stored_groups = list_of_structs(builder, groups);
    const auto os_index = builder.CreateVector<std::uint32_t>(node.os_index);
    wire::FinishSizePrefixedNodeCpusBuffer(builder,
                                           wire::CreateNodeCpus(builder, stored_groups, os_index));
    return std::string(content_of(builder));
}

Result<NodeCpus> node_of_bytes(std::string_view bytes) {
    const auto stored = SizedBuffer<wire::NodeCpus>::of(bytes, wire::NodeCpusIdentifier());
    if (!stored || !is_aligned((*stored)->groups()) || !is_aligned((*stored)->os_index()))
        return Error{Errc::invalid_input,
                     "what hwloc says of this node is damaged; run commmap-node on the node, and "
                     "report a bug"};
    NodeCpus node;
    const auto& groups = *(*stored)->groups();
    node.tree.groups.reserve(groups.size());
    // Reads by index: an empty list may be unaligned, and an iterator would refer to the list.
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
        const wire::Group& group = *groups.Get(i);
        node.tree.groups.push_back(
            {group.first_cpu(), group.num_cpus(), group.first_child(), group.num_children()});
    }
    const auto& os_index = *(*stored)->os_index();
    node.os_index.assign(os_index.begin(), os_index.end());
    if (!is_tree(node.tree.groups, node.os_index.size()))
        return Error{Errc::invalid_input,
                     "what hwloc says of this node makes no tree; run commmap-node on the node, "
                     "and report a bug"};
    return node;
}

}  // namespace commmap
