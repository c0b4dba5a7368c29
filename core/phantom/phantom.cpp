#include "core/phantom/phantom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>

#include "core/base/throw_error.h"
#include "core/phantom/shape_math.h"

namespace gantry {

double Phantom::attenuationAt(Vec3 pointMm) const {
    double sum = 0;
    for (const PhantomShape& shape : shapes)
        if (contains(shape, pointMm)) sum += shape.value;
    return sum;
}

PhantomShape sphere(Vec3 centerMm, double radiusMm, double perMm) {
    PhantomShape shape;
    shape.centerMm = centerMm;
    shape.halfAxesMm = {radiusMm, radiusMm, radiusMm};
    shape.value = perMm;
    return shape;
}

const std::vector<std::string>& phantomNames() {
    static const std::vector<std::string> names = {
        "shepp-logan", "shepp-logan-contrast", "shepp-logan-toft", "spheres",
        "cylinders",   "ball-helix",           "ball-rings"};
    return names;
}

namespace {

PhantomShape rod(Vec3 center, std::array<double, 3> halfAxes, double value) {
    PhantomShape shape;
    shape.kind = PhantomShape::Kind::cylinder;
    shape.centerMm = center;
    shape.halfAxesMm = halfAxes;
    shape.value = value;
    return shape;
}

// Rotates the shape about its own x axis.
PhantomShape tilted(PhantomShape shape, double angleDeg) {
    const double c = std::cos(radians(angleDeg));
    const double s = std::sin(radians(angleDeg));
    shape.axes = {Vec3{1, 0, 0}, Vec3{0, c, s}, Vec3{0, -s, c}};
    return shape;
}

// The wall of a tube, with nothing in it.
void addTube(Phantom& phantom, double inner, double outer, double halfHeight) {
    phantom.shapes.push_back(rod({0, 0, 0}, {outer, outer, halfHeight}, 1));
    phantom.shapes.push_back(rod({0, 0, 0}, {inner, inner, halfHeight}, -1));
}

// For the phantoms of `gantry calibrate`: small dense balls in the wall of an upright tube.
PhantomShape ballAt(double angleDeg, double height) {
    constexpr double kDistance = 0.6;
    constexpr double kRadius = 0.02;
    constexpr double kValue = 30;
    return sphere(
        {kDistance * std::cos(radians(angleDeg)), kDistance * std::sin(radians(angleDeg)), height},
        kRadius, kValue);
}

struct Row {
    Vec3 center;
    std::array<double, 3> halfAxes;
    double turnDeg;
    double value;
};

// The three-dimensional Shepp-Logan heads: ten ellipsoids each, in the tables' unit (the head is
// 0.92 units high along y), z up. Angles count counter-clockwise seen from +z.
//
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

// Seven separate spheres of different size and value, off the axis and at different heights.
Phantom spheresPhantom() {
    return {"Spheres",
            {
                sphere({0.40, 0.20, 0.10}, 0.30, 1.0),
                sphere({-0.45, 0.30, -0.35}, 0.25, 0.5),
                sphere({-0.20, -0.50, 0.40}, 0.20, 1.5),
                sphere({0.05, 0.50, 0.60}, 0.15, 0.8),
                sphere({0.35, -0.45, -0.50}, 0.10, 2.0),
                sphere({-0.05, 0.05, -0.75}, 0.05, 3.0),
                sphere({0.05, -0.05, 0.00}, 0.03, 4.0),
            }};
}

// An upright cylinder of value 1 with rods of other values in it: upright ones of different
// thickness, one elliptic, one tilted.
Phantom cylindersPhantom() {
    return {"Cylinders",
            {
                rod({0, 0, 0}, {0.70, 0.70, 0.70}, 1.0),
                rod({0.45, 0, 0}, {0.12, 0.12, 0.60}, 1.0),
                rod({0, 0.45, 0.10}, {0.08, 0.08, 0.50}, 0.5),
                rod({-0.45, 0, -0.05}, {0.15, 0.09, 0.55}, -0.8),
                rod({0.05, -0.50, 0}, {0.04, 0.04, 0.60}, 2.0),
                tilted(rod({0, 0, 0}, {0.10, 0.10, 0.40}, 0.2), 25),
                rod({-0.40, -0.40, 0}, {0.02, 0.02, 0.65}, 3.0),
            }};
}

// Balls on a helix of one and a half turns with 18 places, one of which is empty, so that it looks
// different from every side.
Phantom ballHelixPhantom() {
    constexpr int kPlaces = 18;
    constexpr int kEmpty = 5;
    constexpr double kTurnsDeg = 540;
    Phantom phantom{"Balls on a helix", {}};
    addTube(phantom, 0.58, 0.62, 0.78);
    for (int i = 0; i < kPlaces; ++i) {
        if (i == kEmpty) continue;
        const double along = i / (kPlaces - 1.0);
        phantom.shapes.push_back(ballAt(kTurnsDeg * along, 0.72 * (2 * along - 1)));
    }
    return phantom;
}

// Balls in four rings of five, none at the middle height, where balls would hide each other; each
// ring is rotated slightly from the one below, and one place of the second is empty.
Phantom ballRingsPhantom() {
    constexpr int kAround = 5;
    constexpr double kHeights[] = {-0.7, -0.3, 0.3, 0.7};
    constexpr double kTurnedDeg = 17;  // from ring to ring
    Phantom phantom{"Rings of balls", {}};
    addTube(phantom, 0.58, 0.62, 0.78);
    for (int ring = 0; ring < 4; ++ring)
        for (int i = 0; i < kAround; ++i) {
            if (ring == 1 && i == 0) continue;
            phantom.shapes.push_back(
                ballAt(360.0 * i / kAround + kTurnedDeg * ring, kHeights[ring]));
        }
    return phantom;
}

// Kak and Slaney, Principles of Computerized Tomographic Imaging (1988), table 3.1 with its
// published errata. An ellipsoid is rotated about its own centre. Skull 2.00, brain 1.02.
Phantom sheppLoganKakSlaney() {
    return {"Shepp-Logan (Kak-Slaney)", ellipsoids(kKakSlaney, Rotated::shape)};
}

// The same ellipsoids with the contrasts of Yu, Ye and Wang, Proc. SPIE 5535 (2004) 550-557.
// Skull 1.0, brain 0.2.
Phantom sheppLoganYuYeWang() {
    Phantom phantom = {"Shepp-Logan (Kak-Slaney, contrasts of Yu-Ye-Wang)",
                       ellipsoids(kKakSlaney, Rotated::shape)};
    for (std::size_t i = 0; i < kYuYeWang.size(); ++i)
        phantom.shapes[i].value = kYuYeWang[i];
    return phantom;
}

// Toft's "modified" head (The Radon Transform, 1996) as Schabel's phantom3d extends it to three
// dimensions. phantom3d rotates the whole space by Euler angles z-x-z (φ, θ, ψ) before it
// compares, so that the centre rotates with its ellipsoid; the table has θ = 0, which leaves a
// rotation by φ + ψ about z. Skull 1.0, brain 0.2.
Phantom sheppLoganToftSchabel() {
    return {"Shepp-Logan (Toft-Schabel)", ellipsoids(kToftSchabel, Rotated::shapeAndCenter)};
}

Phantom inTableUnits(std::string_view name) {
    if (name == "shepp-logan") return sheppLoganKakSlaney();
    if (name == "shepp-logan-contrast") return sheppLoganYuYeWang();
    if (name == "shepp-logan-toft") return sheppLoganToftSchabel();
    if (name == "spheres") return spheresPhantom();
    if (name == "cylinders") return cylindersPhantom();
    if (name == "ball-helix") return ballHelixPhantom();
    if (name == "ball-rings") return ballRingsPhantom();
    throwError<InputError>("There is no phantom \"{}\". The phantoms are {}.", name,
                           fmt::join(phantomNames(), ", "));
}

void check(const PhantomPlacement& placement) {
    if (!std::isfinite(placement.scaleMm) || placement.scaleMm <= 0)
        throwError<InputError>(
            "The phantom's scale is {} mm; it must be greater than 0 and finite.",
            placement.scaleMm);
    if (!std::isfinite(placement.density) || placement.density <= 0)
        throwError<InputError>(
            "The phantom's density is {} /mm; it must be greater than 0 and finite.",
            placement.density);
    const Vec3& center = placement.centerMm;
    if (!std::isfinite(center.x) || !std::isfinite(center.y) || !std::isfinite(center.z))
        throwError<InputError>("The phantom's centre is ({}, {}, {}) mm; it must be finite.",
                               center.x, center.y, center.z);
}

}  // namespace

Phantom makePhantom(std::string_view name, const PhantomPlacement& placement) {
    Phantom phantom = inTableUnits(name);
    check(placement);
    for (PhantomShape& shape : phantom.shapes) {
        shape.centerMm = placement.centerMm + placement.scaleMm * shape.centerMm;
        for (double& halfAxis : shape.halfAxesMm)
            halfAxis *= placement.scaleMm;
        shape.value *= placement.density;
    }
    return phantom;
}

}  // namespace gantry
