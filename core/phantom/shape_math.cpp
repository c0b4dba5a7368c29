#include "core/phantom/shape_math.h"

namespace gantry {

UnitSpace::UnitSpace(const PhantomShape& shape) : m_center(shape.centerMm) {
    for (std::size_t i = 0; i < 3; ++i)
        m_rows[i] = (1 / shape.halfAxesMm[i]) * shape.axes[i];
}

bool contains(const PhantomShape& shape, Vec3 pointMm) {
    const Vec3 p = UnitSpace(shape).point(pointMm);
    if (shape.kind == PhantomShape::Kind::cylinder)
        return p.x * p.x + p.y * p.y <= 1 && std::abs(p.z) <= 1;
    return dot(p, p) <= 1;
}

namespace {

double halfExtentAlong(const PhantomShape& shape, Vec3 direction) {
    std::array<double, 3> reach{};
    for (std::size_t i = 0; i < 3; ++i)
        reach[i] = shape.halfAxesMm[i] * dot(shape.axes[i], direction);
    if (shape.kind == PhantomShape::Kind::cylinder)
        return std::hypot(reach[0], reach[1]) + std::abs(reach[2]);
    return std::hypot(reach[0], reach[1], reach[2]);
}

}  // namespace

Vec3 halfExtentMm(const PhantomShape& shape) {
    return {halfExtentAlong(shape, {1, 0, 0}), halfExtentAlong(shape, {0, 1, 0}),
            halfExtentAlong(shape, {0, 0, 1})};
}

}  // namespace gantry
