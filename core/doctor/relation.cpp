#include "core/doctor/relation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

namespace {

using Matrix3 = std::array<Vec3, 3>;  // rows

Vec3 operator*(const Matrix3& m, Vec3 a) {
    return {dot(m[0], a), dot(m[1], a), dot(m[2], a)};
}

// A rigid motion of the world.
struct Motion {
    Matrix3 turn;
    Vec3 shiftMm;

    [[nodiscard]] Vec3 operator()(Vec3 a) const { return turn * a + shiftMm; }
};

// Unit vectors along u and v, and across both.
Matrix3 axesOf(const ViewPose& pose) {
    const Vec3 u = (1 / length(pose.uStepMm)) * pose.uStepMm;
    const Vec3 v = (1 / length(pose.vStepMm)) * pose.vStepMm;
    return {u, v, cross(u, v)};
}

// The motion from one view's source and detector to another's.
Motion between(const ViewPose& from, const ViewPose& to) {
    const Matrix3 a = axesOf(from);
    const Matrix3 b = axesOf(to);
    // Σ b_i·a_iᵀ
    const auto row = [&](double Vec3::*axis) {
        return b[0].*axis * a[0] + b[1].*axis * a[1] + b[2].*axis * a[2];
    };
    Motion motion = {{row(&Vec3::x), row(&Vec3::y), row(&Vec3::z)}, {}};
    motion.shiftMm = to.sourceMm - motion.turn * from.sourceMm;
    return motion;
}

// Points well within the field of view, none of which is another's mirror image.
std::vector<Vec3> placesIn(const ScanGeometry& geometry) {
    const FieldOfView field = fieldOfView(geometry);
    const double r = 0.7 * field.radiusMm;
    const double middle = (field.zMinMm + field.zMaxMm) / 2;
    const double h = 0.35 * (field.zMaxMm - field.zMinMm);
    const auto [x, y] = field.centerMm;
    return {{x, y, middle},         {x + r, y, middle + h}, {x, y + r, middle - h},
            {x - r, y, middle - h}, {x, y - r, middle + h}, {x + 0.5 * r, y + 0.3 * r, middle}};
}

bool seesTheSame(const ScanGeometry& from, const ScanGeometry& to, const Motion& motion, Index view,
                 const std::vector<Vec3>& places, double tolerancePx) {
    const ProjectionMatrix a = projectionMatrix(viewPose(from, view), from.detector);
    const ProjectionMatrix b = projectionMatrix(viewPose(to, view), to.detector);
    return std::all_of(places.begin(), places.end(), [&](Vec3 place) {
        const Vec3 there = motion(place);
        const ProjectionMatrix::Point p = a.project(place.x, place.y, place.z);
        const ProjectionMatrix::Point q = b.project(there.x, there.y, there.z);
        return p.z > 0 && q.z > 0 && std::abs(p.u - q.u) < tolerancePx &&
               std::abs(p.v - q.v) < tolerancePx;
    });
}

void mirror(Matrix3& m, const ReadGeometry& from, const ReadGeometry& to) {
    if (to.isMirroredX) m[0] = -1 * m[0];
    if (to.isUpsideDown) m[2] = -1 * m[2];
    for (Vec3& row : m) {
        if (from.isMirroredX) row.x = -row.x;
        if (from.isUpsideDown) row.z = -row.z;
    }
}

}  // namespace

std::optional<Relation> relationBetween(const ReadGeometry& from, const ReadGeometry& to,
                                        double tolerancePx) {
    constexpr Index kViews = 16;
    const ScanGeometry& a = from.geometry;
    const ScanGeometry& b = to.geometry;
    const Index views = a.views();
    if (views < 1 || b.views() != views) return std::nullopt;
    const Motion motion = between(viewPose(a, 0), viewPose(b, 0));
    const std::vector<Vec3> places = placesIn(a);
    for (Index i = 0; i < kViews; ++i) {
        // The middle comes early: it differs most from the first.
        const Index view = (i * 7 % kViews) * (views - 1) / (kViews - 1);
        if (!seesTheSame(a, b, motion, view, places, tolerancePx)) return std::nullopt;
    }
    Relation relation;
    relation.rows = motion.turn;
    mirror(relation.rows, from, to);
    const Matrix3& m = relation.rows;
    relation.isMirrored = dot(cross(m[0], m[1]), m[2]) < 0;
    relation.isUpsideDown = m[2].z < 0;
    relation.turnDeg = degrees(std::atan2(m[1].x, m[0].x));
    return relation;
}

}  // namespace gantry
