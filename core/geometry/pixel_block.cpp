#include "core/geometry/pixel_block.h"

#include <utility>

namespace gantry {

namespace {

// How far the block's middle is from the detector's, in pixels.
std::array<double, 2> shiftOf(const Detector& detector, const PixelBlock& block) {
    const std::array<Index, 2> pixels = {detector.columns, detector.rows};
    std::array<double, 2> shift{};
    for (std::size_t axis = 0; axis < 2; ++axis)
        shift[axis] = static_cast<double>(2 * block.first[axis] +
                                          block.count[axis] * block.binning[axis] - pixels[axis]) /
                      2;
    return shift;
}

Vec3 shiftOf(const ViewPose& pose, const std::array<double, 2>& pixels) {
    return pixels[0] * pose.uStepMm + pixels[1] * pose.vStepMm;
}

// At angle 0 the gantry's axes u, v and n are the world's x, z and y.
void move(CircularCone& cone, Detector& detector, const Vec3& shiftMm) {
    detector.offsetMm[0] += shiftMm.x;
    detector.offsetMm[1] += shiftMm.z;
    cone.sourceToDetectorMm += shiftMm.y;
}

}  // namespace

ScanGeometry onPixels(const ScanGeometry& declared, const PixelBlock& block) {
    ScanGeometry geometry = declared;
    Detector& detector = geometry.detector;
    const std::array<double, 2> shift = shiftOf(detector, block);
    detector.columns = block.count[0];
    detector.rows = block.count[1];
    for (std::size_t axis = 0; axis < 2; ++axis)
        detector.pitchMm[axis] *= static_cast<double>(block.binning[axis]);
    if (const CalibratedPoses* poses = declared.poses()) {
        std::vector<ViewPose> moved = poses->poses();
        for (std::size_t s = 0; s < moved.size(); ++s) {
            ViewPose& pose = moved[s];
            const ViewPose real = viewPose(declared, static_cast<Index>(s));
            pose.detectorCenterMm = pose.detectorCenterMm + shiftOf(real, shift);
            pose.uStepMm = static_cast<double>(block.binning[0]) * pose.uStepMm;
            pose.vStepMm = static_cast<double>(block.binning[1]) * pose.vStepMm;
        }
        geometry.trajectory = CalibratedPoses(std::move(moved));
        return geometry;
    }
    const ViewPose pose = viewPoseAt(declared, 0);
    const Vec3 shiftMm = shiftOf(pose, shift);
    if (geometry.isCone()) {
        move(geometry.cone(), detector, shiftMm);
        return geometry;
    }
    // The offset of a parallel beam's detector is along the gantry's u and along v as tilted.
    detector.offsetMm[0] += shiftMm.x;
    detector.offsetMm[1] += dot(shiftMm, cross(pose.sourceMm, {1, 0, 0}));
    return geometry;
}

}  // namespace gantry
