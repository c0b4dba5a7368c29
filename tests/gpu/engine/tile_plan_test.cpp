#include "gpu/engine/tile_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/geometry/views/projection_matrix.h"
#include "core/simulate/jitter.h"
#include "gpu/kernels/tile/run_rise.h"

namespace gantry {
namespace {

struct Problem {
    gpu::ConeBatch batch;
    gpu::ConeSlab slab;
};

// Views of `pixels`² on a volume of which a voxel steps about `rows` rows, off the middle; turned
// by up to `deg` and moved by as many mm from their circle.
Problem problemOf(Index pixels, double rows, double firstDeg, std::array<Index, 3> voxels,
                  double deg = 0) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 600;
    geometry.cone().views = 32;
    geometry.cone().startDeg = firstDeg;
    geometry.cone().arcDeg = 11;
    geometry.detector.columns = geometry.detector.rows = pixels;
    const double pitch = 200.0 / static_cast<double>(pixels);
    geometry.detector.pitchMm = {pitch, pitch};
    VolumeGrid grid;
    grid.voxels = voxels;
    const double voxel = rows * pitch / 2;
    grid.pitchMm = {voxel, voxel, voxel};
    grid.centerMm = {3, -5, 7};
    Problem problem{};
    problem.slab = {nullptr, static_cast<int>(voxels[0]), static_cast<int>(voxels[1]),
                    static_cast<int>(voxels[2])};
    problem.batch.views = 32;
    int s = 0;
    const ScanGeometry posed = deg > 0 ? jittered(geometry, deg, deg, 1) : geometry;
    for (const ProjectionMatrix& matrix : projectionMatrices(posed)) {
        const ProjectionMatrix onVoxels = onVoxelIndices(matrix, grid);
        for (std::size_t i = 0; i < 3; ++i)
            std::copy(onVoxels.m[i].begin(), onVoxels.m[i].end(), problem.batch.m[s][i]);
        ++s;
    }
    return problem;
}

struct Range {
    double low = 1e300;
    double high = -1e300;
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

// The box that one tile needs in one view, as the kernel places it.
gpu::TileBox boxOf(const Problem& problem, const gpu::TileShape& shape, int s, int x, int y,
                   int z) {
    const auto& m = problem.batch.m[s];
    Range u;
    Range v;
    for (int corner = 0; corner < 8; ++corner) {
        const int lastX = shape.anyPose ? x + shape.x : problem.slab.nX - 1;
        const int lastY = shape.anyPose ? y + shape.y : problem.slab.nY - 1;
        const double i = std::min(lastX, x + (corner & 1) * (shape.x - 1));
        const double j = std::min(lastY, y + (corner >> 1 & 1) * (shape.y - 1));
        const double k = z + (corner >> 2) * (shape.z - 1);
        const auto at = [&](int row) {
            return m[row][0] * i + m[row][1] * j + m[row][2] * k + m[row][3];
        };
        u.add(at(0) / at(2));
        v.add(at(1) / at(2));
    }
    constexpr double kSlack = 0.01;
    const double atOnce = gpu::rowsAtOnce(shape.order);
    const double row = atOnce * std::floor((v.low - kSlack) / atOnce);
    const int beyond = gpu::isSplit(shape.order) || shape.anyPose ? 0 : gpu::kRowsBeyondRun;
    return {static_cast<int>(std::floor(u.high + kSlack) - std::floor(u.low - kSlack)) +
                gpu::columnsOfPosition(shape.order),
            static_cast<int>(std::floor(v.high + kSlack) - row) + 2 + beyond};
}

TEST(TilePlan, TheLargestBoxHoldsEveryTilesFootprint) {
    for (const double firstDeg : {0.0, 38.0, 85.0, 203.0})
        for (int number = 0; number < gpu::tileShapeCount(); ++number) {
            const gpu::TileShape shape = gpu::tileShape(number);
            const Problem problem =
                problemOf(300, gpu::isSplit(shape.order) ? 1.7 : 0.8, firstDeg, {101, 83, 150});
            const gpu::TileBox box = largestBox(shape, problem.batch, problem.slab);
            EXPECT_EQ(box.rows % gpu::rowsAtOnce(shape.order), 0);
            gpu::TileBox max;
            for (int s = 0; s < 32; s += 5)
                for (int x = 0; x < problem.slab.nX; x += shape.x)
                    for (int y = 0; y < problem.slab.nY; y += shape.y)
                        for (int z = 0; z < problem.slab.nZ; z += shape.z) {
                            const gpu::TileBox one = boxOf(problem, shape, s, x, y, z);
                            max.columns = std::max(max.columns, one.columns);
                            max.rows = std::max(max.rows, one.rows);
                        }
            EXPECT_GE(box.columns, max.columns) << number;
            EXPECT_GE(box.rows, max.rows) << number;
            // And not much larger, or shared memory would be filled with what nobody reads.
            EXPECT_LE(box.columns, max.columns * 1.1 + 3) << number;
            EXPECT_LE(box.rows, max.rows * 1.1 + 8) << number;
        }
}

TEST(TilePlan, TheLargestBoxOfAnyPoseHoldsNearlyEveryTilesFootprint) {
    const gpu::TileShape shape = gpu::tileShape(gpu::tileShapeCount());
    ASSERT_TRUE(shape.anyPose);
    for (const double deg : {0.5, 2.0, 10.0}) {
        const Problem problem = problemOf(300, 0.9, 38, {201, 183, 150}, deg);
        const gpu::TileBox box = largestPoseBox(shape, problem.batch, problem.slab);
        int tiles = 0;
        int larger = 0;
        gpu::TileBox max;
        for (int s = 0; s < 32; ++s)
            for (int x = 0; x < problem.slab.nX; x += shape.x)
                for (int y = 0; y < problem.slab.nY; y += shape.y)
                    for (int z = 0; z < problem.slab.nZ; z += shape.z) {
                        const gpu::TileBox one = boxOf(problem, shape, s, x, y, z);
                        max.columns = std::max(max.columns, one.columns);
                        max.rows = std::max(max.rows, one.rows);
                        ++tiles;
                        if (one.columns > box.columns || one.rows > box.rows) ++larger;
                    }
        // Those that do not fit are made, but slowly.
        EXPECT_LE(larger, tiles / 1000) << deg;
        EXPECT_LE(box.columns, max.columns * 1.1 + 3) << deg;
        EXPECT_LE(box.rows, max.rows * 1.1 + 6) << deg;
    }
}

DeviceInfo deviceWith(Index sharedBytes) {
    DeviceInfo device;
    device.sharedBytes = sharedBytes;
    return device;
}

// Whether the plan of a problem has split rows, so that lanes go up columns together.
bool splits(const Problem& problem) {
    const TilePlan plan = planTile(problem.batch, problem.slab, deviceWith(232448), -1, 0);
    EXPECT_GE(plan.shape, 0);
    return plan.shape >= 0 && gpu::isSplit(gpu::tileShape(plan.shape).order);
}

TEST(TilePlan, VoxelsAreMadeInRunsUpToSomeTwoRowsAVoxel) {
    const Problem fine = problemOf(300, 0.8, 20, {101, 83, 150});
    EXPECT_NEAR(rowsPerVoxel(fine.batch, fine.slab), 0.8, 0.05);
    EXPECT_FALSE(splits(fine));
    EXPECT_FALSE(splits(problemOf(300, 1.5, 20, {101, 83, 150})));
    EXPECT_TRUE(splits(problemOf(300, 2.1, 20, {101, 83, 150})));
}

TEST(TilePlan, TheNearestVoxelsDecideWhetherTheyAreMadeInRuns) {
    // The volume reaches to three quarters of the way to the source: there a voxel steps by a
    // third more than in the middle.
    EXPECT_FALSE(splits(problemOf(300, 1.2, 20, {301, 301, 150})));
    EXPECT_TRUE(splits(problemOf(300, 1.6, 20, {301, 301, 150})));
}

TEST(TilePlan, WhatFitsNoSharedMemoryIsFetchedDirectly) {
    const Problem fine = problemOf(300, 0.8, 20, {101, 83, 150});
    EXPECT_LT(planTile(fine.batch, fine.slab, deviceWith(9000), -1, 0).shape, 0);
    const Problem far = problemOf(300, 6, 20, {31, 31, 31});
    EXPECT_LT(planTile(far.batch, far.slab, deviceWith(232448), -1, 0).shape, 0);
    // A device of 100 KB still has a stage of a box.
    EXPECT_GE(planTile(fine.batch, fine.slab, deviceWith(101376), -1, 0).shape, 0);
}

TEST(TilePlan, PosesHaveAShapeHoweverLargeTheirFootprints) {
    for (const double rows : {0.9, 3.0, 20.0}) {
        const Problem problem = problemOf(300, rows, 20, {101, 83, 150}, 2);
        for (const Index shared : {232448, 101376, 49152}) {
            const TilePlan plan = planPoses(problem.batch, problem.slab, deviceWith(shared));
            ASSERT_GE(plan.shape, gpu::tileShapeCount());
            EXPECT_LE(static_cast<Index>(gpu::tileSharedBytes(plan.shape, plan.box, plan.stages)),
                      shared);
            EXPECT_GE(plan.stages, 1);
            EXPECT_GT(plan.box.columns, 0);
            EXPECT_LE(plan.box.rows, 256);
        }
    }
}

TEST(TilePlan, AShapeThatDoesNotFitGivesWayToAnother) {
    const Problem coarse = problemOf(300, 2.2, 20, {101, 83, 150});
    constexpr int kHigh = 0;  // its tiles are 128 voxels high, and boxes 256 rows at most
    const TilePlan plan = planTile(coarse.batch, coarse.slab, deviceWith(232448), kHigh, 0);
    EXPECT_GT(plan.shape, kHigh);
}

TEST(TilePlan, BlocksThatShareAMultiprocessorLeaveWhatCudaKeepsOfEach) {
    const Problem fine = problemOf(300, 0.8, 20, {101, 83, 150});
    constexpr int kShape = 1;
    const gpu::TileShape shape = gpu::tileShape(kShape);
    const gpu::TileBox box = largestBox(shape, fine.batch, fine.slab);
    // Each block takes 1024 bytes more, and the only one there may be has as much less.
    const Index bytes = static_cast<Index>(gpu::tileSharedBytes(kShape, box, shape.stages)) + 1024;
    const Index needed = shape.blocks * bytes - 1024;
    const auto stages = [&](Index shared) {
        return planTile(fine.batch, fine.slab, deviceWith(shared), kShape, 0).stages;
    };
    EXPECT_EQ(stages(needed), shape.stages);
    EXPECT_EQ(stages(needed - 1), shape.stages - 1);
}

TEST(TilePlan, AVolumeThatReachesTheSourceIsFetchedDirectly) {
    const Problem wide = problemOf(300, 6, 20, {401, 401, 31});
    EXPECT_LT(planTile(wide.batch, wide.slab, deviceWith(232448), 0, 0).shape, 0);
}

}  // namespace
}  // namespace gantry
