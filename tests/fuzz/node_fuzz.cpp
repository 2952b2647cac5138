// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What a task's helper says of a node's CPUs, which tasks of the same user tell each other, and
// Slurm's masks: two numbers, masks and a NUL, then the node. The node's size, which stands in
// front of it, is put right.
#include <algorithm>
#include <string>
#include <tuple>

#include "core/cpus/cpu_places.hpp"
#include "core/cpus/node_cpus.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/right_size.hpp"

namespace commmap::fuzz {
namespace {

void require_same(const NodeCpus& a, const NodeCpus& b) {
    const auto key = [](const CpuTree::Group& group) {
        return std::tuple(group.first_cpu, group.num_cpus, group.first_child, group.num_children);
    };
    require(
        std::ranges::equal(a.tree.groups, b.tree.groups, {}, key, key) && a.os_index == b.os_index,
        "another node");
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    using namespace commmap::fuzz;
    if (size < 2) return 0;
    const std::uint32_t tasks = data[0];
    const std::uint32_t cpus = data[1];
    std::string_view input = text_of(data + 2, size - 2);
    const auto masks = parse_cpu_masks(input.substr(0, input.find('\0')));
    input.remove_prefix(std::min(input.size(), input.find('\0') + 1));
    const auto node = node_of_bytes(with_right_size(input));
    if (!node) return 0;
    ++taken;
    // a made-up buffer may be packed otherwise than a written one
    const auto again = node_of_bytes(bytes_of_node(node.value()));
    require(again.ok(), "what was read and written is not read again");
    require_same(again.value(), node.value());
    const auto check = [&](const NodeCpus& machine) {
        const auto places = divide_cpus(machine.tree, tasks, cpus);
        if (!places) return;
        std::vector<bool> used(machine.os_index.size(), false);
        require(places.value().size() == tasks, "another number of places");
        for (const CpuPlace& place : places.value())
            for (const std::uint32_t cpu : place) {
                require(cpu < used.size() && !used[cpu], "a CPU in two places, or none");
                used[cpu] = true;
            }
    };
    check(node.value());
    if (!masks) return 0;
    for (const CpuSet& mask : masks.value())
        if (const auto part = part_of_node(node.value(), mask); part) check(part.value());
    return 0;
}
