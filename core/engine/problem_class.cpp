#include "core/engine/problem_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/geometry/views/mirror.h"

namespace gantry {

namespace {

double octaveOf(Index count) {
    return count > 0 ? std::round(std::log2(static_cast<double>(count))) : 0;
}

double twentieths(double pixels) {
    return std::round(20 * pixels) / 20;
}

// How far a voxel's width and height reach on the detector at the isocentre, and the ratio of that
// where the volume comes nearest to the source, unless it reaches the source.
struct DetectorStep {
    double columns;
    double rows;
    double timesNearest;
};

DetectorStep stepOnDetector(const DeviceJob& job) {
    const ProjectionMatrix& matrix = job.acquisition->geometry.matrices.front();
    const ProjectionMatrix::Point at = matrix.project(0, 0, 0);
    // The derivative of (row i · X) / (row 2 · X), pixels a mm.
    const auto slope = [&](std::size_t i, double pixel, std::size_t axis) {
        return (matrix.m[i][axis] - pixel * matrix.m[2][axis]) / at.z;
    };
    const auto reachMm = [&](std::size_t axis) {
        return std::abs(job.volume.centerMm[axis]) +
               job.volume.pitchMm[axis] * static_cast<double>(job.volume.voxels[axis]) / 2;
    };
    const double nearer =
        std::hypot(reachMm(0), reachMm(1)) * std::hypot(matrix.m[2][0], matrix.m[2][1]) / at.z;
    return {job.volume.pitchMm[0] * std::hypot(slope(0, at.u, 0), slope(0, at.u, 1)),
            job.volume.pitchMm[2] * slope(1, at.v, 2), nearer < 1 ? 1 / (1 - nearer) : 0};
}

}  // namespace

bool isSymmetric(const DeviceJob& job) {
    return mirroredSlices(job.acquisition->geometry, job.volume) == job.volume.voxels[2] - 1;
}

std::string problemClass(const DeviceJob& job, bool fast) {
    const AlignedViews& geometry = job.acquisition->geometry;
    const DetectorStep step = stepOnDetector(job);
    constexpr Index kMaxViews = 32;  // views that a kernel takes at once
    const std::string wish = job.kernel.empty() ? (fast ? "fast" : "exact") : job.kernel;
    const auto& voxels = job.volume.voxels;
    return fmt::format(
        "volume 2^({},{},{}) detector 2^({},{}) batch {} step {:.2f}x{:.2f} near {:.2f} "
        "{} {}",
        octaveOf(voxels[0]), octaveOf(voxels[1]),
        octaveOf(job.maxSlices > 0 ? job.maxSlices : voxels[2]),
        octaveOf(geometry.detector.columns),
        octaveOf(job.maxRows > 0 ? job.maxRows : geometry.detector.rows),
        std::min<Index>(job.batchViews, kMaxViews), twentieths(step.columns), twentieths(step.rows),
        twentieths(step.timesNearest),
        !geometry.areAligned() ? "posed"
        : isSymmetric(job)     ? "symmetric"
                               : "one-sided",
        wish);
}

}  // namespace gantry
