#include "gpu/engine/gpu_back_projector.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/backproject/reference.h"
#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/engine/device_slab.h"
#include "gpu/kernels/transpose_slab.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/gpu/support/device.h"

namespace gantry {
namespace {

using test::backProject;
using test::randomViews;
using test::readAll;
using test::relativeRmse;

// Single precision rounds rows of a few hundred to 1e-5 of a row; on random pixels, whose slopes
// are as large as they are, this makes up to 1e-5.
constexpr double kTolerance = 1e-5;

constexpr int kThreads = 2;

class GpuBackProjection : public testing::Test {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        m_scan = test::scanOf(93, 81, 70);
        m_scan.detector.offsetMm = {3, -7};
        m_grid = test::gridOf(m_scan, {45, 38, 51}, 0.7);
        m_grid.centerMm = {2, -4, 6};
        m_views = randomViews(m_scan, test::Noise::uniform);
    }

    [[nodiscard]] static std::unique_ptr<BackProjector> make(const std::string& kernel) {
        makeCurrent(test::testDevice().number);
        return makeGpuBackProjector(test::testDevice(), makeConeKernel(kernel, test::testDevice()));
    }

    [[nodiscard]] std::vector<float> made(BackProjector& projector, IndexRange slices,
                                          Index atOnce) const {
        return backProject(projector, m_scan, m_grid, slices, m_views, atOnce);
    }

    ScanGeometry m_scan;
    VolumeGrid m_grid;
    std::vector<float> m_views;
};

TEST_F(GpuBackProjection, EqualsTheReferenceInBatchesOfAnySize) {
    const auto expected = made(*makeReferenceBackProjector(kThreads), {0, 51}, 70);
    for (const char* kernel : {"standard", "l1-tran", "tile"}) {
        const auto projector = make(kernel);
        for (const Index atOnce : {1, 32, 33, 70})
            EXPECT_LT(relativeRmse(made(*projector, {0, 51}, atOnce), expected), kTolerance)
                << kernel << ", " << atOnce << " views at once";
    }
}

TEST_F(GpuBackProjection, SlabsOfAnySizeFollowOneAnother) {
    const auto reference = makeReferenceBackProjector(kThreads);
    for (const char* kernel : {"standard", "l1-tran", "tile"}) {
        const auto projector = make(kernel);
        for (const IndexRange slices : {IndexRange{3, 10}, {10, 51}, {0, 1}, {20, 40}})
            EXPECT_LT(relativeRmse(made(*projector, slices, 32), made(*reference, slices, 32)),
                      kTolerance)
                << kernel << ", slices from " << slices.begin << " to " << slices.end;
    }
}

TEST_F(GpuBackProjection, PartsOfASlabAreReadInAnyOrder) {
    for (const char* kernel : {"standard", "l1-tran"}) {
        const auto projector = make(kernel);
        const std::vector<float> all = made(*projector, {5, 47}, 32);
        const Index slice = m_grid.voxels[0] * m_grid.voxels[1];
        for (const IndexRange part : {IndexRange{40, 47}, {5, 6}, {17, 30}}) {
            const auto begin = all.begin() + (part.begin - 5) * slice;
            EXPECT_EQ(readAll(*projector, m_grid, part),
                      std::vector<float>(begin, begin + part.size() * slice));
        }
    }
}

TEST_F(GpuBackProjection, StopsWhenAsked) {
    const auto projector = make("standard");
    projector->begin(m_grid, {0, 10});
    std::stop_source stop;
    stop.request_stop();
    const auto matrices = projectionMatrices(m_scan);
    EXPECT_THROW(projector->add({{m_views.data(), 70, 81, 93}, 0, matrices}, stop.get_token()),
                 Cancelled);
    EXPECT_NO_THROW(projector->begin(m_grid, {0, 10}));
}

TEST_F(GpuBackProjection, SaysWhatMemoryItTakes) {
    const auto projector = make("standard");
    const Index few = projector->bytesNeeded(m_grid, 10, 32, 81, 93);
    EXPECT_GE(few, 10 * 45 * 38 * 4 + 2 * 32 * 81 * 93 * 4);
    EXPECT_EQ(projector->bytesNeeded(m_grid, 20, 32, 81, 93) - few, 10 * 45 * 38 * 4);
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
        gpu::transposeSlab(from.data(), kX, kY, kZ, static_cast<int>(z.begin),
                           static_cast<int>(z.end), to.data(), nullptr);
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
