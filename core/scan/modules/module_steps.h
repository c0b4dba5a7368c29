#pragma once

#include <array>
#include <vector>

#include "core/geometry/pixel_block.h"
#include "core/scan/modules/module_edges.h"
#include "core/scan/modules/steady_profiles.h"

namespace gantry {

/// The modules of a detector, which lie in rows and columns.
struct ModuleGrid {
    std::vector<Index> columns;  ///< at which a module begins, but for the first; ascending
    std::vector<Index> rows;     ///< the same, row 0 below

    [[nodiscard]] Index across() const { return std::ssize(columns) + 1; }
    [[nodiscard]] Index count() const { return across() * (std::ssize(rows) + 1); }
    friend bool operator==(const ModuleGrid&, const ModuleGrid&) = default;
};

/// How far the modules of a detector are off.
struct ModuleOffsets {
    ModuleGrid grid;
    /// [module row][module column] by how much its line integrals are too large, on the whole 0; 0
    /// for a module that is off by less than 3 standard errors
    std::vector<double> offsets;
    std::vector<double> errors;  ///< [module row][module column] their standard errors

    [[nodiscard]] Index levelled() const;
    [[nodiscard]] double largest() const;  ///< of their sizes
    /// [v][u] of selected pixels of the detector
    [[nodiscard]] std::vector<float> ofPixels(const PixelBlock& block) const;
};

/// Fits one offset a module, by least squares, to the steps at all edges that two modules share.
/// Each is the median of what single bands of lines across it show, and counts by its error.
/// fits: how steps between columns and between rows are fitted
/// Tests: tests/core/scan/module_steps_test.cpp
[[nodiscard]] ModuleOffsets fitModules(const SteadyProfiles& profiles, const ModuleGrid& grid,
                                       const std::array<EdgesFound, 2>& fits);

}  // namespace gantry
