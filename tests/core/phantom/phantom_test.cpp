#include "core/phantom/phantom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

struct TableRow {
    double value, a, b, c, x, y, z, first, second, third;
};

// The table of phantom3d (modified Shepp-Logan): value, half-axes, centre, φ, θ, ψ.
constexpr TableRow kPhantom3d[] = {
    {1, .6900, .920, .810, 0, 0, 0, 0, 0, 0},
    {-.8, .6624, .874, .780, 0, -.0184, 0, 0, 0, 0},
    {-.2, .1100, .310, .220, .22, 0, 0, -18, 0, 10},
    {-.2, .1600, .410, .280, -.22, 0, 0, 18, 0, 10},
    {.1, .2100, .250, .410, 0, .35, -.15, 0, 0, 0},
    {.1, .0460, .046, .050, 0, .1, .25, 0, 0, 0},
    {.1, .0460, .046, .050, 0, -.1, .25, 0, 0, 0},
    {.1, .0460, .023, .050, -.08, -.605, 0, 0, 0, 0},
    {.1, .0230, .023, .020, 0, -.606, 0, 0, 0, 0},
    {.1, .0230, .046, .020, .06, -.605, 0, 0, 0, 0},
};

// phantom3d rotates the point by the Euler angles and compares it with the unrotated
// ellipsoid.
double phantom3dAt(Vec3 p) {
    double sum = 0;
    for (const TableRow& row : kPhantom3d) {
        const double cf = std::cos(radians(row.first)), sf = std::sin(radians(row.first));
        const double ct = std::cos(radians(row.second)), st = std::sin(radians(row.second));
        const double cp = std::cos(radians(row.third)), sp = std::sin(radians(row.third));
        const Vec3 q = {
            (cp * cf - ct * sf * sp) * p.x + (cp * sf + ct * cf * sp) * p.y + sp * st * p.z,
            (-sp * cf - ct * sf * cp) * p.x + (-sp * sf + ct * cf * cp) * p.y + cp * st * p.z,
            st * sf * p.x - st * cf * p.y + ct * p.z};
        const double x = (q.x - row.x) / row.a, y = (q.y - row.y) / row.b,
                     z = (q.z - row.z) / row.c;
        if (x * x + y * y + z * z <= 1) sum += row.value;
    }
    return sum;
}

// Kak and Slaney's table with the axis along y, as RTK has it: half-axes, centre, angle, value.
constexpr TableRow kAxisAlongY[] = {
    {2, 0.69, 0.90, 0.92, 0., 0., 0., 0., 0, 0},
    {-.98, 0.6624, 0.880, 0.874, 0., 0., 0., 0., 0, 0},
    {-.02, 0.41, 0.21, 0.16, -0.22, -0.25, 0., 108., 0, 0},
    {-.02, 0.31, 0.22, 0.11, 0.22, -0.25, 0., 72., 0, 0},
    {.02, 0.21, 0.50, 0.25, 0., -0.25, 0.35, 0., 0, 0},
    {.02, 0.046, 0.046, 0.046, 0., -0.25, 0.10, 0., 0, 0},
    {.01, 0.046, 0.02, 0.023, -0.08, -0.25, -0.65, 0., 0, 0},
    {.01, 0.046, 0.02, 0.023, 0.06, -0.25, -0.65, 90., 0, 0},
    {.02, 0.056, 0.1, 0.04, 0.06, 0.625, -0.105, 90., 0, 0},
    {-.02, 0.056, 0.1, 0.056, 0., 0.625, 0.1, 0., 0, 0},
};

double kakSlaneyAt(Vec3 p) {
    double sum = 0;
    for (const TableRow& row : kAxisAlongY) {
        const double dx = p.x - row.x, dy = p.y - row.z, dz = p.z - row.y;
        const double c = std::cos(radians(row.first)), s = std::sin(radians(row.first));
        const double x = (c * dx + s * dy) / row.a, y = (-s * dx + c * dy) / row.c, z = dz / row.b;
        if (x * x + y * y + z * z <= 1) sum += row.value;
    }
    return sum;
}

std::vector<Vec3> randomPoints(int count) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> place(-1, 1);
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i)
        points.push_back({place(random), place(random), place(random)});
    return points;
}

// Sums of the same decimal fractions in the same order: equal but for the last bits.
constexpr double kRounding = 1e-12;

TEST(Phantom, KakSlaneyHeadHoldsTheValuesOfTheBook) {
    const Phantom head = makePhantom("shepp-logan", {});
    EXPECT_EQ(head.name, "Shepp-Logan (Kak-Slaney)");
    EXPECT_NEAR(head.attenuationAt({0, 0, 0}), 1.02, kRounding);     // skull 2.00 − 0.98
    EXPECT_NEAR(head.attenuationAt({0.68, 0, 0}), 2.00, kRounding);  // skull
    EXPECT_NEAR(head.attenuationAt({0.70, 0, 0}), 0.00, kRounding);  // air
    EXPECT_NEAR(head.attenuationAt({0, 0.35, -0.25}), 1.04, kRounding);
    // The right ventricle leans by 72°: its lower end is to the left of its centre.
    EXPECT_NEAR(head.attenuationAt({0.127, -0.285, -0.25}), 1.00, kRounding);
    EXPECT_NEAR(head.attenuationAt({0.313, -0.285, -0.25}), 1.02, kRounding);
}

TEST(Phantom, KakSlaneyHeadAgreesWithTheTableWrittenWithTheAxisAlongY) {
    const Phantom head = makePhantom("shepp-logan", {});
    for (const Vec3 p : randomPoints(20000))
        ASSERT_NEAR(head.attenuationAt(p), kakSlaneyAt(p), kRounding);
}

TEST(Phantom, ToftSchabelHeadAgreesWithTheEulerFormulaOfPhantom3d) {
    const Phantom head = makePhantom("shepp-logan-toft", {});
    EXPECT_EQ(head.name, "Shepp-Logan (Toft-Schabel)");
    EXPECT_NEAR(head.attenuationAt({0, 0, 0}), 0.2, kRounding);
    // The ventricle's centre rotates with it, by −18° + 10°.
    EXPECT_NEAR(head.attenuationAt({0.2596, 0.2665, 0}), 0.0, kRounding);
    for (const Vec3 p : randomPoints(20000))
        ASSERT_NEAR(head.attenuationAt(p), phantom3dAt(p), kRounding);
}

TEST(Phantom, ContrastHeadHasTheShapesOfKakSlaneyAndItsOwnValues) {
    const Phantom head = makePhantom("shepp-logan-contrast", {});
    const Phantom plain = makePhantom("shepp-logan", {});
    EXPECT_NEAR(head.attenuationAt({0, 0, 0}), 0.2, kRounding);
    EXPECT_NEAR(head.attenuationAt({0.22, 0, -0.25}), 0.0, kRounding);
    EXPECT_NEAR(head.attenuationAt({0, 0.35, -0.25}), 0.4, kRounding);
    for (std::size_t i = 0; i < head.shapes.size(); ++i)
        EXPECT_EQ(head.shapes[i].centerMm, plain.shapes[i].centerMm);
}

TEST(Phantom, PlacementScalesMovesAndWeights) {
    const PhantomPlacement placement = {116, {5, -7, 11}, 0.02};
    for (const std::string& name : phantomNames()) {
        const Phantom unit = makePhantom(name, {});
        const Phantom placed = makePhantom(name, placement);
        for (const Vec3 p : randomPoints(500))
            ASSERT_NEAR(placed.attenuationAt(placement.centerMm + placement.scaleMm * p),
                        0.02 * unit.attenuationAt(p), kRounding)
                << name;
    }
}

TEST(Phantom, EveryBuiltInPhantomLiesWithinOneUnitAndIsNeverNegative) {
    for (const std::string& name : phantomNames()) {
        const Phantom phantom = makePhantom(name, {});
        bool any = false;
        for (const Vec3 p : randomPoints(20000)) {
            const double value = phantom.attenuationAt(p);
            ASSERT_GE(value, -kRounding) << name;
            if (length(p) > 1) {
                ASSERT_NEAR(value, 0, kRounding) << name;
            }
            any = any || value > 0;
        }
        EXPECT_TRUE(any) << name;
    }
}

TEST(Phantom, SpheresAreSeparateAndHoldTheirOwnValues) {
    const Phantom spheres = makePhantom("spheres", {});
    for (const PhantomShape& shape : spheres.shapes) {
        EXPECT_EQ(spheres.attenuationAt(shape.centerMm), shape.value);
        for (const PhantomShape& other : spheres.shapes)
            if (&other != &shape) {
                EXPECT_GT(length(other.centerMm - shape.centerMm),
                          other.halfAxesMm[0] + shape.halfAxesMm[0]);
            }
    }
}

TEST(Phantom, CylindersHoldTheSumOfBodyAndRod) {
    const Phantom cylinders = makePhantom("cylinders", {});
    EXPECT_NEAR(cylinders.attenuationAt({0.3, 0.3, 0.69}), 1.0, kRounding);
    EXPECT_NEAR(cylinders.attenuationAt({0.3, 0.3, 0.71}), 0.0, kRounding);
    EXPECT_NEAR(cylinders.attenuationAt({0.45, 0, 0.59}), 2.0, kRounding);
    EXPECT_NEAR(cylinders.attenuationAt({0.45, 0, 0.61}), 1.0, kRounding);
    // The elliptic rod: 0.15 along x, 0.09 along y.
    EXPECT_NEAR(cylinders.attenuationAt({-0.58, 0, 0}), 0.2, kRounding);
    EXPECT_NEAR(cylinders.attenuationAt({-0.45, 0.1, 0}), 1.0, kRounding);
    // The tilted rod leans towards −y at its top.
    EXPECT_NEAR(cylinders.attenuationAt({0, -0.16, 0.35}), 1.2, kRounding);
    EXPECT_NEAR(cylinders.attenuationAt({0, 0.16, 0.35}), 1.0, kRounding);
    // By 25°: points just within and just beyond its radius of 0.1, near its top and bottom.
    const Vec3 across = {0, std::cos(radians(25)), std::sin(radians(25))};
    const Vec3 along = {0, -std::sin(radians(25)), std::cos(radians(25))};
    for (const double y : {-1.0, 1.0})
        for (const double z : {-0.38, 0.38}) {
            EXPECT_NEAR(cylinders.attenuationAt(0.097 * y * across + z * along), 1.2, kRounding);
            EXPECT_NEAR(cylinders.attenuationAt(0.103 * y * across + z * along), 1.0, kRounding);
        }
}

TEST(Phantom, ASurfaceBelongsToItsShape) {
    // Half-axes are powers of two, so that rounding moves no point off the surface.
    PhantomShape shape;
    shape.centerMm = {1, -2, 3};
    shape.halfAxesMm = {2, 4, 8};
    shape.value = 1;
    for (const auto kind : {PhantomShape::Kind::ellipsoid, PhantomShape::Kind::cylinder}) {
        shape.kind = kind;
        Phantom phantom;
        phantom.shapes = {shape};
        for (const Vec3 reach : {Vec3{2, 0, 0}, Vec3{0, 4, 0}, Vec3{0, 0, 8}})
            for (const double sign : {-1.0, 1.0}) {
                EXPECT_EQ(phantom.attenuationAt(shape.centerMm + sign * reach), 1);
                EXPECT_EQ(phantom.attenuationAt(shape.centerMm + (1.001 * sign) * reach), 0);
            }
    }
}

TEST(Phantom, RefusesWhatItCannotMake) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    EXPECT_ERROR((void)makePhantom("head", {}), InputError, "\"head\"");
    EXPECT_ERROR((void)makePhantom("head", {}), InputError, "shepp-logan-toft, spheres, cylinders");
    EXPECT_ERROR((void)makePhantom("spheres", {0, {}, 1}), InputError, "scale is 0 mm");
    EXPECT_ERROR((void)makePhantom("spheres", {kNaN, {}, 1}), InputError, "scale");
    EXPECT_ERROR((void)makePhantom("spheres", {1, {}, -2}), InputError, "density is -2 /mm");
    EXPECT_ERROR((void)makePhantom("spheres", {1, {0, kNaN, 0}, 1}), InputError, "centre");
}

}  // namespace
}  // namespace gantry
