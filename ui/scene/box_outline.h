#pragma once

#include <array>

#include "core/geometry/volume_grid.h"

namespace gantry {

/// An edge of a volume's box. In front: it belongs to a face that is seen from outside.
struct BoxEdge {
    Vec3 fromMm;
    Vec3 toMm;
    bool isFront = false;
};

/// Outer corners; bit a of the index set: at the upper end of axis a.
/// Tests: tests/ui/scene/box_outline_test.cpp
[[nodiscard]] std::array<Vec3, 8> boxCorners(const VolumeGrid& grid);
[[nodiscard]] std::array<BoxEdge, 12> boxEdges(const VolumeGrid& grid, Vec3 eyeMm);

}  // namespace gantry
