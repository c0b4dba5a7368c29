#include "core/verify/sphere_measures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/verify/edge_rays.h"
#include "core/verify/find_spheres.h"
#include "tests/core/verify/made_volumes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr double kSphereSigmaMm = 0.5;

VolumeGrid gridOfSpheres() {
    return {{91, 83, 79}, {0.6, 0.6, 0.7}, {-3, 2, 5}};
}

std::vector<KnownSphere> piece() {
    return {{{-15.2, -9.1, -7.7}, 3.5}, {{11.3, -10.4, -8.2}, 3.5}, {{-2.1, 14.9, -6.4}, 3.5},
            {{-12.6, 4.2, 15.3}, 3.5},  {{8.8, 8.1, 17.9}, 3},      {{3.3, -11.2, 16.6}, 4}};
}

std::vector<KnownSphere> moved(std::vector<KnownSphere> spheres,
                               const std::function<Vec3(Vec3)>& where) {
    for (KnownSphere& sphere : spheres)
        sphere.centerMm = where(sphere.centerMm);
    return spheres;
}

TEST(SphereMeasures, PlacesSizesAndScalesAreFound) {
    // Larger by 0.2 % in the plane, by 0.5 % along the axis, rotated by 0.1° and shifted.
    const auto where = [](Vec3 p) {
        const double angle = radians(0.1);
        return Vec3{1.002 * (p.x - angle * p.y) + 0.1, 1.002 * (p.y + angle * p.x) - 0.2,
                    1.005 * p.z};
    };
    const auto real = moved(piece(), where);
    const SphereMeasures found =
        measureSpheres(test::volumeOfSpheres(gridOfSpheres(), real, kSphereSigmaMm), piece(), 2);
    ASSERT_EQ(found.spheres.size(), piece().size());
    for (std::size_t i = 0; i < real.size(); ++i) {
        EXPECT_LT(length(found.spheres[i].centerMm - real[i].centerMm), 0.003);
        // Linear interpolation between voxels blurs by a sixth of their square, which takes the
        // level halfway inwards by that over the radius.
        const double inwards = 0.65 * 0.65 / 6 / real[i].radiusMm;
        EXPECT_NEAR(found.spheres[i].sizeErrorMm, -2 * inwards, 0.02);
        EXPECT_LT(found.spheres[i].formErrorMm, 0.15);  // of interpolation: a quarter of a voxel
        EXPECT_NEAR(found.spheres[i].edgeVarianceMm2,
                    kSphereSigmaMm * kSphereSigmaMm + 0.6 * 0.6 / 6, 0.06);
    }
    EXPECT_NEAR(found.scaleInPlane, 1.002, 1e-4);
    EXPECT_NEAR(found.scaleAlongAxis, 1.005, 1e-4);
    EXPECT_GT(found.scale, 1.002);
    EXPECT_LT(found.scale, 1.005);
    EXPECT_GT(found.scaleDeviation, 1e-4);  // as one scale does not fit
    double worst = 0;
    for (std::size_t i = 0; i < real.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            worst = std::max(worst, length(real[i].centerMm - real[j].centerMm) -
                                        length(piece()[i].centerMm - piece()[j].centerMm));
    EXPECT_NEAR(found.worstDistanceErrorMm, worst, 0.005);
}

TEST(SphereMeasures, SpheresThatCannotBeMeasuredAreNamed) {
    const Volume volume = test::volumeOfSpheres(gridOfSpheres(), piece(), kSphereSigmaMm);
    auto list = piece();
    list[2].centerMm = {-2, 28, -6};
    EXPECT_ERROR((void)measureSpheres(volume, list, 1), InputError, "Sphere 3");
    EXPECT_ERROR((void)measureSpheres(volume, list, 1), InputError, "not wholly in the volume");
    list[2].centerMm = {-3, 2, 5};
    EXPECT_ERROR((void)measureSpheres(volume, list, 1), InputError, "Sphere 3");
    EXPECT_ERROR((void)measureSpheres(volume, list, 1), InputError, "surface");
    list.resize(2);
    EXPECT_ERROR((void)measureSpheres(volume, list, 1), InputError, "2 spheres");
    EXPECT_ERROR((void)measureSpheres(volume, list, 1), InputError, "at least 3");
}

TEST(FindSpheres, APieceThatStandsAnyhowIsFound) {
    // About an axis across all three, by a radian and a half.
    const Vec3 axis = (1 / std::sqrt(14.0)) * Vec3{1, 2, 3};
    const auto where = [&](Vec3 p) {
        const double angle = 1.5;
        return std::cos(angle) * p + std::sin(angle) * cross(axis, p) +
               ((1 - std::cos(angle)) * dot(axis, p)) * axis + Vec3{-2.3, 1.2, 3.4};
    };
    const auto real = moved(piece(), where);
    // Something else is in the volume, too, of another size.
    auto shown = real;
    shown.push_back({{-25, 20, 20}, 1});
    const Volume volume = test::volumeOfSpheres(gridOfSpheres(), shown, kSphereSigmaMm);
    const auto found = findSpheres(volume, piece());
    ASSERT_EQ(found.size(), real.size());
    for (std::size_t i = 0; i < real.size(); ++i)
        EXPECT_LT(length(found[i].centerMm - real[i].centerMm), 0.3);
    EXPECT_NEAR(measureSpheres(volume, found, 2).scale, 1, 1e-4);
    // Among the true centres it stands exactly as they do, and away from them not as three have it.
    std::vector<Vec3> centersMm;
    for (const KnownSphere& sphere : real)
        centersMm.push_back(sphere.centerMm);
    const auto fitted = fittedOnto(centersMm, found);
    for (std::size_t i = 0; i < real.size(); ++i)
        EXPECT_LT(length(fitted[i].centerMm - real[i].centerMm), 1e-9);
    centersMm[0].x += 0.3;
    const Vec3 off = fittedOnto(centersMm, found)[0].centerMm - real[0].centerMm;
    EXPECT_GT(off.x, 0);
    EXPECT_LT(off.x, 0.25);  // it takes a part of one sphere's error
}

TEST(FindSpheres, APlateThatIsNearlyTheSameFromBelowStandsAsItDoes) {
    std::vector<KnownSphere> plate;
    for (int i = 0; i < 9; ++i)
        plate.push_back({{14.0 * (i % 3) - 14, 14.0 * (i / 3) - 14, i == 1 ? 1.2 : 0}, 4});
    // Rotated by half a circle about an axis in its plane.
    const auto real = moved(plate, [](Vec3 p) { return Vec3{p.x, -p.y, -p.z}; });
    const Volume volume = test::volumeOfSpheres(gridOfSpheres(), real, kSphereSigmaMm);
    const auto found = findSpheres(volume, plate);
    for (std::size_t i = 0; i < real.size(); ++i)
        EXPECT_LT(length(found[i].centerMm - real[i].centerMm), 0.3);
}

TEST(FindSpheres, AnotherPieceIsRefused) {
    const Volume volume = test::volumeOfSpheres(gridOfSpheres(), piece(), kSphereSigmaMm);
    const auto other = moved(piece(), [](Vec3 p) { return 1.3 * p; });
    EXPECT_ERROR((void)findSpheres(volume, other), InputError, "6 bodies");
    EXPECT_ERROR((void)findSpheres(volume, other), InputError, "6 spheres");
    EXPECT_ERROR((void)findSpheres(volume, other), InputError, "list");
    const auto inLine = moved(piece(), [](Vec3 p) { return Vec3{p.x, 0, 0}; });
    EXPECT_ERROR((void)findSpheres(volume, inLine), InputError, "on one line");
}

TEST(LeastSquares, WhatIsNotDeterminedIsRefused) {
    const std::vector<std::vector<double>> alike = {{1, 1}, {1, 1}, {2, 2}};
    const std::vector<double> right = {1, 1, 2};
    EXPECT_ERROR((void)leastSquares(alike, right), InputError, "fit");
    const LinearFit fit = leastSquares({{1, 0}, {1, 1}, {1, 2}, {1, 3}}, {1, 3, 5, 7});
    EXPECT_NEAR(fit.x[0], 1, 1e-12);
    EXPECT_NEAR(fit.x[1], 2, 1e-12);
    EXPECT_NEAR(fit.scatter, 0, 1e-12);
}

}  // namespace
}  // namespace gantry
