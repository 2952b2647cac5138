#include "core/mapping/rank_mapper.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "core/mapping/bisection.hpp"
#include "core/mapping/csr_graph.hpp"
#include "core/mapping/grid.hpp"
#include "core/mapping/grid_placement.hpp"
#include "core/mapping/group_filling.hpp"
#include "core/mapping/hop_bytes_search.hpp"
#include "core/mapping/multisection.hpp"

namespace commmap {
namespace {

struct Plan {
    BisectionEffort effort;
    unsigned longest_chain;
};

Plan plan_of(Preset preset) {
    switch (preset) {
        case Preset::fast:
            return {{1, 4, 2}, 3};
        case Preset::strong:
            return {{8, 12, 4}, 6};
        case Preset::standard:
            break;
    }
    return {{2, 8, 3}, 4};
}

/// Lower is better.
std::pair<double, double> judged(const PlacementFigures& figures, Objective objective) {
    switch (objective) {
        case Objective::port_cost:
            return {figures.port_cost, figures.hop_bytes};
        case Objective::process_time:
            return {figures.process_time, figures.hop_bytes};
        case Objective::hop_bytes:
            break;
    }
    return {figures.hop_bytes, figures.hop_bytes};
}

/// Ranks in their own order, from the first PU on.
std::vector<GroupId> in_order(const MachineTree& machine, std::size_t num_ranks) {
    std::vector<GroupId> bins;
    bins.reserve(num_ranks);
    for (GroupId bin = 0; bins.size() < num_ranks; ++bin)
        for (std::uint32_t i = 0; i < machine.bins().capacity[bin] && bins.size() < num_ranks; ++i)
            bins.push_back(bin);
    return bins;
}

class RankMapper {
public:
    RankMapper(const WeightedGraph& graph, const MachineTree& machine, const MapSettings& settings)
        : graph_(graph), machine_(machine), settings_(settings), plan_(plan_of(settings.preset)) {}

    RankMapping run() {
        consider("order", in_order(machine_, graph_.num_vertices()));
        const CsrGraph csr(graph_, static_cast<double>(machine_.level(0).distance));
        bool sure = false;
        if (const std::optional<Grid> grid = find_grid(csr)) {
            std::optional<Tiling> tiling = tile_boxes(csr, machine_, *grid);
            sure = tiling && tiling->sure;
            if (tiling)
                consider("boxes", improved(csr, std::move(tiling->bin_of_rank)));
            else
                consider("halved boxes", improved(csr, halve_boxes(machine_, *grid)));
        }
        if (!sure && !settings_.deadline.passed())
            consider("multisection", improved(csr, multisect(csr, machine_, plan_.effort,
                                                             settings_.seed, settings_.deadline)));
        best_.figures = best_.candidates[best_.chosen].figures;
        take_pus();
        return std::move(best_);
    }

private:
    std::vector<GroupId> improved(const CsrGraph& graph, std::vector<GroupId> bins) {
        HopBytesSearch search(graph, machine_, std::move(bins));
        search.improve(plan_.longest_chain, settings_.deadline);
        return {search.bins().begin(), search.bins().end()};
    }

    void consider(std::string_view name, std::vector<GroupId> bins) {
        const PlacementFigures figures = figures_of(graph_, machine_, bins);
        const auto now = std::chrono::steady_clock::now();
        best_.candidates.push_back(
            {name, figures, std::chrono::duration<double>(now - since_).count()});
        since_ = now;
        const auto cost = judged(figures, settings_.objective);
        if (best_.candidates.size() > 1 &&
            cost >= judged(best_.candidates[best_.chosen].figures, settings_.objective))
            return;
        best_.bin_of_rank = std::move(bins);
        best_.chosen = best_.candidates.size() - 1;
    }

    void take_pus() {
        std::vector<std::uint32_t> taken(machine_.num_bins(), 0);
        best_.pu_of_rank.reserve(best_.bin_of_rank.size());
        for (const GroupId bin : best_.bin_of_rank)
            best_.pu_of_rank.push_back(machine_.pus_of(bin)[taken[bin]++]);
    }

    const WeightedGraph& graph_;
    const MachineTree& machine_;
    MapSettings settings_;
    Plan plan_;
    RankMapping best_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<RankMapping> map_ranks(const WeightedGraph& graph, const MachineTree& machine,
                              const MapSettings& settings) {
    if (graph.num_vertices() > machine.num_pus()) {
        return Error{Errc::invalid_input, std::to_string(graph.num_vertices()) +
                                              " ranks do not fit on " +
                                              std::to_string(machine.num_pus()) + " PUs"};
    }
    constexpr std::size_t most_ends = std::size_t{1} << 32U;
    if (graph.neighbours.size() >= most_ends)
        return Error{Errc::out_of_range, "2^31 edges or more: they are too many"};
    return RankMapper(graph, machine, settings).run();
}

}  // namespace commmap
