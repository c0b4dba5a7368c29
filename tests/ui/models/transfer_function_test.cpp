#include "ui/models/image/transfer_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gantry {
namespace {

// Air, plastics and metal with noise: 70, 25 and 5 % of the voxels.
std::vector<float> plasticsWithMetal(double metal = 0.2) {
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 0.001F);
    std::vector<float> voxels;
    for (int i = 0; i < 20'000; ++i) {
        const double value = i % 20 < 14 ? 0.0 : i % 20 < 19 ? 0.02 : metal;
        voxels.push_back(static_cast<float>(value) + noise(random));
    }
    return voxels;
}

TransferFunction presetOf(TransferPreset preset, const std::vector<float>& voxels) {
    return presetTransfer(preset, histogramOf(voxels), autoWindow(voxels));
}

TEST(TransferFunction, IsLinearBetweenItsPointsAndLevelBeyond) {
    const TransferFunction transfer{{{1, 0.2, qRgb(0, 100, 200)}, {3, 0.6, qRgb(100, 0, 200)}}};
    EXPECT_EQ(transfer.at(2).colour, qRgb(50, 50, 200));
    EXPECT_DOUBLE_EQ(transfer.at(2).opacity, 0.4);
    EXPECT_DOUBLE_EQ(transfer.at(-7).opacity, 0.2);
    EXPECT_DOUBLE_EQ(transfer.at(9).opacity, 0.6);
}

TEST(TransferFunction, OfTheWindowIsClearAtBlackAndDenseAtWhite) {
    const TransferFunction transfer = windowTransfer({0.01, 0.05});
    EXPECT_DOUBLE_EQ(transfer.at(0.01).opacity, 0);
    EXPECT_GT(transfer.at(0.05).opacity, 0.5);
    const TransferFunction wider = stretched(transfer, {0.01, 0.05}, {0, 0.08});
    EXPECT_NEAR(wider.points.front().value, 0, 1e-12);
    EXPECT_NEAR(wider.points.back().value, 0.08, 1e-12);
}

TEST(TransferFunction, PresetsShowTheirMaterialAndNotTheOthers) {
    const std::vector<float> voxels = plasticsWithMetal();
    const TransferFunction all = presetOf(TransferPreset::all, voxels);
    EXPECT_EQ(all.at(0.0).opacity, 0);
    EXPECT_GT(all.at(0.02).opacity, 0.1);
    EXPECT_GT(all.at(0.2).opacity, 0.5);
    const TransferFunction soft = presetOf(TransferPreset::soft, voxels);
    EXPECT_EQ(soft.at(0.0).opacity, 0);
    EXPECT_GT(soft.at(0.02).opacity, 0.2);
    EXPECT_EQ(soft.at(0.2).opacity, 0);
    const TransferFunction dense = presetOf(TransferPreset::dense, voxels);
    EXPECT_LT(dense.at(0.02).opacity, 0.02);
    EXPECT_GT(dense.at(0.2).opacity, 0.5);
    const TransferFunction pores = presetOf(TransferPreset::pores, voxels);
    EXPECT_EQ(pores.at(0.0).opacity, 0);
    EXPECT_GT(pores.at(0.01).opacity, 0.1);
    EXPECT_EQ(pores.at(0.02).opacity, 0);
}

// One kind of matter has no dense part: all of it is soft.
TEST(TransferFunction, OneKindOfMatterIsSoftAsAWhole) {
    const TransferFunction soft = presetOf(TransferPreset::soft, plasticsWithMetal(0.02));
    for (const double value : {0.018, 0.02, 0.022})
        EXPECT_GT(soft.at(value).opacity, 0.2) << value;
}

TEST(TransferFunction, OddVolumesHavePresetsWithPointsApart) {
    const float nan = std::nanf("");
    for (const std::vector<float>& voxels :
         {std::vector<float>{}, std::vector<float>(9, 1.0F), std::vector<float>(9, nan),
          std::vector<float>{0, 1}, std::vector<float>{-1e30F, 0, 1e30F}})
        for (const TransferPreset preset : kTransferPresets) {
            const TransferFunction transfer = presetOf(preset, voxels);
            ASSERT_GE(transfer.points.size(), 2U);
            for (std::size_t i = 1; i < transfer.points.size(); ++i)
                EXPECT_GT(transfer.points[i].value, transfer.points[i - 1].value);
        }
}

}  // namespace
}  // namespace gantry
