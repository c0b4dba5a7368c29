#include "ui/scene/schematic/schematic_scale.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

// Distances up to so many half diagonals of the detector are drawn to scale; longer ones are
// shortened.
constexpr double kFarthest = 15;
// Min height of a detector, relative to the longer distance; if it has few rows, each must be
// visible.
constexpr double kMinHeight = 0.03;
constexpr double kMinHeightOfRows = 0.14;
constexpr Index kFewRows = 16;

// A parallel beam's detector is drawn so many of its widths behind the axis.
constexpr double kWidthsBehind = 1.2;

ViewPose apart(ViewPose pose, const ScanGeometry& geometry) {
    if (!pose.isParallel) return pose;
    const Vec3 way = sourceDistances(geometry).toIsocenterMm * pose.sourceMm;
    pose.sourceMm = pose.detectorCenterMm + way;
    pose.detectorCenterMm = pose.detectorCenterMm - way;
    return pose;
}

}  // namespace

ViewPose drawnPose(const ScanGeometry& geometry, Index view) {
    return apart(viewPose(geometry, view), geometry);
}

ViewPose drawnPoseAt(const ScanGeometry& geometry, double angleDeg) {
    return apart(viewPoseAt(geometry, angleDeg), geometry);
}

SourceDistances sourceDistances(const ScanGeometry& geometry) {
    if (geometry.isParallel()) {
        const Detector& detector = geometry.detector;
        const double width = static_cast<double>(detector.columns) * detector.pitchMm[0];
        return {kWidthsBehind * width, 2 * kWidthsBehind * width};
    }
    if (const CalibratedPoses* poses = geometry.poses()) {
        const PoseParameters& mean = poses->meanCircle().mean;
        return {mean.sourceToAxisMm, mean.sourceToDetectorMm};
    }
    return {geometry.cone().sourceToIsocenterMm, geometry.cone().sourceToDetectorMm};
}

SchematicScale schematicScale(const ScanGeometry& geometry) {
    if (geometry.poses()) {
        // They are drawn to scale, because each has its own position.
        const SourceDistances mean = sourceDistances(geometry);
        SchematicScale whole;
        whole.sourceToIsocenterMm = mean.toIsocenterMm;
        whole.isocenterToDetectorMm = mean.toDetectorMm - mean.toIsocenterMm;
        return whole;
    }
    const SourceDistances source = sourceDistances(geometry);
    const Detector& detector = geometry.detector;
    const double width = static_cast<double>(detector.columns) * detector.pitchMm[0];
    const double height = static_cast<double>(detector.rows) * detector.pitchMm[1];
    const double farthest = kFarthest * std::hypot(width, height) / 2;
    const double behind = source.toDetectorMm - source.toIsocenterMm;
    SchematicScale scale;
    scale.sourceToIsocenterMm = source.toIsocenterMm;
    scale.isocenterToDetectorMm = behind;
    if (!(farthest > 0) || !(behind > 0)) return scale;
    scale.sourceToIsocenterMm = std::min(source.toIsocenterMm, farthest);
    scale.isocenterToDetectorMm = std::min(behind, farthest);
    scale.isShortened =
        scale.sourceToIsocenterMm != source.toIsocenterMm || scale.isocenterToDetectorMm != behind;
    // The drawn beam passes the volume as the real one does.
    if (scale.isShortened)
        scale.detector = (1 + scale.isocenterToDetectorMm / scale.sourceToIsocenterMm) /
                         geometry.magnification();
    const double share = detector.rows <= kFewRows ? kMinHeightOfRows : kMinHeight;
    const double min =
        std::min(share * std::max(scale.sourceToIsocenterMm, scale.isocenterToDetectorMm),
                 scale.detector * width);
    scale.heights = std::max(1.0, min / (scale.detector * height));
    return scale;
}

ScanGeometry drawn(const ScanGeometry& geometry, const SchematicScale& scale) {
    if (geometry.poses()) return geometry;
    ScanGeometry result = geometry;
    for (const int axis : {0, 1}) {
        const auto at = static_cast<std::size_t>(axis);
        result.detector.pitchMm[at] *= scale.onDetector(axis);
        result.detector.offsetMm[at] *= scale.onDetector(axis);
    }
    if (!result.isCone()) return result;
    CircularCone& cone = result.cone();
    cone.sourceToIsocenterMm = scale.sourceToIsocenterMm;
    cone.sourceToDetectorMm = scale.sourceToIsocenterMm + scale.isocenterToDetectorMm;
    cone.sourceOffsetMm[1] *= scale.heights;
    return result;
}

VolumeGrid drawn(const VolumeGrid& grid, const SchematicScale& scale) {
    VolumeGrid result = grid;
    result.pitchMm[2] *= scale.heights;
    result.centerMm[2] *= scale.heights;
    return result;
}

VolumeGrid undrawn(const VolumeGrid& grid, const SchematicScale& scale) {
    VolumeGrid result = grid;
    result.pitchMm[2] /= scale.heights;
    result.centerMm[2] /= scale.heights;
    return result;
}

}  // namespace gantry
