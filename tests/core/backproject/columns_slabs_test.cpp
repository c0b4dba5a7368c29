#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/backproject/cpu_kernels.h"
#include "core/geometry/footprint.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::addViews;
using test::backProject;
using test::Noise;
using test::readAll;

// Float sums of pairs and of single halves round differently, by some 1e-7 of the values.
constexpr double kSameVolume = 1e-6;

class ColumnsSlabs : public testing::TestWithParam<SimdLevel> {
  protected:
    [[nodiscard]] static std::unique_ptr<BackProjector> columns(int threads = 2) {
        return makeCpuColumnsBackProjector(threads, GetParam());
    }
    const ScanGeometry m_scan = test::scanOf(67, 71, 10);
    const VolumeGrid m_grid = test::gridOf(m_scan, {37, 35, 62}, 1.1);
    const std::vector<float> m_views = test::randomViews(m_scan, Noise::zeroMean);
};

TEST_P(ColumnsSlabs, AnySplitIntoSlabsGivesTheSameVolume) {
    const auto whole = backProject(*columns(), m_scan, m_grid, {0, 62}, m_views);
    for (const Index thickness : {1, 7, 31, 50}) {
        std::vector<float> parts;
        const auto projector = columns();  // one for all slabs, as in a run
        for (Index z = 0; z < 62; z += thickness) {
            const auto part = backProject(*projector, m_scan, m_grid,
                                          {z, std::min<Index>(62, z + thickness)}, m_views);
            parts.insert(parts.end(), part.begin(), part.end());
        }
        EXPECT_LE(test::relativeRmse(parts, whole), kSameVolume) << thickness;
    }
}

TEST_P(ColumnsSlabs, SlicesCanBeReadPieceByPiece) {
    const auto projector = columns();
    const auto whole = backProject(*projector, m_scan, m_grid, {2, 60}, m_views);
    std::vector<float> pieces;
    for (const IndexRange slices : {IndexRange{2, 3}, IndexRange{3, 32}, IndexRange{32, 60}}) {
        const auto piece = readAll(*projector, m_grid, slices);
        pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(pieces, whole);
}

TEST_P(ColumnsSlabs, ThreadsAndBatchesDoNotChangeABit) {
    const auto one = backProject(*columns(1), m_scan, m_grid, {0, 62}, m_views, 10);
    EXPECT_EQ(backProject(*columns(2), m_scan, m_grid, {0, 62}, m_views, 10), one);
    EXPECT_EQ(backProject(*columns(5), m_scan, m_grid, {0, 62}, m_views, 3), one);
}

TEST_P(ColumnsSlabs, RowsThatTheSlabDoesNotNeedMayBeLeftOut) {
    const auto projector = columns();
    for (const IndexRange slices : {IndexRange{0, 20}, IndexRange{15, 47}, IndexRange{50, 62}}) {
        const auto whole = backProject(*projector, m_scan, m_grid, slices, m_views);
        const IndexRange rows = footprintRows(alignedViews(m_scan), m_grid, slices);
        for (const Index more : {0, 3}) {  // an uneven batch too
            projector->begin(m_grid, slices);
            addViews(*projector, m_scan, m_views, {std::max<Index>(0, rows.begin - more), rows.end},
                     4);
            EXPECT_LE(test::relativeRmse(readAll(*projector, m_grid, slices), whole), kSameVolume);
        }
    }
}

TEST_P(ColumnsSlabs, BatchesWithoutSymmetryJoinASlabOfPairs) {
    ScanGeometry raised = m_scan;
    raised.detector.offsetMm[1] = 4.3;
    raised.cone().startDeg += 5;
    const auto reference = makeReferenceBackProjector(2);
    const auto projector = columns();
    for (BackProjector* each : {reference.get(), projector.get()}) {
        each->begin(m_grid, {0, 62});
        addViews(*each, m_scan, m_views, {0, 71}, 10);
        addViews(*each, raised, m_views, {0, 71}, 10);
        addViews(*each, m_scan, m_views, {10, 60}, 10);
    }
    // The tolerance for zero-mean noise.
    EXPECT_LE(test::relativeRmse(readAll(*projector, m_grid, {0, 62}),
                                 readAll(*reference, m_grid, {0, 62})),
              5e-6);
}

TEST_P(ColumnsSlabs, ASlabWithoutViewsIsZero) {
    const auto projector = columns();
    backProject(*projector, m_scan, m_grid, {0, 62}, m_views);
    projector->begin(m_grid, {4, 9});
    for (const float value : readAll(*projector, m_grid, {4, 9}))
        EXPECT_EQ(value, 0);
}

TEST_P(ColumnsSlabs, VoxelsBehindTheSourceGetNothing) {
    ScanGeometry scan = test::scanOf(64, 64, 1);
    scan.cone().startDeg = 30;
    VolumeGrid grid = test::gridOf(scan, {41, 43, 16}, 1);
    grid.pitchMm = {40, 40, 20};  // reaches far behind the source
    const auto views = test::randomViews(scan, Noise::uniform);
    const auto actual = backProject(*columns(), scan, grid, {0, 16}, views);
    const auto expected = backProject(*makeReferenceBackProjector(1), scan, grid, {0, 16}, views);
    const auto matrix = projectionMatrices(scan)[0];
    Index behind = 0;
    std::size_t i = 0;
    for (double z = 0; z < 16; ++z)
        for (double y = 0; y < 43; ++y)
            for (double x = 0; x < 41; ++x, ++i) {
                const Vec3 at = grid.positionMm(x, y, z);
                const bool isBehind = matrix.project(at.x, at.y, at.z).z <= 0;
                behind += isBehind ? 1 : 0;
                if (isBehind) {
                    EXPECT_EQ(actual[i], 0);
                }
                // Float sums; near the source a voxel's steps of rows are huge.
                EXPECT_NEAR(actual[i], expected[i], 1e-5 * std::abs(expected[i]) + 1e-12);
            }
    EXPECT_GT(behind, 1000);
}

TEST_P(ColumnsSlabs, StopsInTheMidstOfABatch) {
    const ScanGeometry scan = test::scanOf(64, 64, 1);
    const VolumeGrid grid = test::gridOf(scan, {256, 256, 64}, 1);
    const Index views = 3000;  // many seconds of work
    const std::vector<float> data(static_cast<std::size_t>(views * 64 * 64), 1.0F);
    const std::vector<ProjectionMatrix> matrices(static_cast<std::size_t>(views),
                                                 projectionMatrices(scan)[0]);
    const auto projector = columns();
    // A voxel of the last rows of tiles, whose turn comes at the end.
    const auto lateVoxel = [&] {
        std::vector<float> slice(std::size_t{256} * 256);
        projector->read({32, 33}, {slice.data(), 1, 256, 256});
        return slice[std::size_t{240} * 256 + 128];
    };
    projector->begin(grid, {0, 64});
    projector->add({{data.data(), 1, 64, 64}, 0, {matrices.data(), 1}}, {});
    EXPECT_GT(lateVoxel(), 0);
    projector->begin(grid, {0, 64});
    std::stop_source stop;
    std::jthread user([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        stop.request_stop();
    });
    EXPECT_THROW(projector->add({{data.data(), views, 64, 64}, 0, matrices}, stop.get_token()),
                 Cancelled);
    user.join();
    EXPECT_EQ(lateVoxel(), 0);
}

TEST_P(ColumnsSlabs, RefusesDetectorsThatAreNotAligned) {
    for (double Detector::*angle : {&Detector::rollDeg, &Detector::tiltDeg}) {
        ScanGeometry scan = m_scan;
        scan.detector.*angle = 0.5;
        EXPECT_ERROR(backProject(*columns(), scan, m_grid, {0, 8}, m_views), InternalError,
                     "aligned");
    }
    ScanGeometry upsideDown = m_scan;
    upsideDown.detector.rollDeg = 180;
    EXPECT_ERROR(backProject(*columns(), upsideDown, m_grid, {0, 8}, m_views), InternalError,
                 "aligned");
}

TEST_P(ColumnsSlabs, NeedsTheSlabAndTheViewsAndLittleMore) {
    const VolumeGrid grid{{512, 512, 512}, {1, 1, 1}, {0, 0, 0}};
    const Index data = 4 * (512 * 512 * 512 + 32 * 512 * 512);
    const Index needed = columns()->bytesNeeded(grid, 512, 32, 512, 512);
    EXPECT_GE(needed, data);
    EXPECT_LE(needed, data + data / 10);  // padding
}

INSTANTIATE_TEST_SUITE_P(Levels, ColumnsSlabs, testing::ValuesIn(supportedSimdLevels()),
                         test::levelName);

TEST(SimdLevels, EveryMachineHasThePortableOne) {
    ASSERT_FALSE(supportedSimdLevels().empty());
    EXPECT_EQ(supportedSimdLevels().front(), SimdLevel::portable);
    EXPECT_EQ(name(SimdLevel::avx512), "AVX-512");
}

TEST(SimdLevels, WhatTheMachineLacksIsRefused) {
    const std::vector<SimdLevel> has = supportedSimdLevels();
    constexpr auto kOfNoMachine = static_cast<SimdLevel>(77);
    for (const SimdLevel level :
         {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512, kOfNoMachine}) {
        if (std::find(has.begin(), has.end(), level) != has.end()) {
            EXPECT_NO_THROW((void)makeCpuColumnsBackProjector(1, level)) << name(level);
        } else {
            EXPECT_ERROR((void)makeCpuColumnsBackProjector(1, level), InternalError,
                         "lacks the instruction set");
        }
    }
}

}  // namespace
}  // namespace gantry
