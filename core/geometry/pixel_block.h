#pragma once

#include <array>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A rectangle of a detector whose pixels are averaged, binning[0] × binning[1] at a time; along u,
/// then v.
struct PixelBlock {
    std::array<Index, 2> first = {0, 0};  ///< column and row of the detector
    std::array<Index, 2> count = {0, 0};  ///< of averaged pixels
    std::array<Index, 2> binning = {1, 1};
};

/// The scan as if its detector had these pixels alone. Each lies where the pixels that it is made
/// from do, also on detectors that are rolled, tilted or slanted, and with calibrated poses.
/// Tests: tests/core/geometry/pixel_block_test.cpp
[[nodiscard]] ScanGeometry onPixels(const ScanGeometry& declared, const PixelBlock& block);

}  // namespace gantry
