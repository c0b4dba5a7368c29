#pragma once

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// The scale at which a scanner is drawn. It is drawn to scale if all of it can then be seen;
/// otherwise heights are stretched (a detector of two rows would be a line) and long distances
/// shortened (beside a source 100 m away the rest would be a point). Depends only on distances and
/// on the detector's size, not on what is dragged. Tests: tests/ui/scene/schematic_scale_test.cpp
struct SchematicScale {
    double sourceToIsocenterMm = 0;    ///< as drawn
    double isocenterToDetectorMm = 0;  ///< as drawn
    double detector = 1;               ///< drawn over true, for lengths on the detector
    double heights = 1;                ///< the same for all heights, in addition
    bool isShortened = false;          ///< distances are shortened

    [[nodiscard]] bool isToScale() const { return !isShortened && heights == 1; }
    /// Drawn mm for a true mm along the detector's u (0) and v (1).
    [[nodiscard]] double onDetector(int axis) const {
        return axis == 0 ? detector : detector * heights;
    }
    friend bool operator==(const SchematicScale&, const SchematicScale&) = default;
};

/// Distances of the source from the axis and from the detector: the circle's, or the mean of poses.
/// A parallel beam has none, so these are the ones it is drawn with.
struct SourceDistances {
    double toIsocenterMm = 0;
    double toDetectorMm = 0;
};
[[nodiscard]] SourceDistances sourceDistances(const ScanGeometry& geometry);

/// The drawn positions of source and detector in a view: parallel rays reach from that far before
/// the axis, centred, to that far behind it.
[[nodiscard]] ViewPose drawnPose(const ScanGeometry& geometry, Index view);
[[nodiscard]] ViewPose drawnPoseAt(const ScanGeometry& geometry, double angleDeg);

[[nodiscard]] SchematicScale schematicScale(const ScanGeometry& geometry);

[[nodiscard]] ScanGeometry drawn(const ScanGeometry& geometry, const SchematicScale& scale);
[[nodiscard]] VolumeGrid drawn(const VolumeGrid& grid, const SchematicScale& scale);
/// The true grid of a drawn one.
[[nodiscard]] VolumeGrid undrawn(const VolumeGrid& grid, const SchematicScale& scale);

}  // namespace gantry
