#include "core/calibrate/balls/ball_model.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "core/base/median.h"
#include "core/calibrate/balls/find_balls.h"

namespace gantry {

ViewOptics opticsOf(const ViewPose& pose, const Detector& detector) {
    const double pitchU = length(pose.uStepMm);
    const double pitchV = length(pose.vStepMm);
    const Vec3 fromCenter = pose.sourceMm - pose.detectorCenterMm;
    const Vec3 normal = (1 / (pitchU * pitchV)) * cross(pose.uStepMm, pose.vStepMm);
    return {projectionMatrix(pose, detector),
            {dot(fromCenter, pose.uStepMm) / (pitchU * pitchU) +
                 static_cast<double>(detector.columns - 1) / 2,
             dot(fromCenter, pose.vStepMm) / (pitchV * pitchV) +
                 static_cast<double>(detector.rows - 1) / 2},
            std::abs(dot(fromCenter, normal))};
}

std::vector<ViewOptics> opticsOf(const ScanGeometry& geometry) {
    std::vector<ViewOptics> optics;
    optics.reserve(geometry.views());
    for (Index s = 0; s < geometry.views(); ++s)
        optics.push_back(opticsOf(viewPose(geometry, s), geometry.detector));
    return optics;
}

SeenAt seenAt(const ViewOptics& optics, Vec3 centerMm, double radiusMm) {
    const auto [u, v, z] = optics.matrix.project(centerMm.x, centerMm.y, centerMm.z);
    const double shift = centroidShift(radiusMm / z);
    return {u + shift * (u - optics.foot[0]), v + shift * (v - optics.foot[1]), z};
}

// The shift is a small part of the place, and its own change a small part of that.
std::array<std::array<double, 3>, 2> seenMoves(const ViewOptics& optics, const SeenAt& seen) {
    const auto& m = optics.matrix.m;
    std::array<std::array<double, 3>, 2> moves{};
    for (std::size_t i = 0; i < 3; ++i) {
        moves[0][i] = (m[0][i] - seen.u * m[2][i]) / seen.depthMm;
        moves[1][i] = (m[1][i] - seen.v * m[2][i]) / seen.depthMm;
    }
    return moves;
}

Balls triangulated(const std::vector<ViewOptics>& optics, std::span<const Sighting> sightings,
                   std::size_t count) {
    std::vector<Eigen::Matrix3d> normals(count, Eigen::Matrix3d::Zero());
    std::vector<Eigen::Vector3d> rights(count, Eigen::Vector3d::Zero());
    for (const Sighting& seen : sightings) {
        const auto& m = optics[seen.view].matrix.m;
        for (const auto& [place, row] : {std::pair{seen.u, 0U}, std::pair{seen.v, 1U}}) {
            using Row = Eigen::Map<const Eigen::Vector4d>;
            const Eigen::Vector4d equation = Row(m[row].data()) - place * Row(m[2].data());
            const Eigen::Vector3d direction = equation.head<3>();
            normals[seen.ball] += direction * direction.transpose();
            rights[seen.ball] -= equation[3] * direction;
        }
    }
    Balls balls{std::vector<Vec3>(count), std::vector<double>(count)};
    for (std::size_t b = 0; b < count; ++b) {
        const Eigen::Vector3d center = normals[b].ldlt().solve(rights[b]);
        balls.centersMm[b] = {center[0], center[1], center[2]};
    }
    measureRadii(optics, sightings, balls);
    return balls;
}

void measureRadii(const std::vector<ViewOptics>& optics, std::span<const Sighting> sightings,
                  Balls& balls) {
    std::vector<std::vector<double>> radii(balls.centersMm.size());
    for (const Sighting& seen : sightings) {
        const ViewOptics& view = optics[seen.view];
        const Vec3 c = balls.centersMm[seen.ball];
        const double depth = view.matrix.project(c.x, c.y, c.z).z;
        radii[seen.ball].push_back(seen.radiusMm * depth / view.distanceMm);
    }
    for (std::size_t b = 0; b < radii.size(); ++b) {
        if (!radii[b].empty()) balls.radiiMm[b] = medianOf(std::move(radii[b]));
    }
}

}  // namespace gantry
