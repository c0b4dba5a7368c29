#include "gpu/kernels/parallel/parallel_views.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/kernels/parallel/parallel_kernels.h"

namespace gantry {
namespace {

// Views of a parallel beam, whose voxels are `scale` pixels wide and whose slices are `rowStep`
// rows apart, with all numbers `w` times as large.
gpu::ConeBatch batchOf(int views, double scale, double rowStep, double w) {
    gpu::ConeBatch batch{};
    batch.views = views;
    for (int s = 0; s < views; ++s) {
        const double angle = 0.3 + 0.41 * s;
        auto& m = batch.m[s];
        m[0][0] = w * scale * std::cos(angle);
        m[0][1] = w * scale * std::sin(angle);
        m[0][3] = w * (40.5 + s);
        m[1][2] = w * rowStep;
        m[1][3] = w * 3.25;
        m[2][3] = w;
    }
    return batch;
}

TEST(ParallelBatch, HasTheColumnAndTheRowOfEveryVoxel) {
    const gpu::ConeBatch batch = batchOf(9, 0.9, 1.3, 7);
    const auto parallel = gpu::parallelBatch(batch);
    ASSERT_TRUE(parallel);
    ASSERT_EQ(parallel->views, 9);
    for (int s = 0; s < batch.views; ++s) {
        const auto& m = batch.m[s];
        const auto at = [&](int row) {
            return (m[row][0] * 11 + m[row][1] * 5 + m[row][2] * 8 + m[row][3]) / m[2][3];
        };
        const gpu::ParallelView& view = parallel->view[s];
        EXPECT_DOUBLE_EQ(view.a * 11 + view.b * 5 + view.c, at(0));
        EXPECT_DOUBLE_EQ(view.rowStep * 8 + view.firstRow, at(1));
        // The reversed row has the same pixel in another place.
        const gpu::ParallelView upright = gpu::upright(view, 101);
        EXPECT_GE(upright.a, 0);
        const double u = upright.a * 11 + upright.b * 5 + upright.c;
        EXPECT_NEAR(view.a < 0 ? 100 - u : u, at(0), 1e-12);
    }
}

TEST(ParallelBatch, OtherViewsAreNotOne) {
    for (const auto& [row, column] : {std::pair{2, 0}, {2, 1}, {2, 2}, {0, 2}, {1, 0}, {1, 1}}) {
        gpu::ConeBatch batch = batchOf(3, 1, 1, 1);
        batch.m[2][row][column] = 1e-6;
        EXPECT_FALSE(gpu::parallelBatch(batch)) << row << column;
    }
    gpu::ConeBatch behind = batchOf(2, 1, 1, 1);
    behind.m[1][2][3] = -1;
    EXPECT_FALSE(gpu::parallelBatch(behind));
}

TEST(StackForm, GoesByTheStepOfAVoxel) {
    const auto formOf = [](double scale) {
        return gpu::stackForm(*gpu::parallelBatch(batchOf(32, scale, 1, 1)));
    };
    EXPECT_EQ(formOf(1), gpu::StackForm::square);
    EXPECT_EQ(formOf(0.6), gpu::StackForm::fine);
    EXPECT_EQ(formOf(1.1), gpu::StackForm::coarse);
    gpu::ParallelBatch along;
    along.views = 1;
    along.view[0].a = 1;  // the other step is 0: together they are a pixel
    EXPECT_EQ(gpu::stackForm(along), gpu::StackForm::square);
}

}  // namespace
}  // namespace gantry
