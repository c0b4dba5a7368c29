#include "core/phantom/shepp_logan.h"

#include <cmath>
#include <span>

namespace gantry {
namespace {

struct Row {
    Vec3 center;
    std::array<double, 3> halfAxes;
    double turnDeg;
    double value;
};

// Centre, half-axes, β, value
constexpr std::array<Row, 10> kKakSlaney = {{
    {{0, 0, 0}, {0.69, 0.92, 0.90}, 0, 2.00},
    {{0, 0, 0}, {0.6624, 0.874, 0.880}, 0, -0.98},
    {{-0.22, 0, -0.25}, {0.41, 0.16, 0.21}, 108, -0.02},
    {{0.22, 0, -0.25}, {0.31, 0.11, 0.22}, 72, -0.02},
    {{0, 0.35, -0.25}, {0.21, 0.25, 0.50}, 0, 0.02},
    {{0, 0.1, -0.25}, {0.046, 0.046, 0.046}, 0, 0.02},
    {{-0.08, -0.65, -0.25}, {0.046, 0.023, 0.02}, 0, 0.01},
    {{0.06, -0.65, -0.25}, {0.046, 0.023, 0.02}, 90, 0.01},
    {{0.06, -0.105, 0.625}, {0.056, 0.04, 0.1}, 90, 0.02},
    {{0, 0.1, 0.625}, {0.056, 0.056, 0.1}, 0, -0.02},
}};

constexpr std::array<double, 10> kYuYeWang = {1.0, -0.8, -0.2, -0.2, 0.2, 0.2, 0.1, 0.1, 0.2, -0.2};

// Centre, half-axes, φ + ψ, value
constexpr std::array<Row, 10> kToftSchabel = {{
    {{0, 0, 0}, {0.69, 0.92, 0.81}, 0, 1.0},
    {{0, -0.0184, 0}, {0.6624, 0.874, 0.78}, 0, -0.8},
    {{0.22, 0, 0}, {0.11, 0.31, 0.22}, -18 + 10, -0.2},
    {{-0.22, 0, 0}, {0.16, 0.41, 0.28}, 18 + 10, -0.2},
    {{0, 0.35, -0.15}, {0.21, 0.25, 0.41}, 0, 0.1},
    {{0, 0.1, 0.25}, {0.046, 0.046, 0.05}, 0, 0.1},
    {{0, -0.1, 0.25}, {0.046, 0.046, 0.05}, 0, 0.1},
    {{-0.08, -0.605, 0}, {0.046, 0.023, 0.05}, 0, 0.1},
    {{0, -0.606, 0}, {0.023, 0.023, 0.02}, 0, 0.1},
    {{0.06, -0.605, 0}, {0.023, 0.046, 0.02}, 0, 0.1},
}};

enum class Rotated { shape, shapeAndCenter };

std::vector<PhantomShape> ellipsoids(std::span<const Row> table, Rotated rotated) {
    std::vector<PhantomShape> shapes;
    for (const Row& row : table) {
        PhantomShape shape;
        const double c = std::cos(radians(row.turnDeg));
        const double s = std::sin(radians(row.turnDeg));
        shape.axes = {Vec3{c, s, 0}, Vec3{-s, c, 0}, Vec3{0, 0, 1}};
        shape.centerMm = row.center;
        if (rotated == Rotated::shapeAndCenter)
            shape.centerMm = row.center.x * shape.axes[0] + row.center.y * shape.axes[1] +
                             row.center.z * shape.axes[2];
        shape.halfAxesMm = row.halfAxes;
        shape.value = row.value;
        shapes.push_back(shape);
    }
    return shapes;
}

}  // namespace

Phantom sheppLoganKakSlaney() {
    return {"Shepp-Logan (Kak-Slaney)", ellipsoids(kKakSlaney, Rotated::shape)};
}

Phantom sheppLoganYuYeWang() {
    Phantom phantom = {"Shepp-Logan (Kak-Slaney, contrasts of Yu-Ye-Wang)",
                       ellipsoids(kKakSlaney, Rotated::shape)};
    for (std::size_t i = 0; i < kYuYeWang.size(); ++i)
        phantom.shapes[i].value = kYuYeWang[i];
    return phantom;
}

Phantom sheppLoganToftSchabel() {
    return {"Shepp-Logan (Toft-Schabel)", ellipsoids(kToftSchabel, Rotated::shapeAndCenter)};
}

}  // namespace gantry
