#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/backproject/cpu_kernels.h"
#include "gpu/kernels/aligned_batch.h"
#include "gpu/kernels/interpolate.h"
#include "gpu/kernels/repack_views.h"
#include "gpu/kernels/tile/local_view.h"
#include "tests/core/backproject/back_projection.h"

namespace gantry {
namespace {

using gpu::ConeBatch;
using gpu::ConeSlab;
using gpu::LocalView;

// The first views of a scan on the slices of a grid; rows count from firstRow.
ConeBatch batchOf(const ScanGeometry& scan, const VolumeGrid& grid, IndexRange slices,
                  Index firstRow = 0) {
    ConeBatch batch{};
    for (const ProjectionMatrix& matrix : projectionMatrices(scan)) {
        if (batch.views == gpu::kMaxViews) break;
        auto& m = batch.m[batch.views++];
        const auto onSlab = onVoxelIndices(matrix, grid.slab(slices)).m;
        for (std::size_t i = 0; i < 4; ++i) {
            m[0][i] = onSlab[0][i];
            m[1][i] = onSlab[1][i] - static_cast<double>(firstRow) * onSlab[2][i];
            m[2][i] = onSlab[2][i];
        }
    }
    return batch;
}

ConeSlab slabOf(const VolumeGrid& grid, Index slices) {
    return {nullptr, static_cast<int>(grid.voxels[0]), static_cast<int>(grid.voxels[1]),
            static_cast<int>(slices)};
}

float dot(const float4& row, double i, double j, double k) {
    return row.x * static_cast<float>(i) + row.y * static_cast<float>(j) +
           row.z * static_cast<float>(k) + row.w;
}

TEST(LocalView, KeepsCoordinatesOfLargeDetectorsExact) {
    ScanGeometry scan = test::scanOf(2000, 1900, 7);
    scan.detector.rollDeg = 1.5;
    scan.detector.tiltDeg = -2;
    const VolumeGrid grid = test::gridOf(scan, {1000, 900, 950}, 1.7);
    const ConeBatch batch = batchOf(scan, grid, {0, 950});
    std::mt19937 random(3);
    std::uniform_int_distribution<int> voxel(0, 899);
    std::uniform_int_distribution<int> step(0, 31);
    for (int trial = 0; trial < 2000; ++trial) {
        const auto& m = batch.m[trial % batch.views];
        const int i = voxel(random);
        const int j = voxel(random);
        const int k = voxel(random);
        const int d[3] = {step(random), step(random) % 4, step(random) % 4};
        const auto exact = [&](int row) {
            return m[row][0] * (i + d[0]) + m[row][1] * (j + d[1]) + m[row][2] * (k + d[2]) +
                   m[row][3];
        };
        const LocalView view = gpu::localView(m, i, j, k);
        const float z = dot(view.z, d[0], d[1], d[2]);
        const double u = view.column + double{dot(view.u, d[0], d[1], d[2]) / z};
        const double v = view.row + double{dot(view.v, d[0], d[1], d[2]) / z};
        // 64 pixels from the voxel it counts from a float has steps of 4e-6; at row 1900, of 1e-4.
        EXPECT_NEAR(u, exact(0) / exact(2), 1e-5);
        EXPECT_NEAR(v, exact(1) / exact(2), 1e-5);
        EXPECT_NEAR(z / exact(2), 1, 3e-7);
    }
}

TEST(LocalView, IsFiniteAroundTheSource) {
    const double behind[3][4] = {{1, 0, 0, 0}, {0, 0, 1, 5}, {0, 1, 0, 0}};  // z = j
    for (const int j : {-3, 0}) {
        const LocalView view = gpu::localView(behind, 2, j, 0);
        EXPECT_FLOAT_EQ(view.column, 0);
        EXPECT_FLOAT_EQ(dot(view.u, 1, 4, 0), 3);
        EXPECT_FLOAT_EQ(dot(view.z, 1, 4, 0), static_cast<float>(j + 4));
        EXPECT_EQ(gpu::columnView(view, 0, 0, 100).reciprocal, 0);
    }
    const double near[3][4] = {{1, 0, 0, 1e9}, {0, 0, 1, -1e9}, {0, 0, 0, 1e-3}};
    const LocalView far = gpu::localView(near, 0, 0, 0);
    EXPECT_LT(std::abs(far.column), 1e7F);
    EXPECT_EQ(gpu::columnView(far, 0, 0, 100).reciprocal, 0);
}

TEST(LocalView, ColumnsBesideTheViewAreNotSeen) {
    const double m[3][4] = {{1, 0, 0, -20}, {0, 0, 0.5, 3}, {0, 0, 0, 2}};  // u = (i − 20)/2
    const LocalView view = gpu::localView(m, 10, 0, 0);
    EXPECT_EQ(gpu::columnView(view, 8, 0, 50).reciprocal, 0);  // u = −1
    const gpu::ColumnView first = gpu::columnView(view, 9, 0, 50);
    EXPECT_FLOAT_EQ(first.reciprocal, 0.5F);
    EXPECT_FLOAT_EQ(first.column, -1);
    EXPECT_FLOAT_EQ(first.columnShare, 0.5F);
    EXPECT_FLOAT_EQ(first.row, 1);
    EXPECT_FLOAT_EQ(first.rowShare, 0.5F);
    EXPECT_FLOAT_EQ(first.step, 0.25F);
    EXPECT_NE(gpu::columnView(view, 109, 0, 50).reciprocal, 0);
    EXPECT_EQ(gpu::columnView(view, 110, 0, 50).reciprocal, 0);  // u = 50
}

TEST(Interpolate, BlendsFourPixels) {
    const float pixels[2][2] = {{1, 5}, {-3, 11}};
    const auto pixel = [&](int row, int column) { return pixels[row][column]; };
    EXPECT_FLOAT_EQ(gpu::interpolate(pixel, 0, 0), 1);
    EXPECT_FLOAT_EQ(gpu::interpolate(pixel, 0, 0.25F), 2);
    EXPECT_FLOAT_EQ(gpu::interpolate(pixel, 0.25F, 0), 0);
    EXPECT_FLOAT_EQ(gpu::interpolate(pixel, 0.5F, 0.5F), 3.5F);
}

// What shflBP does, one thread after the other.
class Columns {
  public:
    Columns(const ScanGeometry& scan, const VolumeGrid& grid, IndexRange slices, IndexRange rows,
            const std::vector<float>& views)
        : m_batch(batchOf(scan, grid, slices, rows.begin)),
          m_slab(slabOf(grid, slices.size())),
          m_scan(scan),
          m_rows(rows),
          m_views(views),
          m_sum(gpu::mirrorSum(m_batch, m_slab)) {}

    [[nodiscard]] bool isMirrored() const { return m_sum.has_value(); }

    std::vector<float> add() {
        m_voxels.assign(static_cast<std::size_t>(m_slab.nX) * m_slab.nY * m_slab.nZ, 0);
        const int nZ = m_sum ? (m_slab.nZ + 1) / 2 : m_slab.nZ;
        for (int s = 0; s < m_batch.views; ++s)
            for (int j = 0; j < m_slab.nY; ++j)
                for (int i = 0; i < m_slab.nX; ++i)
                    for (int k = 0; k < nZ; ++k)
                        addVoxel(s, i, j, k);
        return m_voxels;
    }

  private:
    // Row 0 and next in steps of `next`.
    [[nodiscard]] float at(int s, float row, float column, int next, float rowShare,
                           float columnShare) const {
        const auto pixel = [&](int dRow, int dColumn) {
            const Index v = static_cast<Index>(row) + dRow * next;
            const Index u = static_cast<Index>(column) + dColumn;
            const Index nU = m_scan.detector.columns;
            if (v < 0 || v >= m_rows.size() || u < 0 || u >= nU) return 0.0F;
            const Index line = s * m_scan.detector.rows + m_rows.begin + v;
            return m_views[static_cast<std::size_t>(line * nU + u)];
        };
        return gpu::interpolate(pixel, rowShare, columnShare);
    }

    void addVoxel(int s, int i, int j, int k) {
        // A block is 4 × 4 columns of 32 voxels, and counts from its middle.
        const int middle[3] = {i / 4 * 4 + 2, j / 4 * 4 + 2, k / 32 * 32 + 16};
        const LocalView local = gpu::localView(m_batch.m[s], middle[0], middle[1], middle[2]);
        const auto view = gpu::columnView(local, static_cast<float>(i - middle[0]),
                                          static_cast<float>(j - middle[1]),
                                          static_cast<int>(m_scan.detector.columns));
        if (view.reciprocal == 0) return;
        const gpu::Split split =
            gpu::split(std::fma(static_cast<float>(k - middle[2]), view.step, view.rowShare));
        const float row = view.row + split.whole;
        const float weight = view.reciprocal * view.reciprocal;
        voxel(i, j, k) += weight * at(s, row, view.column, 1, split.share, view.columnShare);
        if (!m_sum || m_slab.nZ - 1 - k == k) return;
        voxel(i, j, m_slab.nZ - 1 - k) +=
            weight *
            at(s, static_cast<float>(*m_sum) - row, view.column, -1, split.share, view.columnShare);
    }

    float& voxel(int i, int j, int k) {
        return m_voxels[(static_cast<std::size_t>(k) * m_slab.nY + j) * m_slab.nX + i];
    }

    ConeBatch m_batch;
    ConeSlab m_slab;
    const ScanGeometry& m_scan;
    IndexRange m_rows;
    const std::vector<float>& m_views;
    std::optional<int> m_sum;
    std::vector<float> m_voxels;
};

void expectReference(const ScanGeometry& scan, const VolumeGrid& grid, IndexRange slices,
                     IndexRange rows, bool mirrored) {
    for (const test::Noise noise : {test::Noise::uniform, test::Noise::zeroMean}) {
        const auto views = test::randomViews(scan, noise);
        const auto reference = makeReferenceBackProjector(2);
        reference->begin(grid, slices);
        test::addViews(*reference, scan, views, rows, 32);
        Columns columns(scan, grid, slices, rows, views);
        EXPECT_EQ(columns.isMirrored(), mirrored);
        // Coordinates are off by some 1e-6 rows, and so is what is interpolated from noise.
        EXPECT_LE(test::relativeRmse(columns.add(), test::readAll(*reference, grid, slices)),
                  noise == test::Noise::uniform ? 1e-6 : 3e-6);
    }
}

TEST(ConeMath, EqualsTheReferenceOnSlabsThatAreTheirOwnMirrorImage) {
    const ScanGeometry scan = test::scanOf(97, 83, 9);
    for (const double rowsPerVoxel : {0.3, 0.9, 1.7, 3.0}) {
        SCOPED_TRACE(rowsPerVoxel);
        for (const Index nZ : {44, 61})
            expectReference(scan, test::gridOf(scan, {13, 17, nZ}, rowsPerVoxel), {0, nZ}, {0, 83},
                            true);
    }
    expectReference(scan, test::gridOf(scan, {13, 17, 70}, 0.9), {9, 61}, {11, 72}, true);
}

TEST(ConeMath, EqualsTheReferenceElsewhere) {
    ScanGeometry scan = test::scanOf(97, 83, 9);
    expectReference(scan, test::gridOf(scan, {13, 17, 70}, 0.9), {33, 68}, {31, 83}, false);
    scan.detector.offsetMm = {13.7, -5.3};
    scan.cone().sourceOffsetMm = {1.5, 2.5};
    VolumeGrid grid = test::gridOf(scan, {19, 14, 37}, 2.3);
    grid.centerMm = {35, -27, 11};
    expectReference(scan, grid, {0, 37}, {0, 83}, false);
}

TEST(ConeMath, EqualsTheReferenceOnALargeDetector) {
    const ScanGeometry scan = test::scanOf(1024, 1024, 5);
    VolumeGrid grid = test::gridOf(scan, {6, 7, 900}, 1.1);
    grid.pitchMm = {0.2, 0.2, grid.pitchMm[2]};
    grid.centerMm = {61, -47, 0};  // where columns and rows are far from the detector's middle
    expectReference(scan, grid, {0, 900}, {0, 1024}, true);
}

TEST(MirrorSum, IsTheSumOfTheOuterRows) {
    ScanGeometry scan = test::scanOf(64, 64, 40);
    const VolumeGrid grid = test::gridOf(scan, {21, 23, 50}, 0.8);
    const auto sumOf = [&](IndexRange slices, Index firstRow) {
        return gpu::mirrorSum(batchOf(scan, grid, slices, firstRow), slabOf(grid, slices.size()));
    };
    EXPECT_EQ(sumOf({0, 50}, 0), 63);
    EXPECT_EQ(sumOf({10, 40}, 0), 63);
    EXPECT_EQ(sumOf({10, 40}, 12), 39);
    EXPECT_EQ(sumOf({24, 26}, 62), -61);
    EXPECT_FALSE(sumOf({0, 49}, 0));
    EXPECT_FALSE(sumOf({0, 1}, 0));
    scan.detector.offsetMm[1] = 3 * scan.detector.pitchMm[1];
    EXPECT_EQ(sumOf({0, 50}, 0), 57);
    scan.detector.offsetMm[1] = 3.01 * scan.detector.pitchMm[1];
    EXPECT_FALSE(sumOf({0, 50}, 0));
    EXPECT_FALSE(gpu::mirrorSum({}, slabOf(grid, 50)));
}

TEST(MirrorSum, RowsReachBothHalvesOfTheViews) {
    const auto expectRows = [](int sum, int nV, int begin, int end) {
        const gpu::MirrorRows rows = gpu::mirrorRows(sum, nV);
        EXPECT_EQ(rows.begin, begin);
        EXPECT_EQ(rows.end, end);
    };
    expectRows(63, 64, 0, 33);
    expectRows(62, 63, 0, 33);
    expectRows(57, 64, -6, 30);
    expectRows(70, 64, 0, 37);
    expectRows(-61, 4, -64, -29);
}

// Rows 0 to 9 and 50 to 63 about row 31.5: rows 0 to 13 mirror the upper block, the lower one
// has 10.
TEST(MirrorSum, RowsOfAPairEndBelowTheGap) {
    const float pixels[2] = {};
    const auto block = [&](int place, int rows) {
        return gpu::plainViews(pixels + place, 1, rows, 1);
    };
    const gpu::FilteredViews views = gpu::joined(block(0, 10), block(1, 14), 50);
    EXPECT_EQ(views.nV, 64);
    EXPECT_EQ(gpu::blockOf(views, true).data, pixels + 1);
    EXPECT_EQ(gpu::blockOf(views, true).nV, 14);
    EXPECT_EQ(gpu::blockOf(views, false).nV, 10);
    const auto expectRows = [](int sum, const gpu::FilteredViews& of, int begin, int end) {
        const gpu::MirrorRows rows = gpu::mirrorRowsOfPair(sum, of);
        EXPECT_EQ(rows.begin, begin);
        EXPECT_EQ(rows.end, end);
    };
    expectRows(63, views, 0, 14);
    expectRows(63, block(0, 10), 0, 10);      // the detector ends below the upper range
    expectRows(-61, block(0, 10), -70, -60);  // or begins above the lower one
    expectRows(63, block(0, 64), 0, 33);      // both meet in the middle
}

// The two ranges of a pair mirror each other about the plane that the volume does.
TEST(MirrorSum, APairOfRangesHasThatOfTheSlabThatItIsPartOf) {
    const ScanGeometry scan = test::scanOf(64, 64, 5);
    const VolumeGrid grid = test::gridOf(scan, {21, 23, 50}, 0.8);
    ConeSlab pair = slabOf(grid, 14);
    pair.gap = 50 - 14;
    EXPECT_EQ(gpu::mirrorSum(batchOf(scan, grid, {0, 7}), pair),
              gpu::mirrorSum(batchOf(scan, grid, {0, 50}), slabOf(grid, 50)));
    pair.gap = 35;
    EXPECT_FALSE(gpu::mirrorSum(batchOf(scan, grid, {0, 7}), pair));
}

TEST(AlignedBatch, RolledAndFallingViewsAreTold) {
    ScanGeometry scan = test::scanOf(64, 64, 5);
    const VolumeGrid grid = test::gridOf(scan, {21, 23, 50}, 0.8);
    EXPECT_TRUE(gpu::isAligned(batchOf(scan, grid, {0, 50})));
    ConeBatch falling = batchOf(scan, grid, {0, 50});
    falling.m[3][1][2] *= -1;
    EXPECT_FALSE(gpu::isAligned(falling));
    scan.detector.rollDeg = 0.1;
    EXPECT_FALSE(gpu::isAligned(batchOf(scan, grid, {0, 50})));
    scan.detector.rollDeg = 0;
    scan.detector.tiltDeg = 0.1;
    EXPECT_FALSE(gpu::isAligned(batchOf(scan, grid, {0, 50})));
}

}  // namespace
}  // namespace gantry
