// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "common/process_grid.hpp"

namespace commmap::bench {

/// Options of a program whose ranks form a grid.
struct GridOptions {
    std::string shape;           ///< of --grid; empty: as MPI_Dims_create
    std::uint64_t scramble = 0;  ///< of --scramble

    /// @param example  a shape, for the help: "4x4"
    void add_to(CLI::App& app, const std::string& example) {
        app.add_option("--grid", shape,
                       "extents, e.g. " + example + " (default: as MPI_Dims_create)");
        add_scramble_to(app);
    }
    void add_scramble_to(CLI::App& app) {
        app.add_option(
               "--scramble", scramble,
               "put the ranks into the grid in random order with this seed; 0: in rank order")
            ->capture_default_str();
    }
    /// Throws UsageError as ProcessGrid does.
    [[nodiscard]] ProcessGrid grid(int ranks, int dimensions) const {
        return {ranks, dimensions, shape, scramble};
    }
};

}  // namespace commmap::bench
