#include "core/cpu/kernel_trial.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

// A kernel that repacks a batch for 20 ms, and makes 1e10 updates a second; a column costs as much
// as 50 slices.
PieceTrial trialOf(double columns, double slices) {
    return {columns, slices, 0.02 + columns * (slices + 50) / 1e10};
}

TEST(KernelTrial, ARepackedBatchIsNotTakenForASlowKernel) {
    const PieceTrial small = trialOf(8e3, 240);
    const PieceTrial middle = trialOf(3.2e4, 240);
    const PieceTrial large = trialOf(1e6, 240);
    // By the small one's speed it would take 2.5 s.
    EXPECT_NEAR(predictedSeconds(small, middle, large.updates()), large.seconds,
                0.1 * large.seconds);
    const PieceTrial slow = {8e3, 240, 0.05};
    EXPECT_NEAR(predictedSeconds(slow, {3.2e4, 240, 0.2}, large.updates()), 0.2 + 6.25, 1e-9);
    EXPECT_EQ(predictedSeconds(middle, middle, 1e9), middle.seconds) << "the volume is small";
}

TEST(KernelTrial, TellsTheSpeedOnSlabsOfAnyHeight) {
    KernelChoice found = {{"columns"}, 1e9};
    takeSlabSpeed(trialOf(3.2e4, 240), trialOf(1e6, 240), trialOf(1e6, 60), 16, found);
    EXPECT_EQ(found.slices, 240);
    EXPECT_NEAR(found.columnSlices, 50, 1e-6);
    // Slabs are sixteen times as wide, and repacking takes as much as 12.5 slices.
    const auto expected = [](double slices) { return 1e10 * slices / (slices + 50); };
    for (const double slices : {10.0, 100.0, 1000.0}) {
        EXPECT_LT(found.updatesPerSecondOn(slices), expected(slices));
        EXPECT_GT(found.updatesPerSecondOn(slices), expected(slices) * 290 / 303) << slices;
    }
}

TEST(KernelTrial, WhatWasHeldUpTellsNothing) {
    KernelChoice found = {{"columns"}, 1e9};
    const PieceTrial large = trialOf(1e6, 240);
    takeSlabSpeed(trialOf(3.2e4, 240), large, {1e6, 60, large.seconds + 1}, 16, found);
    takeSlabSpeed({3.2e4, 240, large.seconds + 1}, large, trialOf(1e6, 60), 16, found);
    takeSlabSpeed(large, large, trialOf(1e6, 60), 16, found);
    takeSlabSpeed(trialOf(3.2e4, 240), large, large, 16, found);
    EXPECT_EQ(found.updatesPerSecond, 1e9);
    EXPECT_EQ(found.columnSlices, 0);
}

}  // namespace
}  // namespace gantry
