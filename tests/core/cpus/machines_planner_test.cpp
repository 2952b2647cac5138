// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The planner's and the tasks' side count the places of a node in the same order, on every machine.
#include <gmock/gmock.h>

#include <limits>

#include "core/cpus/cpu_places.hpp"
#include "core/cpus/hwloc_cpus.hpp"
#include "core/cpus/machine.hpp"
#include "core/plan/layout.hpp"
#include "core/topology/hwloc_reader.hpp"

namespace commmap {
namespace {

/// A cluster of one node of a class that is read as a cluster YAML's is.
class PlannersNode {
public:
    explicit PlannersNode(const NodeTree& tree) {
        cluster_.switches.push_back({"s", no_id, {}});
        cluster_.classes.push_back({"c", tree, {}, std::numeric_limits<double>::infinity(), {}});
        cluster_.nodes.push_back({"n", 0, 0});
        cluster_.node_index["n"] = 0;
        const auto walk = [&](auto&& self, std::uint32_t v) -> void {
            if (tree.vertices[v].level == Level::pu) cpus_.push_back(tree.vertices[v].os_index);
            for (const std::uint32_t child : tree.vertices[v].children) self(self, child);
        };
        walk(walk, 0);
    }

    /// In hwloc's order.
    [[nodiscard]] const std::vector<unsigned>& cpus() const { return cpus_; }

    [[nodiscard]] Hct with_first(std::uint32_t num_cpus) const {
        Allocation allocation = whole_cluster(cluster_);
        allocation.nodes.front().num_pus = num_cpus;
        return build_hct(cluster_, allocation).value();
    }

    /// The first CPU of each place, by the system's number.
    [[nodiscard]] std::vector<unsigned> candidate_pus(const Hct& hct, std::uint32_t tasks,
                                                      std::uint32_t each) const {
        std::vector<unsigned> candidate_pus;
        for (const PuId pu : choose_candidate_pus(hct, std::vector<std::uint32_t>{tasks}, each))
            candidate_pus.push_back(cpus_[pu]);
        return candidate_pus;
    }

private:
    Cluster cluster_;
    std::vector<unsigned> cpus_;
};

std::vector<unsigned> first_cpus(const NodeCpus& node, std::uint32_t tasks, std::uint32_t each) {
    const auto places = divide_cpus(node.tree, tasks, each);
    std::vector<unsigned> firsts;
    for (const CpuPlace& place : places.value()) firsts.push_back(node.os_index[place.front()]);
    return firsts;
}

class MachinesPlanner : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        NEEDS_MACHINES();
        file_ = machines_directory() / (std::string(GetParam()) + ".xml");
        ::setenv("HWLOC_XMLFILE", file_.c_str(), 1);  // "this node", for hwloc
    }
    void TearDown() override { ::unsetenv("HWLOC_XMLFILE"); }

    std::filesystem::path file_;
};

TEST_P(MachinesPlanner, CountsPlacesAsTheTasksDo) {
    const auto tree = read_hwloc_xml(file_);
    ASSERT_TRUE(tree) << tree.error().message;
    const PlannersNode planner(tree.value());
    const auto all = static_cast<std::uint32_t>(planner.cpus().size());
    for (const std::uint32_t cpus : {all, all / 2, all / 3 + 1, all - 1}) {
        if (cpus == 0) continue;
        const Hct hct = planner.with_first(cpus);
        const std::vector<unsigned> allowed(planner.cpus().begin(), planner.cpus().begin() + cpus);
        const auto node = part_of_node(cpus_of_this_node().value(), sorted(allowed));
        ASSERT_TRUE(node) << node.error().message;
        ASSERT_EQ(node.value().os_index, allowed);
        const std::uint32_t step = cpus > 64 ? 5 : 1;
        for (std::uint32_t tasks = 1; tasks <= cpus; tasks += step) {
            for (const std::uint32_t each : {1U, 2U, 3U, 5U, cpus / tasks}) {
                if (each > cpus / tasks) continue;
                ASSERT_EQ(planner.candidate_pus(hct, tasks, each),
                          first_cpus(node.value(), tasks, each))
                    << tasks << " tasks of " << each << " on " << cpus << " CPUs";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Hwloc, MachinesPlanner, testing::ValuesIn(machine_names),
                         [](const auto& machine) { return test_name(machine.param); });

}  // namespace
}  // namespace commmap
