#include "core/prep/rectify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/geometry/views/aligned_views.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

ScanGeometry rotatedDetector(double rollDeg, double tiltDeg, double slantDeg) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 200;
    geometry.cone().sourceToDetectorMm = 310;
    geometry.cone().sourceOffsetMm = {4, -3};
    geometry.cone().startDeg = 71;
    geometry.cone().views = 9;
    geometry.detector = {.columns = 67,
                         .rows = 48,
                         .pitchMm = {1.1, 0.8},
                         .offsetMm = {3, -6},
                         .rollDeg = rollDeg,
                         .tiltDeg = tiltDeg,
                         .slantDeg = slantDeg};
    return geometry;
}

const std::vector<ScanGeometry> kRotated = {rotatedDetector(2.5, 0, 0), rotatedDetector(0, 4, 0),
                                            rotatedDetector(0, 0, -7), rotatedDetector(-1.5, 3, 2),
                                            rotatedDetector(30, -10, 15)};

TEST(Rectifier, TakesRaysFromTheAlignedDetectorToTheRealOne) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> position(-40, 40);
    for (const ScanGeometry& geometry : kRotated) {
        const Rectifier rectifier(geometry);
        EXPECT_FALSE(rectifier.isIdentity());
        const auto real = projectionMatrices(geometry);
        const auto aligned = alignedViews(geometry).matrices;
        for (std::size_t s = 0; s < real.size(); ++s) {
            for (int i = 0; i < 50; ++i) {
                const double x = position(random);
                const double y = position(random);
                const double z = position(random);
                const auto expected = real[s].project(x, y, z);
                const auto virtualPoint = aligned[s].project(x, y, z);
                const auto found = rectifier.toReal(virtualPoint.u, virtualPoint.v);
                EXPECT_NEAR(found.u, expected.u, 1e-9);
                EXPECT_NEAR(found.v, expected.v, 1e-9);
            }
        }
    }
}

// A smooth function of the place in space where a ray crosses the plane through the axis, so that
// either detector sees the same picture.
double picture(const ScanGeometry& geometry, double u, double v) {
    const ViewPose pose = viewPose(geometry, 0);
    const Detector& detector = geometry.detector;
    const Vec3 pixel = pose.detectorCenterMm +
                       (u - (static_cast<double>(detector.columns) - 1) / 2) * pose.uStepMm +
                       (v - (static_cast<double>(detector.rows) - 1) / 2) * pose.vStepMm;
    const double a = radians(geometry.angleDeg(0));
    const Vec3 normal = {-std::sin(a), std::cos(a), 0};
    const Vec3 ray = pixel - pose.sourceMm;
    const Vec3 at = pose.sourceMm + (-dot(pose.sourceMm, normal) / dot(ray, normal)) * ray;
    const double across = std::cos(a) * at.x + std::sin(a) * at.y;
    return std::sin(across / 9) * std::cos(at.z / 7) + 0.01 * across;
}

TEST(Rectifier, ResamplesThePictureOfTheAlignedDetector) {
    for (const ScanGeometry& geometry : kRotated) {
        const Rectifier rectifier(geometry);
        const ScanGeometry upright = rotatedDetector(0, 0, 0);
        const Index nU = geometry.detector.columns;
        const Index nV = geometry.detector.rows;
        std::vector<float> real(static_cast<std::size_t>(nU * nV));
        std::vector<float> aligned(real.size());
        for (Index v = 0; v < nV; ++v)
            for (Index u = 0; u < nU; ++u)
                real[static_cast<std::size_t>(v * nU + u)] = static_cast<float>(
                    picture(geometry, static_cast<double>(u), static_cast<double>(v)));
        rectifier.apply({real.data(), 1, nV, nU}, 0, {aligned.data(), 1, nV, nU}, 0);
        int compared = 0;
        for (Index v = 0; v < nV; ++v) {
            for (Index u = 0; u < nU; ++u) {
                const auto from = rectifier.toReal(static_cast<double>(u), static_cast<double>(v));
                const float found = aligned[static_cast<std::size_t>(v * nU + u)];
                const double lastU = static_cast<double>(nU) - 1;
                const double lastV = static_cast<double>(nV) - 1;
                if (from.u < -1 || from.u > lastU + 1 || from.v < -1 || from.v > lastV + 1) {
                    EXPECT_EQ(found, 0);
                }
                if (from.u < 0 || from.u > lastU || from.v < 0 || from.v > lastV) continue;
                const double expected =
                    picture(upright, static_cast<double>(u), static_cast<double>(v));
                // Linear interpolation is off by the second derivative over 8 in each direction:
                // (0.71/9)²/8 + (0.52/7)²/8 for the pitches scaled to the axis, some more where
                // the rotated detector is farther away.
                EXPECT_NEAR(static_cast<double>(found), expected, 2e-3);
                ++compared;
            }
        }
        EXPECT_GT(compared, nU * nV / 2);
    }
}

TEST(Rectifier, ReadsNoRowsBesidesTheOnesItNames) {
    for (const ScanGeometry& geometry : kRotated) {
        const Rectifier rectifier(geometry);
        const Index nU = geometry.detector.columns;
        const Index nV = geometry.detector.rows;
        std::mt19937 random(9);
        std::uniform_real_distribution<float> value(1, 2);
        std::vector<float> real(static_cast<std::size_t>(nU * nV));
        for (float& pixel : real)
            pixel = value(random);
        std::vector<float> whole(real.size());
        rectifier.apply({real.data(), 1, nV, nU}, 0, {whole.data(), 1, nV, nU}, 0);
        for (const auto& [begin, end] :
             {std::pair<Index, Index>{0, 1}, {0, nV}, {11, 20}, {nV - 1, nV}, {30, 31}}) {
            const IndexRange rows = rectifier.sourceRows({begin, end});
            EXPECT_LE(rows.size(), nV);
            std::vector<float> part(real.begin() + rows.begin * nU, real.begin() + rows.end * nU);
            std::vector<float> out(static_cast<std::size_t>((end - begin) * nU));
            rectifier.apply({part.data(), 1, rows.size(), nU}, rows.begin,
                            {out.data(), 1, end - begin, nU}, begin);
            EXPECT_TRUE(std::equal(out.begin(), out.end(), whole.begin() + begin * nU))
                << "rows " << begin << " to " << end;
        }
    }
}

TEST(Rectifier, NamesNoMoreRowsThanItNeeds) {
    const Rectifier rectifier(rotatedDetector(1, 0, 0));
    // A roll of 1° over 33 columns of 1.1 mm moves rows of 0.8 mm by 0.79 up and down: rows 20 to
    // 22 read from 19.2 to 22.8.
    EXPECT_EQ(rectifier.sourceRows({20, 21}), (IndexRange{19, 22}));
    EXPECT_EQ(rectifier.sourceRows({20, 23}), (IndexRange{19, 24}));
    EXPECT_TRUE(rectifier.sourceRows({7, 7}).empty());
}

TEST(Rectifier, PixelsWhoseRaysMissThePlaneOfTheDetectorAreZero) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 60;
    geometry.cone().sourceToDetectorMm = 100;
    geometry.cone().views = 3;
    geometry.detector = {.columns = 5, .rows = 21, .pitchMm = {10, 10}, .tiltDeg = 60};
    const Rectifier rectifier(geometry);
    const std::vector<float> real(5 * 21, 1);
    std::vector<float> out(real.size(), -1);
    rectifier.apply({real.data(), 1, 21, 5}, 0, {out.data(), 1, 21, 5}, 0);
    EXPECT_NEAR(out[10 * 5 + 2], 1, 1e-6);  // the middle stays where it is
    // Leaning away by 60°, the detector is parallel to the ray that is 100 mm / tan 60° = 57.7 mm
    // up. Rows 16 to 20 are higher.
    for (std::size_t i = 16 * 5; i < out.size(); ++i)
        EXPECT_EQ(out[i], 0) << i;
}

TEST(Rectifier, NamesTheRowsThatOtherRaysHitWhereSomeMissThePlane) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 60;
    geometry.cone().sourceToDetectorMm = 100;
    geometry.cone().views = 3;
    geometry.detector = {.columns = 5, .rows = 21, .pitchMm = {10, 7.7}, .tiltDeg = -60};
    const Rectifier rectifier(geometry);
    // Its foot leans away: rows lower than 57.7 mm miss it. Row 7, 23.1 mm down, hits its lowest
    // row, which lies 77 mm · cos 60° = 38.5 mm down at 100 mm + 77 mm · sin 60° = 166.7 mm.
    std::vector<float> real(5 * 21, 0);
    std::fill_n(real.begin(), 5, 1.0F);
    const IndexRange rows = rectifier.sourceRows({0, 21});
    const std::vector<float> part(real.begin() + rows.begin * 5, real.begin() + rows.end * 5);
    std::vector<float> out(real.size(), -1);
    rectifier.apply({part.data(), 1, rows.size(), 5}, rows.begin, {out.data(), 1, 21, 5}, 0);
    EXPECT_NEAR(out[7 * 5 + 2], 1, 0.01);
    EXPECT_EQ(out[2], 0);
}

TEST(Rectifier, LeavesAnAlignedDetectorAsItIs) {
    const Rectifier rectifier(rotatedDetector(0, 0, 0));
    EXPECT_TRUE(rectifier.isIdentity());
    EXPECT_EQ(rectifier.sourceRows({5, 9}), (IndexRange{5, 9}));
}

TEST(Rectifier, RefusesToWorkWithoutItsRows) {
    const Rectifier rectifier(rotatedDetector(2, 0, 0));
    std::vector<float> rows(67 * 3);
    std::vector<float> out(67);
    EXPECT_ERROR(rectifier.apply({rows.data(), 1, 3, 67}, 0, {out.data(), 1, 1, 67}, 20),
                 InternalError, "lacks detector rows");
}

}  // namespace
}  // namespace gantry
