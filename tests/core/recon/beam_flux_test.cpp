#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/body_scan.h"

// Scans whose beam is not that of their flat fields, normalised by the air beside the object.
namespace gantry {
namespace {

using test::BodyScan;
using test::joined;
using test::tells;

// The body is seen within 34 columns of the middle, so that some 14 on either side are air.
ScanGeometry beamOf(Index views) {
    ScanGeometry geometry;
    geometry.trajectory =
        ParallelBeam{{.startDeg = 0, .arcDeg = 180, .views = views, .anglesDeg = {}}};
    geometry.detector = {.columns = 96, .rows = 64, .pitchMm = {0.6, 0.6}};
    return geometry;
}

constexpr Index kManyViews = 120;

// Counts, where the beam of view s is beam(s) of the flat field's, with noise as of so many photons
// in an open pixel; 0: none.
BodyScan scanOf(const std::function<double(double part)>& beam, double photons = 0) {
    BodyScan scan(beamOf(kManyViews), test::bodyAndBalls(), 2);
    scan.toCounts(test::evenFlat(beamOf(kManyViews)));
    const Span3<float> views = scan.views();
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, 1);
    const Index pixels = views.size(1) * views.size(2);
    for (Index i = 0; i < views.count(); ++i) {
        double share = beam(static_cast<double>(i / pixels) / (kManyViews - 1)) *
                       (static_cast<double>(views.data()[i]) - 100) / 50000;
        if (photons > 0) share += std::sqrt(share / photons) * normal(random);
        views.data()[i] = static_cast<float>(100 + 50000 * share);
    }
    return scan;
}

double bodyOf(BodyScan scan, const Corrections& corrections) {
    scan.correct(corrections);
    return scan.levels().body;
}

const Corrections kAir = {.flux = {.method = FluxMethod::air}};

double half(double) {
    return 0.5;
}
double drift(double part) {
    return 0.55 - 0.1 * part;
}

TEST(BeamFlux, OfHalfTheFlatFieldsIsAProblemUntilItIsNormalised) {
    BodyScan scan = scanOf(half);
    EXPECT_TRUE(tells(scan.problems(), "0.50 of the flat field")) << joined(scan.problems());
    EXPECT_TRUE(tells(scan.problems(), "--flux air"));
    EXPECT_GT(scan.levels().body, 0.025);
    scan.correct(kAir);
    EXPECT_NEAR(scan.levels().body / 0.020, 1, 0.005);
    EXPECT_FALSE(tells(scan.problems(), "beam")) << joined(scan.problems());
}

TEST(BeamFlux, ThatDriftsGivesTheRightLevel) {
    for (const double photons : {0.0, 300000.0}) {
        BodyScan scan = scanOf(drift, photons);
        EXPECT_TRUE(tells(scan.problems(), "the beam drifts by 18 %")) << joined(scan.problems());
        EXPECT_NEAR(bodyOf(scan, kAir) / 0.020, 1, 0.005);
    }
}

TEST(BeamFlux, OfAttenuationIsNormalisedToo) {
    BodyScan scan(beamOf(kManyViews), test::bodyAndBalls(), 2);
    const Span3<float> views = scan.views();
    const Index pixels = views.size(1) * views.size(2);
    for (Index i = 0; i < views.count(); ++i)
        views.data()[i] -=
            static_cast<float>(std::log(drift(static_cast<double>(i / pixels) / (kManyViews - 1))));
    EXPECT_NEAR(bodyOf(scan, kAir) / 0.020, 1, 0.005);
}

TEST(BeamFlux, MayBeMeasuredWhereTheUserSays) {
    const Corrections given = {.flux = {.method = FluxMethod::air, .airRegion = {1, 10, 9, 50}}};
    EXPECT_NEAR(bodyOf(scanOf(drift), given) / 0.020, 1, 0.005);
}

TEST(BeamFlux, OfAGoodScanChangesNothing) {
    const BodyScan scan = scanOf([](double) { return 1.0; }, 20000);
    EXPECT_NEAR(bodyOf(scan, kAir) / bodyOf(scan, {}), 1, 0.001);
}

TEST(BeamFlux, GoesWithOtherCorrections) {
    Corrections all = kAir;
    all.zingers.ratio = 1.5;
    all.rings.method = RingMethod::smoothedMean;
    Corrections others = all;
    others.flux = {};
    const double truth = bodyOf(scanOf([](double) { return 1.0; }), others);
    EXPECT_NEAR(bodyOf(scanOf(drift), all) / truth, 1, 0.003);
}

}  // namespace
}  // namespace gantry
