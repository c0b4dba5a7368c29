#include "core/simulate/jitter.h"

#include <random>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace gantry {

namespace {

// A random number in ±most; distributions of the standard library differ between implementations.
double upTo(double max, std::mt19937_64& random) {
    constexpr double kPerStep = 0x1p-53;
    return max * (2 * kPerStep * static_cast<double>(random() >> 11) - 1);
}

}  // namespace

ScanGeometry jittered(const ScanGeometry& geometry, double mm, double deg, std::uint64_t seed) {
    if (geometry.isParallel())
        throw InputError("Views of a parallel beam cannot be moved one by one; take a cone beam.");
    std::mt19937_64 random(seed);
    const auto moved = [&](Vec3 a) {
        const double x = upTo(mm, random);
        const double y = upTo(mm, random);
        const double z = upTo(mm, random);
        return a + Vec3{x, y, z};
    };
    std::vector<ViewPose> poses;
    poses.reserve(geometry.views());
    for (Index s = 0; s < geometry.views(); ++s) {
        ViewPose pose = viewPose(geometry, s);
        pose.sourceMm = moved(pose.sourceMm);
        pose.detectorCenterMm = moved(pose.detectorCenterMm);
        Detector turned;
        turned.rollDeg = upTo(deg, random);
        turned.tiltDeg = upTo(deg, random);
        turned.slantDeg = upTo(deg, random);
        poses.push_back(corrected(pose, turned));
    }
    return geometryOfPoses(std::move(poses), geometry.detector.columns, geometry.detector.rows);
}

}  // namespace gantry
