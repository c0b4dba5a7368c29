#pragma once

#include <algorithm>
#include <cmath>

#include "core/phantom/phantom.h"

namespace gantry {

/// Coordinates in which a shape is the unit sphere, or the unit cylinder x² + y² ≤ 1, |z| ≤ 1.
/// The map is affine, so the parameter t of a ray from + t·(to − from) is the same in both.
class UnitSpace {
  public:
    explicit UnitSpace(const PhantomShape& shape);

    [[nodiscard]] Vec3 direction(Vec3 mm) const {
        return {dot(m_rows[0], mm), dot(m_rows[1], mm), dot(m_rows[2], mm)};
    }
    [[nodiscard]] Vec3 point(Vec3 mm) const { return direction(mm - m_center); }

  private:
    std::array<Vec3, 3> m_rows;
    Vec3 m_center;
};

/// Where a ray is inside a shape: t0 ≤ t ≤ t1; outside everywhere when t0 > t1.
struct RayInterval {
    double t0;
    double t1;
};

/// The ray s + t·d, d not zero, through the unit sphere. Free of branches, so that loops over it
/// become SIMD code; the discriminant |d|² − |s×d|² keeps its digits however far away s is.
[[nodiscard]] inline RayInterval throughUnitSphere(Vec3 s, Vec3 d) {
    const double a = dot(d, d);
    const Vec3 n = cross(s, d);
    const double discriminant = a - dot(n, n);
    const double scale = 1 / a;
    const double middle = -dot(s, d) * scale;
    const double half = std::sqrt(std::max(discriminant, 0.0)) * scale;
    const bool hit = discriminant >= 0;
    return {hit ? middle - half : 1, hit ? middle + half : 0};
}

/// The ray s + t·d, d not zero, through the unit cylinder x² + y² ≤ 1, |z| ≤ 1. Free of branches.
[[nodiscard]] inline RayInterval throughUnitCylinder(Vec3 s, Vec3 d) {
    constexpr double kTiny = 1e-200;
    constexpr double kAlways = 1e200;
    const double a = d.x * d.x + d.y * d.y;
    const double n = s.x * d.y - s.y * d.x;
    const double discriminant = a - n * n;
    // A ray along the axis is inside the wall for every t or for none.
    const bool along = a < kTiny;
    const double depth = along ? 1 - s.x * s.x - s.y * s.y : discriminant;
    const double scale = 1 / std::max(a, kTiny);
    const double middle = -(s.x * d.x + s.y * d.y) * scale;
    const double half = along ? kAlways : std::sqrt(std::max(discriminant, 0.0)) * scale;
    const double wall0 = middle - half;
    const double wall1 = middle + half;
    // A ray parallel to the end faces is between them for every t or for none.
    const bool level = std::abs(d.z) < kTiny;
    const double height = level ? 1 - std::abs(s.z) : 1;
    const double perStep = 1 / (level ? 1 : d.z);
    const double bottom = level ? -kAlways : (-1 - s.z) * perStep;
    const double top = level ? kAlways : (1 - s.z) * perStep;
    const double t0 = std::max(wall0, std::min(bottom, top));
    const double t1 = std::min(wall1, std::max(bottom, top));
    const bool inside = std::min(depth, height) >= 0;
    return {inside ? t0 : 1, inside ? t1 : 0};
}

/// Whether the point lies in the shape or on its surface.
[[nodiscard]] bool contains(const PhantomShape& shape, Vec3 pointMm);

/// Half the sides of the shape's bounding box along world x, y, z.
[[nodiscard]] Vec3 halfExtentMm(const PhantomShape& shape);

}  // namespace gantry
