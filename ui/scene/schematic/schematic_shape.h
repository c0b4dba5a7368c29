#pragma once

#include <QString>
#include <array>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/schematic/coloured_mesh.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

/// A scanner as lines, faces and words: what SchematicView draws.
struct SchematicShape {
    struct Label {
        Vec3 atMm;
        QString text;
        QColor colour;
    };

    ColouredMesh fine;    ///< lines of one pixel
    ColouredMesh strong;  ///< lines of two pixels
    ColouredMesh solids;
    ColouredMesh faces;  ///< translucent
    std::vector<Label> labels;
};

/// The shape for a geometry and grid without errors. It has under 2000 points, whatever the scan's
/// size.
/// Tests: tests/ui/scene/schematic_shape_test.cpp
[[nodiscard]] SchematicShape schematicShape(const ScanGeometry& geometry, const VolumeGrid& grid,
                                            Index view, const Theme& theme);

/// Radius of a sphere about the isocentre that contains source, detector and volume.
[[nodiscard]] double schematicRadiusMm(const ScanGeometry& geometry, const VolumeGrid& grid);

/// How far up and down the rotation axis is drawn.
[[nodiscard]] double axisReachMm(const ScanGeometry& geometry);

/// Outer corners of the detector: lower left, lower right, upper right, upper left, seen from the
/// source.
[[nodiscard]] std::array<Vec3, 4> detectorCorners(const ScanGeometry& geometry, Index view);

/// The largest of 1, 2, 5, 10, 20, … that is not above `length`.
[[nodiscard]] double roundLength(double length);

}  // namespace gantry
