#include "core/phantom/analytic_projector.h"

#include <gtest/gtest.h>

#include "tests/core/phantom/random_shapes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

ScanGeometry scan(Index columns, Index rows) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 500;
    geometry.cone().views = 8;
    geometry.detector.columns = columns;
    geometry.detector.rows = rows;
    geometry.detector.pitchMm = {200.0 / static_cast<double>(columns),
                                 180.0 / static_cast<double>(rows)};
    return geometry;
}

Vec3 pixelMm(const ViewPose& pose, const Detector& detector, Index u, Index v) {
    const double du = static_cast<double>(u) - (static_cast<double>(detector.columns) - 1) / 2;
    const double dv = static_cast<double>(v) - (static_cast<double>(detector.rows) - 1) / 2;
    return pose.detectorCenterMm + du * pose.uStepMm + dv * pose.vStepMm;
}

std::vector<float> project(const Phantom& phantom, const ScanGeometry& geometry, Index view) {
    const Detector& detector = geometry.detector;
    std::vector<float> out(static_cast<std::size_t>(detector.rows * detector.columns), -1.0F);
    projectPhantom(phantom, viewPose(geometry, view), detector, {0, detector.rows}, out);
    return out;
}

constexpr int kSteps = 4000;

// The integral from point membership alone: steps along the ray, each change of value found by
// bisection. What it can miss is a chord shorter than a step.
double integrate(const Phantom& phantom, Vec3 from, Vec3 to) {
    const auto at = [&](double t) { return phantom.attenuationAt(from + t * (to - from)); };
    double sum = 0;
    double value = at(0);
    for (int i = 0; i < kSteps; ++i) {
        double low = static_cast<double>(i) / kSteps;
        const double next = static_cast<double>(i + 1) / kSteps;
        double high = next;
        const double before = low;
        const double nextValue = at(next);
        if (nextValue == value) {
            sum += value * (next - before);
            continue;
        }
        for (int k = 0; k < 40; ++k) {
            const double middle = (low + high) / 2;
            (at(middle) == value ? low : high) = middle;
        }
        sum += value * (low - before) + nextValue * (next - low);
        value = nextValue;
    }
    return sum * length(to - from);
}

void expectRaysMatch(const Phantom& phantom, const ScanGeometry& geometry, Index view,
                     double tolerance) {
    const std::vector<float> image = project(phantom, geometry, view);
    const ViewPose pose = viewPose(geometry, view);
    const Detector& detector = geometry.detector;
    double largest = 0;
    for (Index v = 0; v < detector.rows; ++v)
        for (Index u = 0; u < detector.columns; ++u) {
            const Vec3 pixel = pixelMm(pose, detector, u, v);
            const Vec3 halfWay = 250.0 * pose.sourceMm;  // a direction, where rays are parallel
            const double expected = pose.isParallel
                                        ? integrate(phantom, pixel + halfWay, pixel - halfWay)
                                        : integrate(phantom, pose.sourceMm, pixel);
            const double found =
                static_cast<double>(image[static_cast<std::size_t>(v * detector.columns + u)]);
            ASSERT_NEAR(found, expected, tolerance)
                << "view " << view << ", pixel " << u << ", " << v;
            largest = std::max(largest, std::abs(expected));
        }
    EXPECT_GT(largest, 100 * tolerance) << "the phantom is not in the picture";
}

// A step is 500 mm / 4000 = 0.13 mm; two crossings within one step can hide up to that length of a
// shape of value up to 1, or be placed one for the other.
constexpr double kOneStep = 0.26;

TEST(AnalyticProjector, AgreesWithNumericalIntegrationForRotatedShapesAndTiltedDetectors) {
    std::mt19937 random(3);
    for (int round = 0; round < 4; ++round) {
        ScanGeometry geometry = scan(13, 11);
        geometry.cone().sourceOffsetMm = {7, -4};
        geometry.detector.offsetMm = {11, 5};
        geometry.detector.rollDeg = 7.0 * round;
        geometry.detector.tiltDeg = -9.0 * round;
        geometry.detector.slantDeg = 12.0 * round;
        expectRaysMatch(test::randomPhantom(5, random), geometry, 2 * round, kOneStep);
    }
}

TEST(AnalyticProjector, AgreesWithNumericalIntegrationForParallelRays) {
    std::mt19937 random(3);
    for (int round = 0; round < 4; ++round) {
        ScanGeometry geometry = scan(13, 11);
        const GantryAngles angles = geometry.cone();
        geometry.trajectory = ParallelBeam{angles};
        geometry.detector.offsetMm = {11, 5};
        geometry.detector.rollDeg = 7.0 * round;
        geometry.detector.tiltDeg = -9.0 * round;
        expectRaysMatch(test::randomPhantom(5, random), geometry, 2 * round, kOneStep);
    }
}

TEST(AnalyticProjector, AgreesWithNumericalIntegrationToRoundingForOneShape) {
    std::mt19937 random(5);
    for (int round = 0; round < 6; ++round) {
        Phantom phantom = test::randomPhantom(2, random);
        phantom.shapes.erase(phantom.shapes.begin() + round % 2);
        phantom.shapes[0].value = 0.7;
        // 4e-6 is float rounding of 70 mm · 0.7; grazing chords shorter than a step would show, and
        // with these seeds none occurs.
        expectRaysMatch(phantom, scan(12, 9), round, 1e-5);
    }
}

TEST(AnalyticProjector, SheppLoganHeadAgreesWithNumericalIntegration) {
    const Phantom head = makePhantom("shepp-logan", {50, {3, -2, 1}, 1});
    expectRaysMatch(head, scan(17, 15), 3, kOneStep);
}

TEST(AnalyticProjector, SphereHasTheChordOfItsDistance) {
    Phantom phantom;
    PhantomShape sphere;
    sphere.centerMm = {4, -6, 9};
    sphere.halfAxesMm = {30, 30, 30};
    sphere.value = 0.5;
    phantom.shapes = {sphere};
    const ScanGeometry geometry = scan(31, 27);
    const std::vector<float> image = project(phantom, geometry, 5);
    const ViewPose pose = viewPose(geometry, 5);
    for (Index v = 0; v < 27; ++v)
        for (Index u = 0; u < 31; ++u) {
            const Vec3 ray = pixelMm(pose, geometry.detector, u, v) - pose.sourceMm;
            const double distance =
                length(cross(sphere.centerMm - pose.sourceMm, ray)) / length(ray);
            const double chord =
                distance < 30 ? 2 * std::sqrt(30.0 * 30.0 - distance * distance) : 0;
            // Rounding to float of at most 30, half of 2^-19 each.
            ASSERT_NEAR(static_cast<double>(image[static_cast<std::size_t>(v * 31 + u)]),
                        0.5 * chord, 2e-6);
        }
}

TEST(AnalyticProjector, CentredSphereIsSymmetricAndTheSameFromEverywhere) {
    Phantom phantom;
    PhantomShape sphere;
    sphere.halfAxesMm = {40, 40, 40};
    sphere.value = 1;
    phantom.shapes = {sphere};
    const ScanGeometry geometry = scan(20, 16);
    const std::vector<float> first = project(phantom, geometry, 0);
    const std::vector<float> other = project(phantom, geometry, 3);
    // Rounding to float of at most 80, and the angle's cosine: 2^-18.
    constexpr float kFloat = 8e-6F;
    for (std::size_t v = 0; v < 16; ++v)
        for (std::size_t u = 0; u < 20; ++u) {
            ASSERT_NEAR(first[v * 20 + u], first[v * 20 + 19 - u], kFloat);
            ASSERT_NEAR(first[v * 20 + u], first[(15 - v) * 20 + u], kFloat);
            ASSERT_NEAR(first[v * 20 + u], other[v * 20 + u], kFloat);
        }
}

TEST(AnalyticProjector, CylinderAlongTheRayHasItsHeight) {
    // View 0 looks along +y; the middle pixel's ray is the axis itself.
    Phantom phantom;
    PhantomShape rod;
    rod.kind = PhantomShape::Kind::cylinder;
    rod.halfAxesMm = {3, 5, 20};
    rod.axes = {Vec3{1, 0, 0}, Vec3{0, 0, 1}, Vec3{0, -1, 0}};
    rod.value = 2;
    phantom.shapes = {rod};
    const ScanGeometry geometry = scan(5, 5);
    const std::vector<float> image = project(phantom, geometry, 0);
    EXPECT_FLOAT_EQ(image[2 * 5 + 2], 2 * 40);
    EXPECT_FLOAT_EQ(image[0], 0);
    // Moved aside by more than its width, it is missed by that ray.
    phantom.shapes[0].centerMm = {3.5, 0, 0};
    EXPECT_FLOAT_EQ(project(phantom, geometry, 0)[2 * 5 + 2], 0);
}

TEST(AnalyticProjector, UprightCylinderInTheMidplaneHasTheChordOfItsCircle) {
    Phantom phantom;
    PhantomShape rod;
    rod.kind = PhantomShape::Kind::cylinder;
    rod.halfAxesMm = {25, 25, 10};
    rod.value = 1;
    phantom.shapes = {rod};
    const ScanGeometry geometry = scan(41, 3);
    const std::vector<float> image = project(phantom, geometry, 1);
    for (Index u = 0; u < 41; ++u) {
        const double offset = (static_cast<double>(u) - 20) * geometry.detector.pitchMm[0];
        const double distance = 300 * offset / std::hypot(500, offset);
        const double chord = std::abs(distance) < 25 ? 2 * std::sqrt(625 - distance * distance) : 0;
        // Rounding to float of at most 50.
        EXPECT_NEAR(static_cast<double>(image[static_cast<std::size_t>(41 + u)]), chord, 4e-6);
        // The outer rows are 60 mm off the plane at the detector, above the cylinder's ends.
        EXPECT_EQ(image[static_cast<std::size_t>(u)], 0.0F);
    }
}

TEST(AnalyticProjector, CountsOnlyWhatLiesBetweenSourceAndPixel) {
    Phantom phantom;
    PhantomShape around;
    around.halfAxesMm = {5000, 4000, 6000};
    around.value = 0.01;
    const ScanGeometry geometry = scan(7, 6);
    const ViewPose pose = viewPose(geometry, 1);
    for (const auto kind : {PhantomShape::Kind::ellipsoid, PhantomShape::Kind::cylinder}) {
        around.kind = kind;
        phantom.shapes = {around};
        const std::vector<float> image = project(phantom, geometry, 1);
        for (Index v = 0; v < 6; ++v)
            for (Index u = 0; u < 7; ++u)
                EXPECT_FLOAT_EQ(
                    image[static_cast<std::size_t>(v * 7 + u)],
                    static_cast<float>(
                        0.01 * length(pixelMm(pose, geometry.detector, u, v) - pose.sourceMm)));
        // Behind the source.
        PhantomShape behind = around;
        behind.halfAxesMm = {20, 20, 20};
        behind.centerMm = pose.sourceMm + 0.2 * (pose.sourceMm - pose.detectorCenterMm);
        phantom.shapes = {behind};
        for (const float value : project(phantom, geometry, 1))
            EXPECT_EQ(value, 0.0F);
        // Round the source itself, whose footprint has no edge.
        PhantomShape atSource = behind;
        atSource.centerMm = pose.sourceMm;
        phantom.shapes = {atSource};
        expectRaysMatch(phantom, geometry, 1, 1e-5);
    }
}

TEST(AnalyticProjector, RowsAreThoseOfTheWholeImage) {
    const Phantom phantom = makePhantom("cylinders", {60, {}, 0.02});
    const ScanGeometry geometry = scan(33, 29);
    const std::vector<float> whole = project(phantom, geometry, 3);
    std::vector<float> part(static_cast<std::size_t>(33 * 6));
    projectPhantom(phantom, viewPose(geometry, 3), geometry.detector, {11, 17}, part);
    for (std::size_t i = 0; i < part.size(); ++i)
        EXPECT_EQ(part[i], whole[11 * 33 + i]);
}

TEST(AnalyticProjector, AnEmptyPhantomGivesZeros) {
    for (const float value : project({}, scan(9, 8), 0))
        EXPECT_EQ(value, 0.0F);
}

TEST(AnalyticProjector, RefusesAnArrayOfTheWrongSize) {
    const ScanGeometry geometry = scan(4, 4);
    std::vector<float> out(15);
    EXPECT_ERROR(projectPhantom({}, viewPose(geometry, 0), geometry.detector, {0, 4}, out),
                 InternalError, "wrong size");
    out.resize(20);
    EXPECT_ERROR(projectPhantom({}, viewPose(geometry, 0), geometry.detector, {0, 5}, out),
                 InternalError, "outside the detector");
}

}  // namespace
}  // namespace gantry
