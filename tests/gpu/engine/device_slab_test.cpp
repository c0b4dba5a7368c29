#include "gpu/engine/device_slab.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/backproject/cpu_kernels.h"
#include "core/geometry/footprint.h"
#include "core/geometry/views/aligned_views.h"
#include "gpu/kernels/transpose.h"
#include "tests/gpu/engine/kernel_slab.h"

namespace gantry {
namespace {

using test::KernelSlab;
using test::relativeRmse;

// Single precision rounds rows of a few hundred to 1e-5 of a row; on random pixels, whose slopes
// are as large as they are, this makes up to 1e-5.
constexpr double kTolerance = 1e-5;

constexpr int kThreads = 2;

class DeviceSlabs : public testing::Test {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        makeCurrent(test::testDevice().number);
        m_scan = test::scanOf(93, 81, 70);
        m_scan.detector.offsetMm = {3, -7};
        m_grid = test::gridOf(m_scan, {45, 38, 51}, 0.7);
        m_grid.centerMm = {2, -4, 6};
        m_views = test::randomViews(m_scan, test::Noise::uniform);
    }

    [[nodiscard]] std::vector<float> expected(IndexRange slices) const {
        const auto reference = makeReferenceBackProjector(kThreads);
        return test::backProject(*reference, m_scan, m_grid, slices, m_views);
    }

    ScanGeometry m_scan;
    VolumeGrid m_grid;
    std::vector<float> m_views;
};

TEST_F(DeviceSlabs, EqualTheReferenceInBatchesOfAnySize) {
    const std::vector<float> reference = expected({0, 51});
    for (const char* kernel : {"standard", "l1-tran", "tile"}) {
        KernelSlab slab(kernel, m_scan);
        for (const Index atOnce : {1, 32, 33, 70})
            EXPECT_LT(relativeRmse(slab.make(m_scan, m_grid, {0, 51}, m_views, atOnce), reference),
                      kTolerance)
                << kernel << ", " << atOnce << " views at once";
    }
}

TEST_F(DeviceSlabs, OfAnySizeFollowOneAnother) {
    for (const char* kernel : {"standard", "l1-tran", "tile"}) {
        KernelSlab slab(kernel, m_scan);
        for (const IndexRange slices : {IndexRange{3, 10}, {10, 51}, {0, 1}, {20, 40}})
            EXPECT_LT(relativeRmse(slab.make(m_scan, m_grid, slices, m_views), expected(slices)),
                      kTolerance)
                << kernel << ", slices from " << slices.begin << " to " << slices.end;
    }
}

// Rows of both ranges' footprints as two blocks, one behind the other.
struct Blocks {
    std::vector<float> pixels;
    gpu::FilteredViews views;  // without memory
};

Blocks blocksOf(const ScanGeometry& scan, const std::vector<float>& views, IndexRange lower,
                IndexRange upper) {
    const Index nU = scan.detector.columns;
    Blocks blocks;
    for (const IndexRange rows : {lower, upper})
        for (Index s = 0; s < scan.views(); ++s) {
            const auto first = views.begin() + (s * scan.detector.rows + rows.begin) * nU;
            blocks.pixels.insert(blocks.pixels.end(), first, first + rows.size() * nU);
        }
    const auto plain = [&](IndexRange rows) {
        return gpu::plainViews(nullptr, static_cast<int>(scan.views()),
                               static_cast<int>(rows.size()), static_cast<int>(nU));
    };
    blocks.views =
        gpu::joined(plain(lower), plain(upper), static_cast<int>(upper.begin - lower.begin));
    return blocks;
}

TEST_F(DeviceSlabs, OfTwoRangesAreMadeFromTwoBlocksOfRows) {
    m_grid.centerMm = {2, -4, 0};
    const IndexRange lower = {4, 15};
    const IndexRange upper = {36, 47};
    for (const int shiftRows : {0, -30, 30}) {  // the detector cuts one of them off
        m_scan.detector.offsetMm = {3, shiftRows * m_scan.detector.pitchMm[1]};
        const AlignedViews aligned = alignedViews(m_scan);
        const IndexRange lowerRows = footprintRows(aligned, m_grid, lower);
        const Blocks blocks =
            blocksOf(m_scan, m_views, lowerRows, footprintRows(aligned, m_grid, upper));
        ASSERT_LT(blocks.views.lowerRows, blocks.views.upperRow);
        for (const char* kernel : {"mirror-texture", "standard", "l1-tran", "tile"}) {
            KernelSlab slab(kernel, m_scan);
            slab.begin(m_grid, {lower, upper});
            slab.add(blocks.views, blocks.pixels, aligned.matrices, lowerRows.begin);
            // Texture units blend with 8 bits: see cone_kernel_test.cpp.
            const double max = coneKernel(kernel).kernel.isFast ? 1e-3 : kTolerance;
            for (const IndexRange part : {upper, lower})
                EXPECT_LT(relativeRmse(slab.read(part), expected(part)), max)
                    << kernel << ", " << shiftRows;
        }
    }
}

TEST_F(DeviceSlabs, OfTwoRangesOneMayBeBeyondTheDetector) {
    m_grid.centerMm = {2, -4, 0};
    m_scan.detector.offsetMm = {3, -45 * m_scan.detector.pitchMm[1]};
    const AlignedViews aligned = alignedViews(m_scan);
    const IndexRange lower = {4, 15};
    const IndexRange upper = {36, 47};
    ASSERT_TRUE(footprintRows(aligned, m_grid, upper).empty());
    for (const char* kernel : {"mirror-texture", "standard", "l1-tran", "tile"}) {
        KernelSlab slab(kernel, m_scan);
        slab.begin(m_grid, {lower, upper});
        slab.add(m_scan, m_views, footprintRows(aligned, m_grid, lower), 32);
        const double max = coneKernel(kernel).kernel.isFast ? 1e-3 : kTolerance;
        EXPECT_LT(relativeRmse(slab.read(lower), expected(lower)), max) << kernel;
        const std::vector<float> unseen = slab.read(upper);
        EXPECT_EQ(unseen, std::vector<float>(unseen.size())) << kernel;
    }
}

TEST_F(DeviceSlabs, AreReadInPartsInAnyOrder) {
    for (const char* kernel : {"standard", "l1-tran"}) {
        KernelSlab slab(kernel, m_scan);
        const std::vector<float> all = slab.make(m_scan, m_grid, {5, 47}, m_views);
        const Index slice = m_grid.voxels[0] * m_grid.voxels[1];
        for (const IndexRange part : {IndexRange{40, 47}, {5, 6}, {17, 30}}) {
            const auto begin = all.begin() + (part.begin - 5) * slice;
            EXPECT_EQ(slab.read(part), std::vector<float>(begin, begin + part.size() * slice));
        }
    }
}

TEST(TransposeSlab, TakesAnyPartOfASlabOfOddSize) {
    GANTRY_NEEDS_DEVICE();
    makeCurrent(test::testDevice().number);
    constexpr Index kX = 37;
    constexpr Index kY = 5;
    constexpr Index kZ = 67;
    std::vector<float> slab(static_cast<std::size_t>(kX * kY * kZ));
    std::iota(slab.begin(), slab.end(), 0.0F);
    const DeviceBuffer<float> from(kX * kY * kZ);
    const DeviceBuffer<float> to(kX * kY * kZ);
    check(cudaMemcpy(from.data(), slab.data(), slab.size() * sizeof(float), cudaMemcpyHostToDevice),
          "copying");
    for (const IndexRange z : {IndexRange{0, kZ}, {0, 1}, {66, 67}, {31, 34}, {5, 5}}) {
        gpu::transpose(from.data() + z.begin, {kZ, 0}, kX * kY, z.size(), to.data(), {kX * kY, 0},
                       1, false, nullptr);
        checkLaunch("transposing");
        std::vector<float> transposed(static_cast<std::size_t>(z.size() * kX * kY));
        check(cudaMemcpy(transposed.data(), to.data(), transposed.size() * sizeof(float),
                         cudaMemcpyDeviceToHost),
              "copying");
        for (Index i = 0; i < z.size(); ++i)
            for (Index column = 0; column < kX * kY; ++column)
                ASSERT_EQ(transposed[static_cast<std::size_t>(i * kX * kY + column)],
                          slab[static_cast<std::size_t>(column * kZ + z.begin + i)]);
    }
}

}  // namespace
}  // namespace gantry
