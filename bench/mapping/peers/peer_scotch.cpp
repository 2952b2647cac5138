// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Scotch's own mapper, onto a tree of the same distances.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <type_traits>

#include "peers/pu_repair.hpp"
// needs <cstdint> and <cstdio> before it
#include <scotch.h>

namespace commmap::peers {
namespace {

// 32-bit Scotch adds up weight * distance in 32 bits
static_assert(std::is_same_v<SCOTCH_Num, std::int64_t>, "made for Scotch's 64-bit integers");

void must(int code, const char* what) {
    if (code != 0) throw std::runtime_error(std::string("Scotch says no to ") + what);
}

template <auto Init, auto Exit, class T>
class Owned {
public:
    Owned() { must(Init(&handle_), "a handle"); }
    ~Owned() { Exit(&handle_); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Owned(Owned&&) = delete;
    Owned& operator=(Owned&&) = delete;
    T* get() { return &handle_; }

private:
    T handle_{};
};
using Graph = Owned<SCOTCH_graphInit, SCOTCH_graphExit, SCOTCH_Graph>;
using Architecture = Owned<SCOTCH_archInit, SCOTCH_archExit, SCOTCH_Arch>;
using Strategy = Owned<SCOTCH_stratInit, SCOTCH_stratExit, SCOTCH_Strat>;
using Context = Owned<SCOTCH_contextInit, SCOTCH_contextExit, SCOTCH_Context>;

/// PUs as leaves: two of them are as far apart as the links from the root of their lowest common
/// group down to one of them are heavy, summed up. Groups of one are left out, and groups at equal
/// distances are one: Scotch wants links above 0.
void build_tree(const bench::TreeSpec& tree, Architecture& architecture) {
    std::vector<SCOTCH_Num> sizes;
    std::vector<SCOTCH_Num> links;
    std::uint64_t below = 0;
    for (std::size_t h = 1; h <= tree.height(); ++h) {
        const auto arity = static_cast<SCOTCH_Num>(tree.pus_of_group[h] / tree.pus_of_group[h - 1]);
        if (arity == 1) continue;
        if (tree.distances[h] == below) {
            if (sizes.empty()) throw std::runtime_error("Scotch wants distances above 0");
            sizes.back() *= arity;
            continue;
        }
        sizes.push_back(arity);
        links.push_back(static_cast<SCOTCH_Num>(tree.distances[h] - below));
        below = tree.distances[h];
    }
    std::reverse(sizes.begin(), sizes.end());
    std::reverse(links.begin(), links.end());
    must(SCOTCH_archTleaf(architecture.get(), static_cast<SCOTCH_Num>(sizes.size()), sizes.data(),
                          links.data()),
         "the tree");
}

/// Arrays that the graph goes on using.
struct ScotchArrays {
    explicit ScotchArrays(const PeerGraph& graph)
        : first(graph.first.begin(), graph.first.end()),
          neighbours(graph.neighbours.begin(), graph.neighbours.end()),
          weights(graph.weights.begin(), graph.weights.end()) {}
    std::vector<SCOTCH_Num> first;
    std::vector<SCOTCH_Num> neighbours;
    std::vector<SCOTCH_Num> weights;
};

/// A context of one thread, and a graph in it.
class BoundGraph {
public:
    BoundGraph(Graph& graph, std::uint64_t seed) {
        constexpr int any_core = -1;
        must(SCOTCH_contextThreadSpawn(context_.get(), 1, &any_core), "one thread");
        SCOTCH_contextRandomSeed(context_.get(), static_cast<SCOTCH_Num>(seed));
        SCOTCH_contextRandomReset(context_.get());
        must(SCOTCH_contextBindGraph(context_.get(), graph.get(), bound_.get()), "the context");
    }
    SCOTCH_Graph* get() { return bound_.get(); }

private:
    Context context_;
    Graph bound_;
};

struct ScotchForm {
    bool quality = false;
    bool repair = false;
    double balance = 0.0;  ///< load that a PU may have over the average, of quality
};

PeerProgram::Mapping map(const PeerProblem& problem, const ScotchForm& form) {
    const SCOTCH_Num ranks = problem.graph.num_ranks();
    if (ranks == 0) return {};
    const ScotchArrays arrays(problem.graph);
    Graph graph;
    must(SCOTCH_graphBuild(graph.get(), 0, ranks, arrays.first.data(), nullptr, nullptr, nullptr,
                           static_cast<SCOTCH_Num>(arrays.weights.size()), arrays.neighbours.data(),
                           arrays.weights.data()),
         "the graph");
    BoundGraph bound(graph, problem.seed);
    Architecture whole;
    build_tree(problem.tree, whole);
    Architecture chosen;
    const std::vector<SCOTCH_Num> pus(problem.pus.begin(), problem.pus.end());
    const bool all = problem.pus.size() == problem.tree.num_pus();
    if (!all)
        must(SCOTCH_archSub(chosen.get(), whole.get(), ranks, pus.data()), "the available PUs");
    Strategy strategy;
    if (form.quality) {
        must(SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATQUALITY, ranks, form.balance),
             "the strategy");
    }
    // a PU's number is its place among those that there are
    std::vector<SCOTCH_Num> place(pus.size());
    must(SCOTCH_graphMap(bound.get(), all ? whole.get() : chosen.get(), strategy.get(),
                         place.data()),
         "mapping");
    PeerProgram::Mapping mapping;
    for (const SCOTCH_Num p : place) mapping.push_back(problem.pus[p]);
    if (form.repair) repair_pus(problem, mapping);
    return mapping;
}

}  // namespace
}  // namespace commmap::peers

int main(int argc, char** argv) {
    using namespace commmap::peers;
    PeerProgram program(
        "Maps ranks onto PUs with Scotch. It may put two ranks on one PU: without --repair the "
        "mapping is as it answered.",
        "peer_scotch");
    std::string strategy;
    ScotchForm form;
    program.options()
        .add_option("--strategy", strategy, "default or quality")
        ->required()
        ->check(CLI::IsMember({"default", "quality"}));
    program.options()
        .add_option("--balance", form.balance, "load over the average, of quality")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    program.options().add_flag("--repair", form.repair, "leave each rank a PU of its own");
    return program.run(argc, argv, [&]() -> PeerProgram::Mapper {
        form.quality = strategy == "quality";
        return {"scotch " + strategy + (form.repair ? " repaired" : ""),
                [form](const PeerProblem& problem) { return map(problem, form); }};
    });
}
