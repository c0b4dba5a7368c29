#include "core/metrics/ssim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/metrics/volumes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::disturbed;
using test::structured;
using test::Volume;

// One window by the definition: means, then deviations from them, sample variances.
double windowSsim(const Volume& image, const Volume& truth, Index z, Index y0, Index x0, Index nY,
                  Index nX, double range) {
    const auto at = [&](const Volume& v, Index y, Index x) {
        return static_cast<double>(v.view()(z, y0 + y, x0 + x));
    };
    const auto n = static_cast<double>(nY * nX);
    double meanA = 0, meanB = 0, varianceA = 0, varianceB = 0, covariance = 0;
    for (Index y = 0; y < nY; ++y)
        for (Index x = 0; x < nX; ++x) {
            meanA += at(image, y, x) / n;
            meanB += at(truth, y, x) / n;
        }
    for (Index y = 0; y < nY; ++y)
        for (Index x = 0; x < nX; ++x) {
            const double a = at(image, y, x) - meanA;
            const double b = at(truth, y, x) - meanB;
            varianceA += a * a / (n - 1);
            varianceB += b * b / (n - 1);
            covariance += a * b / (n - 1);
        }
    const double c1 = std::pow(0.01 * range, 2), c2 = std::pow(0.03 * range, 2);
    return (2 * meanA * meanB + c1) * (2 * covariance + c2) /
           ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2));
}

double naiveSsim(const Volume& image, const Volume& truth, double range) {
    const Index nY = std::min<Index>(7, image.nY), nX = std::min<Index>(7, image.nX);
    double sum = 0;
    Index windows = 0;
    for (Index z = 0; z < image.nZ; ++z)
        for (Index y = 0; y + nY <= image.nY; ++y)
            for (Index x = 0; x + nX <= image.nX; ++x) {
                const double ssim = windowSsim(image, truth, z, y, x, nY, nX, range);
                if (!std::isfinite(ssim)) continue;
                sum += ssim;
                ++windows;
            }
    return sum / static_cast<double>(windows);
}

// Both in double; they differ in the order of a few hundred additions.
constexpr double kRounding = 1e-10;

TEST(Ssim, AgreesWithTheDefinitionWindowByWindow) {
    const Volume truth = structured(3, 23, 31, 1);
    const Volume image = disturbed(truth, 0.2F, 2);
    const double found = meanSsim(image.view(), truth.view(), 1.3);
    EXPECT_NEAR(found, naiveSsim(image, truth, 1.3), kRounding);
    EXPECT_GT(found, 0.1);
    EXPECT_LT(found, 0.9);
}

TEST(Ssim, SlicesNarrowerThanAWindowAreOneWindowWide) {
    const Volume truth = structured(4, 5, 12, 3);
    const Volume image = disturbed(truth, 0.3F, 4);
    EXPECT_NEAR(meanSsim(image.view(), truth.view(), 1), naiveSsim(image, truth, 1), kRounding);
    // A single voxel a slice: only the means compare. 2·1·3 / (1 + 9) with small constants.
    const double c1 = 1e-4 * 1e-4;
    EXPECT_NEAR(meanSsim(Volume(2, 1, 1, 1).view(), Volume(2, 1, 1, 3).view(), 0.01),
                (6 + c1) / (10 + c1), kRounding);
}

TEST(Ssim, IdenticalIsOneAndNegatedIsNegative) {
    const Volume truth = structured(2, 20, 20, 5);
    EXPECT_NEAR(meanSsim(truth.view(), truth.view(), 1), 1, kRounding);
    Volume centred = truth;
    for (float& voxel : centred.voxels)
        voxel -= 0.4F;
    Volume negated = centred;
    for (float& voxel : negated.voxels)
        voxel = 0.8F - voxel;
    EXPECT_LT(meanSsim(negated.view(), centred.view(), 0.1), 0);
}

TEST(Ssim, WindowsWithNaNOrInfinityAreLeftOut) {
    Volume truth = structured(3, 24, 26, 6);
    Volume image = disturbed(truth, 0.2F, 7);
    image.at(1, 3, 4) = std::numeric_limits<float>::quiet_NaN();
    truth.at(1, 20, 25) = std::numeric_limits<float>::infinity();
    image.at(2, 12, 0) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NEAR(meanSsim(image.view(), truth.view(), 1), naiveSsim(image, truth, 1), kRounding);
    for (float& voxel : image.voxels)
        voxel = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(meanSsim(image.view(), truth.view(), 1)));
}

TEST(Ssim, AWildVoxelSpoilsOnlyItsOwnWindows) {
    const Volume truth = structured(1, 60, 60, 8);
    Volume image = disturbed(truth, 0.05F, 9);
    const double before = meanSsim(image.view(), truth.view(), 1);
    image.at(0, 30, 30) = 1e30F;
    // 49 of 54² windows fall from about `before` to 0.
    EXPECT_NEAR(meanSsim(image.view(), truth.view(), 1), before, 49.0 / (54 * 54));
}

TEST(Ssim, ThreadsMakeNoDifference) {
    const Volume truth = structured(9, 30, 30, 10);
    const Volume image = disturbed(truth, 0.1F, 11);
    EXPECT_EQ(meanSsim(image.view(), truth.view(), 1, 1),
              meanSsim(image.view(), truth.view(), 1, 4));
}

TEST(Ssim, RefusesVolumesOfDifferentShape) {
    EXPECT_ERROR((void)meanSsim(Volume(2, 8, 9).view(), Volume(2, 9, 8).view(), 1), InputError,
                 "9 × 8 × 2 voxels; it must have 8 × 9 × 2");
}

}  // namespace
}  // namespace gantry
