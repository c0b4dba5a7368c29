#include "core/phantom/analytic_projector.h"

#include <vector>

#include "core/base/error.h"
#include "core/phantom/shape_math.h"

namespace gantry {
namespace {

using Kind = PhantomShape::Kind;

// The begin and the extent of a ray, or their change from pixel to pixel: from + t·along, 0 ≤ t ≤
// 1. One of the two is constant: the source, or the rays' direction.
struct Ray {
    Vec3 from;
    Vec3 along;

    [[nodiscard]] Ray moved(double steps, const Ray& step) const {
        return {from + steps * step.from, along + steps * step.along};
    }
};

// The rays of one view: pixel (0, 0)'s, and the steps to the next column and row.
struct ViewOfRays {
    Ray corner;
    Ray uStep;
    Ray vStep;
};

// The same in a shape's unit space.
struct ShapeRays {
    Kind kind;
    double value;
    ViewOfRays view;
};

// Max distance of the shapes from the origin.
double reachMm(const Phantom& phantom) {
    double reach = 0;
    for (const PhantomShape& shape : phantom.shapes)
        reach = std::max(reach, length(shape.centerMm) + length(halfExtentMm(shape)));
    return reach;
}

ViewOfRays raysOf(const Phantom& phantom, const ViewPose& pose, const Detector& detector) {
    const Vec3 corner = pose.detectorCenterMm -
                        ((static_cast<double>(detector.columns) - 1) / 2) * pose.uStepMm -
                        ((static_cast<double>(detector.rows) - 1) / 2) * pose.vStepMm;
    if (!pose.isParallel)
        return {{pose.sourceMm, corner - pose.sourceMm}, {{}, pose.uStepMm}, {{}, pose.vStepMm}};
    // Source and detector lie outside the whole object.
    const double reach = reachMm(phantom) + length(pose.detectorCenterMm);
    return {{corner + reach * pose.sourceMm, -2 * reach * pose.sourceMm},
            {pose.uStepMm, {}},
            {pose.vStepMm, {}}};
}

struct Columns {
    int begin;
    int end;
};

// Columns u at which c0 + c1·u + c2·u² may be positive; it may contain a few too many.
Columns columnsAboveZero(double c0, double c1, double c2, int columns) {
    // Only a shape that reaches level with the source has an unbounded footprint.
    if (c2 >= 0) return {0, columns};
    const double vertex = -c1 / (2 * c2);
    const double square = vertex * vertex - c0 / c2;
    if (!(square >= 0)) return {0, 0};
    const double half = std::sqrt(square);
    const double max = columns;
    return {static_cast<int>(std::clamp(std::floor(vertex - half), 0.0, max)),
            static_cast<int>(std::clamp(std::ceil(vertex + half) + 1, 0.0, max))};
}

// Rays from s along d pass the origin nearer than `radius` where radius²·|d|² − |s×d|² > 0, which
// is quadratic in u.
Columns footprintOfSphere(const Ray& first, const Ray& uStep, double radius, int columns) {
    const Vec3 n0 = cross(first.from, first.along);
    const Vec3 n1 = cross(first.from, uStep.along) + cross(uStep.from, first.along);
    const double r2 = radius * radius;
    return columnsAboveZero(r2 * dot(first.along, first.along) - dot(n0, n0),
                            2 * (r2 * dot(first.along, uStep.along) - dot(n0, n1)),
                            r2 * dot(uStep.along, uStep.along) - dot(n1, n1), columns);
}

Columns footprint(const ShapeRays& rays, const Ray& first, int columns) {
    const Ray& uStep = rays.view.uStep;
    if (rays.kind == Kind::ellipsoid) return footprintOfSphere(first, uStep, 1, columns);
    // A cylinder lies both in its infinite wall, which looks like a sphere along its axis, and in
    // the sphere through its edges.
    const auto flat = [](const Ray& a) {
        return Ray{{a.from.x, a.from.y, 0}, {a.along.x, a.along.y, 0}};
    };
    const Columns wall = footprintOfSphere(flat(first), flat(uStep), 1, columns);
    const Columns around = footprintOfSphere(first, uStep, std::sqrt(2.0), columns);
    return {std::max(wall.begin, around.begin), std::min(wall.end, around.end)};
}

// Adds value × (share of each ray that lies in the shape) to the row.
template <Kind kind>
void addRow(const ShapeRays& rays, const Ray& first, Columns columns, double* shares) {
    const Ray uStep = rays.view.uStep;
    const double value = rays.value;
    for (int u = columns.begin; u < columns.end; ++u) {
        const Ray ray = first.moved(static_cast<double>(u), uStep);
        const RayInterval inside = kind == Kind::ellipsoid
                                       ? throughUnitSphere(ray.from, ray.along)
                                       : throughUnitCylinder(ray.from, ray.along);
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
    const ViewOfRays view = raysOf(phantom, pose, detector);
    std::vector<ShapeRays> shapes;
    for (const PhantomShape& shape : phantom.shapes) {
        const UnitSpace unit(shape);
        const auto step = [&](const Ray& a) {
            return Ray{unit.direction(a.from), unit.direction(a.along)};
        };
        const Ray corner = {unit.point(view.corner.from), unit.direction(view.corner.along)};
        shapes.push_back({shape.kind, shape.value, {corner, step(view.uStep), step(view.vStep)}});
    }

    std::vector<double> shares(static_cast<std::size_t>(columns));
    for (Index v = rows.begin; v < rows.end; ++v) {
        std::ranges::fill(shares, 0.0);
        const auto row = static_cast<double>(v);
        for (const ShapeRays& rays : shapes) {
            const Ray first = rays.view.corner.moved(row, rays.view.vStep);
            const Columns hit = footprint(rays, first, columns);
            if (rays.kind == Kind::ellipsoid)
                addRow<Kind::ellipsoid>(rays, first, hit, shares.data());
            else
                addRow<Kind::cylinder>(rays, first, hit, shares.data());
        }
        const Ray first = view.corner.moved(row, view.vStep);
        float* target = out.data() + (v - rows.begin) * detector.columns;
        for (int u = 0; u < columns; ++u)
            target[u] = static_cast<float>(shares[static_cast<std::size_t>(u)] *
                                           length(first.moved(u, view.uStep).along));
    }
}

}  // namespace gantry
