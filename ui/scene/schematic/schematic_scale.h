#pragma once

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A scanner as it is drawn. To scale wherever all of it can then be seen; else heights are
/// stretched (a detector of two rows would be a line) and long distances shortened (beside a source
/// 100 m away the rest would be a point). Depends on distances and on the detector's size only, not
/// on what is dragged.
/// Tests: tests/ui/scene/schematic_scale_test.cpp
struct SchematicScale {
    double sourceToIsocenterMm = 0;    ///< as drawn
    double isocenterToDetectorMm = 0;  ///< as drawn
    double detector = 1;               ///< drawn over true, for lengths on the detector
    double heights = 1;                ///< the same for all heights, on top of it
    bool isShortened = false;          ///< the distances are

    [[nodiscard]] bool isToScale() const { return !isShortened && heights == 1; }
    /// Drawn mm a true mm along the detector's u (0) and v (1).
    [[nodiscard]] double onDetector(int axis) const {
        return axis == 0 ? detector : detector * heights;
    }
    friend bool operator==(const SchematicScale&, const SchematicScale&) = default;
};

/// Of the source from the axis and from the detector: the circle's, or the poses' mean ones. Of a
/// parallel beam, which has none, those that it is drawn with.
struct SourceDistances {
    double toIsocenterMm = 0;
    double toDetectorMm = 0;
};
[[nodiscard]] SourceDistances sourceDistances(const ScanGeometry& geometry);

/// Where source and detector of a view are drawn: parallel rays from that far before the axis, in
/// the middle of where they begin, to that far behind it.
[[nodiscard]] ViewPose drawnPose(const ScanGeometry& geometry, Index view);
[[nodiscard]] ViewPose drawnPoseAt(const ScanGeometry& geometry, double angleDeg);

[[nodiscard]] SchematicScale schematicScale(const ScanGeometry& geometry);

[[nodiscard]] ScanGeometry drawn(const ScanGeometry& geometry, const SchematicScale& scale);
[[nodiscard]] VolumeGrid drawn(const VolumeGrid& grid, const SchematicScale& scale);
/// The true grid of a drawn one.
[[nodiscard]] VolumeGrid undrawn(const VolumeGrid& grid, const SchematicScale& scale);

}  // namespace gantry
