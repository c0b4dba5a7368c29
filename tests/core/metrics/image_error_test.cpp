#include "core/metrics/image_error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stop_token>

#include "core/base/error.h"
#include "core/metrics/ssim.h"
#include "tests/core/metrics/volumes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::disturbed;
using test::structured;
using test::Volume;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ImageError, HasTheFiguresOfACaseDoneByHand) {
    Volume truth(1, 2, 2);
    truth.voxels = {0, 1, 2, 4};
    Volume image(1, 2, 2);
    image.voxels = {0, 1, 5, 0};
    const ImageError error = imageError(image.view(), truth.view());
    EXPECT_DOUBLE_EQ(error.rmse, 2.5);                                // √((9 + 16) / 4)
    EXPECT_DOUBLE_EQ(error.relativeRmse, 2.5 / std::sqrt(21 / 4.0));  // 0 + 1 + 4 + 16
    EXPECT_DOUBLE_EQ(error.mae, 7 / 4.0);
    EXPECT_DOUBLE_EQ(error.maxError, 4);
    EXPECT_EQ(error.maxErrorAt, (std::array<Index, 3>{1, 1, 0}));
    EXPECT_DOUBLE_EQ(error.peak, 4);
    EXPECT_DOUBLE_EQ(error.psnrDb, 20 * std::log10(4 / 2.5));
    EXPECT_EQ(error.voxels, 4);
    EXPECT_EQ(error.notFinite, 0);
}

TEST(ImageError, APeakReplacesTheRangeInPsnrAndSsim) {
    const Volume truth = structured(2, 12, 14, 1);
    const Volume image = disturbed(truth, 0.1F, 2);
    const ImageError plain = imageError(image.view(), truth.view());
    const ImageError peaked = imageError(image.view(), truth.view(), 2 * plain.peak);
    // Twice the peak is 20·log10(2) dB more; equal but for rounding.
    EXPECT_NEAR(peaked.psnrDb - plain.psnrDb, 20 * std::log10(2.0), 1e-12);
    EXPECT_EQ(peaked.ssim, meanSsim(image.view(), truth.view(), 2 * plain.peak));
    EXPECT_EQ(plain.ssim, meanSsim(image.view(), truth.view(), plain.peak));
    EXPECT_EQ(peaked.rmse, plain.rmse);
}

TEST(ImageError, NoDifferenceIsInfinitePsnr) {
    const Volume truth = structured(2, 9, 11, 3);
    const ImageError error = imageError(truth.view(), truth.view());
    EXPECT_EQ(error.rmse, 0);
    EXPECT_EQ(error.relativeRmse, 0);
    EXPECT_EQ(error.psnrDb, std::numeric_limits<double>::infinity());
    EXPECT_NEAR(error.ssim, 1, 1e-12);  // rounding
}

TEST(ImageError, ATruthOfOneValueStillHasAPeak) {
    const ImageError flat = imageError(Volume(1, 8, 8, 4).view(), Volume(1, 8, 8, 5).view());
    EXPECT_EQ(flat.peak, 5);
    EXPECT_DOUBLE_EQ(flat.psnrDb, 20 * std::log10(5.0));
    const ImageError nothing = imageError(Volume(1, 8, 8, 0.1F).view(), Volume(1, 8, 8, 0).view());
    EXPECT_EQ(nothing.peak, 1);
    EXPECT_EQ(nothing.relativeRmse, std::numeric_limits<double>::infinity());
    EXPECT_EQ(imageError(Volume(1, 8, 8).view(), Volume(1, 8, 8).view()).relativeRmse, 0);
}

TEST(ImageError, OnlyMaskedVoxelsCount) {
    const Volume truth = structured(3, 10, 9, 4);
    const Volume image = disturbed(truth, 0.3F, 5);
    std::vector<unsigned char> mask(truth.voxels.size());
    double squares = 0, sum = 0, largest = 0, low = 1e9, high = -1e9;
    Index count = 0;
    for (std::size_t i = 0; i < mask.size(); i += 3) {
        mask[i] = 1;
        const double t = static_cast<double>(truth.voxels[i]);
        const double e = std::abs(static_cast<double>(image.voxels[i]) - t);
        squares += e * e;
        sum += e;
        largest = std::max(largest, e);
        low = std::min(low, t);
        high = std::max(high, t);
        ++count;
    }
    const ImageError error = imageError(image.view(), truth.view(), 0, {mask.data(), 3, 10, 9});
    const auto n = static_cast<double>(count);
    // Sums of ninety doubles in another order.
    EXPECT_NEAR(error.rmse, std::sqrt(squares / n), 1e-14);
    EXPECT_NEAR(error.mae, sum / n, 1e-14);
    EXPECT_EQ(error.maxError, largest);
    EXPECT_EQ(error.peak, high - low);
    EXPECT_EQ(error.voxels, count);
}

TEST(ImageError, WhatIsNotFiniteIsCountedAndLeftOut) {
    Volume truth = structured(2, 9, 9, 6);
    Volume image = disturbed(truth, 0.2F, 7);
    std::vector<unsigned char> mask(truth.voxels.size(), 1);
    mask[3] = mask[40] = mask[100] = 0;
    const ImageError without = imageError(image.view(), truth.view(), 0, {mask.data(), 2, 9, 9});
    image.voxels[3] = kNaN;
    image.voxels[40] = -kInfinity;
    truth.voxels[100] = kInfinity;
    const ImageError error = imageError(image.view(), truth.view());
    EXPECT_EQ(error.notFinite, 3);
    EXPECT_EQ(error.voxels, 2 * 81 - 3);
    EXPECT_EQ(error.rmse, without.rmse);
    EXPECT_EQ(error.psnrDb, without.psnrDb);
    EXPECT_EQ(error.maxError, without.maxError);
    EXPECT_TRUE(std::isfinite(error.ssim));
}

TEST(ImageError, ThreadsMakeNoDifference) {
    const Volume truth = structured(11, 21, 17, 8);
    const Volume image = disturbed(truth, 0.2F, 9);
    const ImageError one = imageError(image.view(), truth.view(), 0, {}, 1);
    const ImageError four = imageError(image.view(), truth.view(), 0, {}, 4);
    EXPECT_EQ(one.rmse, four.rmse);
    EXPECT_EQ(one.mae, four.mae);
    EXPECT_EQ(one.ssim, four.ssim);
}

TEST(ImageError, RefusesWhatCannotBeCompared) {
    const Volume truth(2, 3, 4, 1);
    EXPECT_ERROR((void)imageError(Volume(2, 3, 5).view(), truth.view()), InputError,
                 "The volume has 5 × 3 × 2 voxels; it must have 4 × 3 × 2");
    std::vector<unsigned char> mask(24);
    EXPECT_ERROR((void)imageError(truth.view(), truth.view(), 0, {mask.data(), 2, 4, 3}),
                 InputError, "The mask has 3 × 4 × 2 voxels");
    EXPECT_ERROR((void)imageError(truth.view(), truth.view(), 0, {mask.data(), 2, 3, 4}),
                 InputError, "All 0 voxels");
    EXPECT_ERROR((void)imageError(Volume(2, 3, 4, kNaN).view(), truth.view()), InputError,
                 "All 24 voxels to compare are NaN or infinite");
}

TEST(ImageError, OfOtherVoxelsIsThatAtTheFirstOnesCentres) {
    // The truth is linear in the world, so that interpolation is exact; the image is 0.5 above it,
    // and 2 in one voxel.
    const auto linear = [](Vec3 p) { return 1 + 0.5 * p.x - 0.25 * p.y + 2 * p.z; };
    const auto filled = [&](const VolumeGrid& grid) {
        Volume volume(grid.voxels[2], grid.voxels[1], grid.voxels[0]);
        for (Index z = 0; z < volume.nZ; ++z)
            for (Index y = 0; y < volume.nY; ++y)
                for (Index x = 0; x < volume.nX; ++x)
                    volume.at(z, y, x) = static_cast<float>(linear(grid.positionMm(
                        static_cast<double>(x), static_cast<double>(y), static_cast<double>(z))));
        return volume;
    };
    const VolumeGrid imageGrid{{9, 7, 5}, {0.7, 1.1, 0.9}, {3, -2, 1}};
    const VolumeGrid truthGrid{{31, 23, 4}, {0.31, 0.4, 1.3}, {3.2, -1.8, 1}};
    Volume image = filled(imageGrid);
    for (float& voxel : image.voxels)
        voxel += 0.5F;
    image.at(2, 3, 4) += 1.5F;
    const Volume truth = filled(truthGrid);
    const ImageError found = resampledError(image.view(), imageGrid, truth.view(), truthGrid, 3);
    // All centres lie between the truth's, so that nothing is at its border.
    EXPECT_EQ(found.voxels, 9 * 7 * 5);
    EXPECT_EQ(found.maxErrorAt, (std::array<Index, 3>{4, 3, 2}));
    EXPECT_NEAR(found.maxError, 2, 1e-5);  // of floats below 20
    EXPECT_TRUE(std::isnan(found.ssim));

    const VolumeGrid half{{9, 7, 2}, {0.7, 1.1, 0.9}, {3, -2, 3.55}};
    Volume above = filled(half);
    // One of its slices, at 3.1 and 4 mm, lies in the truth.
    EXPECT_EQ(resampledError(above.view(), half, truth.view(), truthGrid).voxels, 9 * 7);
    VolumeGrid away = half;
    away.centerMm[0] = 100;
    EXPECT_ERROR((void)resampledError(above.view(), away, truth.view(), truthGrid), InputError,
                 "The volumes have no place in common.");
}

TEST(ImageError, OnTheSameGridResamplingChangesNothing) {
    const VolumeGrid grid{{8, 9, 7}, {0.3, 0.5, 0.7}, {1, 2, -3}};
    const Volume truth = structured(7, 9, 8, 4);
    const Volume image = disturbed(truth, 0.1F, 5);
    const ImageError plain = imageError(image.view(), truth.view());
    const ImageError again = resampledError(image.view(), grid, truth.view(), grid);
    EXPECT_NEAR(again.rmse, plain.rmse, 1e-9 * plain.rmse);  // rounding of the places
    EXPECT_EQ(again.voxels, plain.voxels);
    EXPECT_EQ(again.maxErrorAt, plain.maxErrorAt);
}

TEST(ImageError, EndsWhenAskedToStop) {
    const Volume truth = structured(5, 9, 8, 4);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)imageError(truth.view(), truth.view(), 0, {}, 2, stop.get_token()),
                 Cancelled);
}

}  // namespace
}  // namespace gantry
