#include "core/geometry/views/projection_matrix.h"

namespace gantry {

ProjectionMatrix::Point ProjectionMatrix::project(double x, double y, double z) const {
    const auto row = [&](int i) { return m[i][0] * x + m[i][1] * y + m[i][2] * z + m[i][3]; };
    const double depth = row(2);
    return {row(0) / depth, row(1) / depth, depth};
}

namespace {

// In a parallel beam, the pixel coordinate of a point X along u is the component of X − centre
// along u, divided by the pitch, plus the coordinate of the detector's centre; so it is along v.
ProjectionMatrix parallelMatrix(const ViewPose& pose, const Detector& detector) {
    const auto pixelRow = [&](Vec3 step, Index pixels) -> std::array<double, 4> {
        const Vec3 row = (1 / dot(step, step)) * step;
        return {row.x, row.y, row.z,
                (static_cast<double>(pixels) - 1) / 2 - dot(pose.detectorCenterMm, row)};
    };
    ProjectionMatrix matrix;
    matrix.m = {pixelRow(pose.uStepMm, detector.columns),
                pixelRow(pose.vStepMm, detector.rows),
                {0, 0, 0, 1}};
    return matrix;
}

}  // namespace

ProjectionMatrix projectionMatrix(const ViewPose& pose, const Detector& detector) {
    if (pose.isParallel) return parallelMatrix(pose, detector);
    // With r = X − source and the detector's unit normal n, the depth of a point X is r·n, and that
    // of the detector is d = (centre − source)·n. The ray through X meets the detector's plane in
    // source + r·d/(r·n). The pixel coordinate of that point along u is its component relative to
    // the detector's centre, divided by the pitch, plus the coordinate of the centre.
    const Vec3 uAxis = (1 / length(pose.uStepMm)) * pose.uStepMm;
    const Vec3 vAxis = (1 / length(pose.vStepMm)) * pose.vStepMm;
    Vec3 normal = cross(vAxis, uAxis);
    const Vec3 toCenter = pose.detectorCenterMm - pose.sourceMm;
    if (dot(normal, toCenter) < 0) normal = -1 * normal;
    const double detectorDepth = dot(toCenter, normal);

    const auto pixelRow = [&](Vec3 axis, double pitch, Index pixels) {
        const double center = (static_cast<double>(pixels) - 1) / 2 - dot(toCenter, axis) / pitch;
        return (detectorDepth / pitch) * axis + center * normal;
    };
    const Vec3 rows[3] = {pixelRow(uAxis, length(pose.uStepMm), detector.columns),
                          pixelRow(vAxis, length(pose.vStepMm), detector.rows), normal};
    ProjectionMatrix matrix;
    for (std::size_t i = 0; i < 3; ++i)
        matrix.m[i] = {rows[i].x, rows[i].y, rows[i].z, -dot(rows[i], pose.sourceMm)};
    return matrix;
}

std::vector<ProjectionMatrix> projectionMatrices(const ScanGeometry& geometry) {
    std::vector<ProjectionMatrix> matrices;
    matrices.reserve(geometry.views());
    for (Index s = 0; s < geometry.views(); ++s)
        matrices.push_back(projectionMatrix(viewPose(geometry, s), geometry.detector));
    return matrices;
}

ProjectionMatrix onVoxelIndices(const ProjectionMatrix& matrix, const VolumeGrid& grid) {
    const Vec3 origin = grid.originMm();
    ProjectionMatrix result;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& row = matrix.m[i];
        result.m[i] = {row[0] * grid.pitchMm[0], row[1] * grid.pitchMm[1], row[2] * grid.pitchMm[2],
                       row[0] * origin.x + row[1] * origin.y + row[2] * origin.z + row[3]};
    }
    return result;
}

}  // namespace gantry
