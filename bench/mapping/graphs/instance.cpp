// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/instance.hpp"

#include <algorithm>
#include <array>

#include "graphs/adaptive_mesh.hpp"
#include "graphs/collective_patterns.hpp"
#include "graphs/geometric_graph.hpp"
#include "graphs/power_law.hpp"
#include "graphs/stencil.hpp"
#include "input_error.hpp"

namespace commmap::bench {
namespace {

template <const char* kind>
std::vector<Edge> named_stencil_edges(const InstanceOptions& options) {
    return stencil_edges(make_stencil(kind, options.ranks, options.weight).value());
}

constexpr char stencil2d5[] = "stencil2d5";
constexpr char stencil3d7[] = "stencil3d7";
constexpr char stencil3d27[] = "stencil3d27";
constexpr char stencil4d9[] = "stencil4d9";
constexpr char torus2d5[] = "torus2d5";
constexpr char torus3d7[] = "torus3d7";

constexpr std::array kinds{
    InstanceKind{stencil2d5, "2D grid, 4 neighbours", named_stencil_edges<stencil2d5>},
    InstanceKind{stencil3d7, "3D grid, 6 neighbours", named_stencil_edges<stencil3d7>},
    InstanceKind{stencil3d27, "3D grid, 26 neighbours: faces, edges and corners 1024:32:1",
                 named_stencil_edges<stencil3d27>},
    InstanceKind{stencil4d9, "4D grid, 8 neighbours", named_stencil_edges<stencil4d9>},
    InstanceKind{torus2d5, "2D grid with wrap-around", named_stencil_edges<torus2d5>},
    InstanceKind{torus3d7, "3D grid with wrap-around", named_stencil_edges<torus3d7>},
    InstanceKind{"cg", "NPB CG: sums along rows, transposed partner", cg_edges},
    InstanceKind{"pencils", "transposes of an FFT, at most 64 partners", pencils_edges},
    InstanceKind{"butterfly", "hypercube, weights halve from bit to bit", butterfly_edges},
    InstanceKind{"hypercube", "hypercube, equal weights", hypercube_edges},
    InstanceKind{"rgg2d", "random geometric, square, degree 8", rgg2d_edges},
    InstanceKind{"rgg3d", "random geometric, cube, degree 12", rgg3d_edges},
    InstanceKind{"delaunay", "triangulated lattice, random diagonals", delaunay_edges},
    InstanceKind{"amr", "quadtree refined around a circle", adaptive_mesh_edges},
    InstanceKind{"powerlaw", "R-MAT, mean degree about 8", power_law_edges},
    InstanceKind{"alltoall", "complete, up to 2048 ranks", alltoall_edges},
    InstanceKind{"isolated", "half of the ranks a stencil2d5, the others silent", isolated_edges}};

}  // namespace

const InstanceKind& find_instance_kind(const std::string& name) {
    const auto* const found = std::find_if(
        kinds.begin(), kinds.end(), [&](const InstanceKind& kind) { return kind.name == name; });
    if (found != kinds.end()) return *found;
    std::string names;
    for (const InstanceKind& kind : kinds) names += " " + std::string(kind.name);
    throw InputError("no kind '" + name + "', there are:" + names);
}

std::string instance_kinds_help() {
    std::string text = "Kinds:\n";
    for (const InstanceKind& kind : kinds)
        text += "  " + std::string(kind.name) + ": " + std::string(kind.summary) + "\n";
    return text;
}

}  // namespace commmap::bench
