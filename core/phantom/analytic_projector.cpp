#include "core/phantom/analytic_projector.h"

#include <vector>

#include "core/base/error.h"
#include "core/phantom/shape_math.h"

namespace gantry {
namespace {

using Kind = PhantomShape::Kind;

// The rays of one view in a shape's unit space: source + t·(corner + u·uStep + v·vStep), 0 ≤ t ≤ 1.
struct ShapeRays {
    Kind kind;
    double value;
    Vec3 source;
    Vec3 corner;  ///< from the source to pixel (0, 0)
    Vec3 uStep;
    Vec3 vStep;
};

struct Columns {
    int begin;
    int end;
};

// Columns u at which c0 + c1·u + c2·u² may be positive: none is left out, a few may be too many.
Columns columnsAboveZero(double c0, double c1, double c2, int columns) {
    // Only a shape that reaches level with the source has an unbounded footprint.
    if (c2 >= 0) return {0, columns};
    const double vertex = -c1 / (2 * c2);
    const double square = vertex * vertex - c0 / c2;
    if (!(square >= 0)) return {0, 0};
    const double half = std::sqrt(square);
    const double most = columns;
    return {static_cast<int>(std::clamp(std::floor(vertex - half), 0.0, most)),
            static_cast<int>(std::clamp(std::ceil(vertex + half) + 1, 0.0, most))};
}

// Rays towards first + u·uStep pass the origin nearer than `radius` where
// radius²·|d|² − |source×d|² > 0, which is quadratic in u.
Columns footprintOfSphere(Vec3 source, Vec3 first, Vec3 uStep, double radius, int columns) {
    const Vec3 n0 = cross(source, first);
    const Vec3 n1 = cross(source, uStep);
    const double r2 = radius * radius;
    return columnsAboveZero(r2 * dot(first, first) - dot(n0, n0),
                            2 * (r2 * dot(first, uStep) - dot(n0, n1)),
                            r2 * dot(uStep, uStep) - dot(n1, n1), columns);
}

Columns footprint(const ShapeRays& rays, Vec3 first, int columns) {
    if (rays.kind == Kind::ellipsoid)
        return footprintOfSphere(rays.source, first, rays.uStep, 1, columns);
    // A cylinder lies both in its endless wall, which is a sphere seen along its axis, and in the
    // sphere through its edges.
    const auto flat = [](Vec3 a) { return Vec3{a.x, a.y, 0}; };
    const Columns wall =
        footprintOfSphere(flat(rays.source), flat(first), flat(rays.uStep), 1, columns);
    const Columns around =
        footprintOfSphere(rays.source, first, rays.uStep, std::sqrt(2.0), columns);
    return {std::max(wall.begin, around.begin), std::min(wall.end, around.end)};
}

// Adds value × (share of each ray that lies in the shape) to the row.
template <Kind kind>
void addRow(const ShapeRays& rays, Vec3 first, Columns columns, double* shares) {
    const Vec3 source = rays.source;
    const Vec3 uStep = rays.uStep;
    const double value = rays.value;
    for (int u = columns.begin; u < columns.end; ++u) {
        const Vec3 d = first + static_cast<double>(u) * uStep;
        const RayInterval inside =
            kind == Kind::ellipsoid ? throughUnitSphere(source, d) : throughUnitCylinder(source, d);
        const double share = std::min(inside.t1, 1.0) - std::max(inside.t0, 0.0);
        shares[u] += value * std::max(share, 0.0);
    }
}

}  // namespace

void projectPhantom(const Phantom& phantom, const ViewPose& pose, const Detector& detector,
                    IndexRange rows, std::span<float> out) {
    const int columns = static_cast<int>(detector.columns);
    require(rows.begin >= 0 && rows.end <= detector.rows, "projected rows outside the detector");
    require(static_cast<Index>(out.size()) == rows.size() * detector.columns,
            "the array for projected rows has the wrong size");
    const Vec3 corner =
        pose.detectorCenterMm - ((static_cast<double>(detector.columns) - 1) / 2) * pose.uStepMm -
        ((static_cast<double>(detector.rows) - 1) / 2) * pose.vStepMm - pose.sourceMm;
    std::vector<ShapeRays> shapes;
    for (const PhantomShape& shape : phantom.shapes) {
        const UnitSpace unit(shape);
        shapes.push_back({shape.kind, shape.value, unit.point(pose.sourceMm),
                          unit.direction(corner), unit.direction(pose.uStepMm),
                          unit.direction(pose.vStepMm)});
    }

    std::vector<double> shares(static_cast<std::size_t>(columns));
    for (Index v = rows.begin; v < rows.end; ++v) {
        std::fill(shares.begin(), shares.end(), 0.0);
        const auto row = static_cast<double>(v);
        for (const ShapeRays& rays : shapes) {
            const Vec3 first = rays.corner + row * rays.vStep;
            const Columns hit = footprint(rays, first, columns);
            if (rays.kind == Kind::ellipsoid)
                addRow<Kind::ellipsoid>(rays, first, hit, shares.data());
            else
                addRow<Kind::cylinder>(rays, first, hit, shares.data());
        }
        const Vec3 first = corner + row * pose.vStepMm;
        float* target = out.data() + (v - rows.begin) * detector.columns;
        for (int u = 0; u < columns; ++u)
            target[u] = static_cast<float>(shares[static_cast<std::size_t>(u)] *
                                           length(first + static_cast<double>(u) * pose.uStepMm));
    }
}

}  // namespace gantry
