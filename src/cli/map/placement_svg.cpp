// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/map/placement_svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "cli/map/matrix_cells.hpp"
#include "cli/map/rank_order.hpp"
#include "cli/map/xml_text.hpp"
#include "commmap/placement_figures.hpp"
#include "core/text/one_line.hpp"
#include "core/tree_mapping/moves/link_cost.hpp"
#include "core/tree_mapping/moves/link_loads.hpp"

namespace commmap::cli {
namespace {

// All lengths are pixels of the picture without scaling.
constexpr double margin = 16;
constexpr double panel_side = 512;  // of 256 cells, two pixels each
constexpr double panel_gap = 24;
constexpr double width = 2 * margin + 2 * panel_side + panel_gap;
constexpr double panels_top = 80;
constexpr double strip_top = panels_top + panel_side + 108;
constexpr double bars_height = 96;
constexpr double bars_width = width - 2 * margin;
constexpr double widest_bar = 132;
constexpr double height = strip_top + bars_height + margin;
constexpr double swatch_side = 12;

constexpr std::size_t most_boundaries = 63;  // lines of a level: closer ones hide the cells
constexpr std::size_t most_bars = 256;
constexpr std::size_t longest_name = 120;

constexpr Shades greys = {"#c8c8c8", "#b4b4b4", "#9e9e9e", "#878787",
                          "#707070", "#585858", "#3f3f3f", "#222"};
constexpr Shades blues = {"#b5d2ec", "#95bfe2", "#74aad6", "#5495c9",
                          "#387eb8", "#2268a4", "#125089", "#08306b"};
constexpr const char* before_bars = greys[1];
constexpr const char* after_bars = blues[5];

/// The picture's data of one of the two placements.
struct Panel {
    const char* title;
    const Shades* shades;
    std::span<const GroupId> bin_of_rank;
    RankOrder order;
    PlacementFigures figures;
};

/// Loads of the links of one level.
struct LevelLoads {
    std::size_t depth = 0;  ///< 0: there are no links
    std::vector<double> before;
    std::vector<double> after;
};

struct Picture {
    const WeightedGraph& graph;
    const MachineTree& machine;
    Panel before;
    Panel after;
    LevelLoads loads;  ///< those of the level with the most loaded link
};

std::string moved(double x, double y) { return fmt::format("translate({:.6g} {:.6g})", x, y); }

/// @param attributes  with a blank in front
std::string text_at(double x, double y, const std::string& text, const char* attributes = "") {
    return fmt::format("<text x=\"{:.6g}\" y=\"{:.6g}\"{}>{}</text>\n", x, y, attributes,
                       xml_text(text));
}

std::string element(const char* name, const std::string& text) {
    return fmt::format("<{0}>{1}</{0}>\n", name, xml_text(text));
}

/// Returns a number with its noun: "1 rank", "4 ranks".
std::string counted(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string lines_at(const std::vector<std::uint32_t>& boundaries, double pixels_per_rank,
                     const char* attributes) {
    std::string data;
    for (const std::uint32_t boundary : boundaries)
        data += fmt::format("M{0:.6g} 0v{1:.6g}M0 {0:.6g}h{1:.6g}", boundary * pixels_per_rank,
                            panel_side);
    if (data.empty()) return {};
    return fmt::format("<path fill=\"none\" {} d=\"{}\"/>\n", attributes, data);
}

/// Lines between the groups of the first level that divides the ranks, and of the next level that
/// divides them further. A level with too many groups gets none.
struct GroupLines {
    std::string of_first;
    std::string of_second;
};

GroupLines group_lines(const MachineTree& machine, const RankOrder& order, double pixels_per_rank) {
    std::vector<std::vector<std::uint32_t>> levels;
    for (std::size_t depth = 1; depth < machine.num_levels() && levels.size() < 2; ++depth) {
        auto boundaries = order.boundaries(depth, most_boundaries);
        if (boundaries.size() > most_boundaries) break;
        if (boundaries.size() > (levels.empty() ? 0 : levels[0].size()))
            levels.push_back(std::move(boundaries));
    }
    levels.resize(2);
    return {lines_at(levels[0], pixels_per_rank, "stroke=\"#d9480f\""),
            lines_at(levels[1], pixels_per_rank, "stroke=\"#f8dccf\" stroke-width=\".7\"")};
}

std::string scale_legend(const ShadeScale& scale, const Shades& shades, double y) {
    if (scale.highest() == 0.0) return {};
    const double right = panel_side - 104;
    const double left = right - swatch_side * num_shades;
    std::string text =
        text_at(left - 6, y, fmt::format("{:.6g}", scale.lowest()), " text-anchor=\"end\"");
    for (std::size_t i = 0; i < num_shades; ++i)
        text += fmt::format(
            "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
            left + swatch_side * static_cast<double>(i), y - 11, shades[i]);
    return text + text_at(right + 6, y, fmt::format("{:.6g}", scale.highest()));
}

/// Returns a figure with its reference: "hop-bytes 1200, 0.25 of ranks in order".
std::string figure_text(const char* name, double figure, double reference) {
    std::string text = fmt::format("{} {:.6g}", name, figure);
    if (reference > 0) text += fmt::format(", {:.3g} of ranks in order", figure / reference);
    return text;
}

std::string captions(const Panel& panel, const PlacementFigures& reference) {
    return text_at(0, panel_side + 22,
                   figure_text("hop-bytes", panel.figures.hop_bytes, reference.hop_bytes)) +
           text_at(0, panel_side + 44,
                   figure_text("port cost", panel.figures.port_cost, reference.port_cost));
}

std::string panel_svg(const Picture& picture, const Panel& panel, const MatrixCells& cells,
                      const ShadeScale& scale, std::size_t ranks_per_cell) {
    const bool is_after = &panel == &picture.after;
    const double x = margin + (is_after ? panel_side + panel_gap : 0);
    const double cell = panel_side / static_cast<double>(std::max<std::size_t>(cells.side, 1));
    std::string text = fmt::format("<g class=\"panel\" transform=\"{}\">\n", moved(x, panels_top)) +
                       element("title", panel.title) +
                       text_at(0, -8, panel.title, " font-weight=\"bold\"");
    const GroupLines lines =
        group_lines(picture.machine, panel.order, cell / static_cast<double>(ranks_per_cell));
    text += lines.of_second;  // below the cells, so that light cells can be seen
    text += fmt::format(
        "<g class=\"cells\" transform=\"scale({:.6g}) translate(0 .5)\" fill=\"none\" "
        "shape-rendering=\"crispEdges\">\n{}</g>\n",
        cell, cell_paths(cells, scale, *panel.shades));
    text += lines.of_first;
    text += fmt::format(
        "<rect width=\"{0:.6g}\" height=\"{0:.6g}\" fill=\"none\" stroke=\"#888\"/>\n", panel_side);
    text += captions(panel, is_after ? picture.before.figures : PlacementFigures{});
    return text + scale_legend(scale, *panel.shades, panel_side + 66) + "</g>\n";
}

double largest(const std::vector<double>& numbers) {
    return numbers.empty() ? 0.0 : *std::max_element(numbers.begin(), numbers.end());
}

LevelLoads most_loaded_level(const WeightedGraph& graph, const MachineTree& machine,
                             std::span<const GroupId> before, std::span<const GroupId> after) {
    auto loads_before = link_loads(graph, machine, before);
    auto loads_after = link_loads(graph, machine, after);
    LevelLoads loads;
    double most = 0.0;
    for (std::size_t depth = 1; depth < machine.num_levels(); ++depth) {
        const double cost = cost_of_byte(machine, depth) *
                            std::max(largest(loads_before[depth]), largest(loads_after[depth]));
        if (loads.depth > 0 && cost <= most) continue;
        loads.depth = depth;
        most = cost;
    }
    if (loads.depth == 0) return loads;
    loads.before = std::move(loads_before[loads.depth]);
    loads.after = std::move(loads_after[loads.depth]);
    return loads;
}

/// Returns the largest of each `count` numbers side by side.
std::vector<double> largest_of_each(const std::vector<double>& numbers, std::size_t count) {
    std::vector<double> result((numbers.size() + count - 1) / count, 0.0);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        result[i / count] = std::max(result[i / count], numbers[i]);
    return result;
}

/// @param part  share of its place that a bar takes
std::string bars(const std::vector<double>& loads, double highest, double part,
                 const char* colour) {
    const double place = std::min(bars_width / static_cast<double>(loads.size()), widest_bar);
    std::string data;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        if (loads[i] <= 0) continue;
        const double left = place * (static_cast<double>(i) + (1 - part) / 2);
        data += fmt::format("M{0:.6g} {1:.6g}v{2:.6g}h{3:.6g}V{1:.6g}z", left, bars_height,
                            -bars_height * loads[i] / highest, place * part);
    }
    return fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", colour, data);
}

std::string strip_title(const Picture& picture, const LevelLoads& loads,
                        std::size_t links_per_bar) {
    if (loads.depth == 0) return "no links between groups";
    std::string text = fmt::format(
        "load of {} above groups of height {}: at most {:.6g} in order (grey), {:.6g} as chosen "
        "(blue)",
        counted(loads.before.size(), "link"), picture.machine.num_levels() - loads.depth,
        largest(loads.before), largest(loads.after));
    if (links_per_bar > 1) text += fmt::format("; a bar is the most loaded of {}", links_per_bar);
    return text;
}

std::string strip_svg(const Picture& picture) {
    const LevelLoads& loads = picture.loads;
    const std::size_t links_per_bar =
        std::max<std::size_t>(1, (loads.before.size() + most_bars - 1) / most_bars);
    const std::string title = strip_title(picture, loads, links_per_bar);
    std::string text =
        fmt::format("<g class=\"links\" transform=\"{}\">\n", moved(margin, strip_top)) +
        element("title", title) + text_at(0, -10, title);
    const double highest = std::max(largest(loads.before), largest(loads.after));
    if (highest > 0) {
        text += bars(largest_of_each(loads.before, links_per_bar), highest, 0.9, before_bars);
        text += bars(largest_of_each(loads.after, links_per_bar), highest, 0.5, after_bars);
    }
    return text + fmt::format("<path stroke=\"#888\" d=\"M0 {:.6g}h{:.6g}\"/>\n</g>\n", bars_height,
                              bars_width);
}

std::string description(const Picture& picture) {
    const auto of = [](const Panel& panel) {
        return fmt::format("{}: hop-bytes {:.6g}, port cost {:.6g}", panel.title,
                           panel.figures.hop_bytes, panel.figures.port_cost);
    };
    return fmt::format(
        "Two communication matrices, ranks sorted by the PU they are on. {}; {}. "
        "Below the loads of the links of the most loaded level.",
        of(picture.before), of(picture.after));
}

std::string head(const Picture& picture, const std::string& name, std::size_t ranks_per_cell) {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
               "viewBox=\"0 0 {0:.6g} {1:.6g}\" width=\"{0:.6g}\" height=\"{1:.6g}\" "
               "font-family=\"sans-serif\" font-size=\"14\" fill=\"#222\">\n",
               width, height) +
           element("title", name) + element("desc", description(picture)) +
           fmt::format("<rect width=\"{:.6g}\" height=\"{:.6g}\" fill=\"#fff\"/>\n", width,
                       height) +
           text_at(margin, 26, name, " font-size=\"18\" font-weight=\"bold\"") +
           text_at(margin, 48,
                   fmt::format("{} on {}, sorted by PU; the side of a cell is {}; the darker, the "
                               "more bytes (logarithmic)",
                               counted(picture.graph.num_vertices(), "rank"),
                               counted(picture.machine.num_pus(), "PU"),
                               counted(ranks_per_cell, "rank")));
}

std::string svg_of(const Picture& picture, const std::string& name, std::size_t ranks_per_cell) {
    const MatrixCells before = matrix_cells(picture.graph, picture.before.order, ranks_per_cell);
    const MatrixCells after = matrix_cells(picture.graph, picture.after.order, ranks_per_cell);
    ShadeScale scale;
    scale.include(before);
    scale.include(after);
    return head(picture, name, ranks_per_cell) +
           panel_svg(picture, picture.before, before, scale, ranks_per_cell) +
           panel_svg(picture, picture.after, after, scale, ranks_per_cell) + strip_svg(picture) +
           "</svg>\n";
}

}  // namespace

std::string placement_svg(std::string_view name, const WeightedGraph& graph,
                          const MachineTree& machine, std::span<const GroupId> before,
                          std::span<const GroupId> after) {
    const Picture picture{graph,
                          machine,
                          {"ranks in order", &greys, before, RankOrder(machine, before),
                           figures_of(graph, machine, before)},
                          {"chosen placement", &blues, after, RankOrder(machine, after),
                           figures_of(graph, machine, after)},
                          most_loaded_level(graph, machine, before, after)};
    const std::string title = one_line(name, longest_name);
    const std::size_t num_ranks = graph.num_vertices();
    std::size_t ranks_per_cell =
        std::max<std::size_t>(1, (num_ranks + max_picture_cells - 1) / max_picture_cells);
    std::string text = svg_of(picture, title, ranks_per_cell);
    while (text.size() > max_picture_bytes && ranks_per_cell < num_ranks) {
        ranks_per_cell *= 2;
        text = svg_of(picture, title, ranks_per_cell);
    }
    return text;
}

}  // namespace commmap::cli
