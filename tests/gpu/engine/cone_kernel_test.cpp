#include "gpu/engine/cone_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "core/backproject/cpu_kernels.h"
#include "tests/gpu/engine/kernel_slab.h"
#include "tests/support/expect_error.h"

namespace gantry {

// For the names that tests are reported by.
static void PrintTo(const ConeKernelInfo& kernel, std::ostream* out) {
    *out << kernel.kernel.name;
}

namespace {

using test::KernelSlab;
using test::Noise;

// Exact kernels round coordinates near 2⁷ rows to float, which moves them by some 1e-6 rows, and
// noise changes by its own size from row to row.
//
// Texture units round both fractions a and b, and the corner's weight a·b with the sum of weights
// kept, to 8 bits: three errors that are uniform in ±2⁻⁹, with a mean square of 2⁻¹⁸/3 each. Those
// of a and b multiply differences of neighbouring pixels blended along the other axis, whose mean
// square is 2·2/3 of the pixels' variance σ²; that of a·b multiplies q00 − q10 − q01 + q11, 4·σ².
// Together they are (8/3 + 4)·2⁻¹⁸/3·σ², a fetch's error 1.49·2⁻⁹·σ. Values of zero mean are
// 2/3·σ in all views, so that the ratio stays; for uniform noise, σ = 1/√12 and values' mean 1/2,
// errors add up as the square root of the number of views that see a voxel. At the views' edges
// that is about half of them. The errors are random: a quarter more.
double maxRmse(bool isFast, Noise noise, Index views) {
    if (!isFast) return noise == Noise::uniform ? 2e-6 : 1e-5;
    constexpr double kMargin = 1.25;
    constexpr double kFetchError = 1.49 / 512;  // of pixels of variance 1
    if (noise == Noise::zeroMean) return kMargin * kFetchError * 3 / 2;
    return kMargin * kFetchError / std::sqrt(12.0) * 2 / std::sqrt(static_cast<double>(views) / 2);
}

class ConeKernels : public testing::TestWithParam<ConeKernelInfo> {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        makeCurrent(test::testDevice().number);
    }

    static void expectAgreement(KernelSlab& slab, const ScanGeometry& scan, const VolumeGrid& grid,
                                IndexRange slices, IndexRange rows, Index batchViews = 32,
                                double allowance = 1) {
        const auto reference = makeReferenceBackProjector(4);
        for (const Noise noise : {Noise::uniform, Noise::zeroMean}) {
            const auto views = test::randomViews(scan, noise);
            reference->begin(grid, slices);
            test::addViews(*reference, scan, views, rows, batchViews);
            slab.begin(grid, slices);
            slab.add(scan, views, rows, batchViews);
            EXPECT_LE(
                test::relativeRmse(slab.read(slices), test::readAll(*reference, grid, slices)),
                allowance * maxRmse(GetParam().kernel.isFast, noise, scan.views()));
        }
    }

    static void expectAgreement(const ScanGeometry& scan, const VolumeGrid& grid,
                                IndexRange slices) {
        KernelSlab slab(GetParam().kernel.name, scan);
        expectAgreement(slab, scan, grid, slices, {0, scan.detector.rows});
    }
};

TEST_P(ConeKernels, CentredVolumesOfOddSizes) {
    const ScanGeometry scan = test::scanOf(97, 83, 13);
    expectAgreement(scan, test::gridOf(scan, {53, 47, 61}, 1), {0, 61});
    expectAgreement(scan, test::gridOf(scan, {53, 47, 64}, 1), {0, 64});
    expectAgreement(scan, test::gridOf(scan, {61, 53, 47}, 1), {0, 47});
    VolumeGrid small = test::gridOf(scan, {61, 53, 47}, 1);
    small.voxels = {1, 3, 1};
    expectAgreement(scan, small, {0, 1});
}

TEST_P(ConeKernels, OffCentreAnisotropicVolume) {
    ScanGeometry scan = test::scanOf(97, 83, 11);
    scan.detector.offsetMm = {13.7, -5.3};
    scan.detector.pitchMm[1] *= 0.83;
    scan.cone().sourceOffsetMm = {1.5, 2.5};
    VolumeGrid grid = test::gridOf(scan, {33, 41, 37}, 1.3);
    grid.centerMm = {5, -7, 11};
    expectAgreement(scan, grid, {0, 37});
}

TEST_P(ConeKernels, DetectorShiftedByWholeRows) {
    ScanGeometry scan = test::scanOf(65, 64, 9);
    for (const int rows : {3, -3, 20, -45}) {
        SCOPED_TRACE(rows);
        scan.detector.offsetMm[1] = rows * scan.detector.pitchMm[1];
        expectAgreement(scan, test::gridOf(scan, {21, 23, 64}, 0.8), {0, 64});
    }
}

TEST_P(ConeKernels, SlabsOfAVolume) {
    const ScanGeometry scan = test::scanOf(64, 70, 9);
    const VolumeGrid grid = test::gridOf(scan, {29, 31, 70}, 1);
    KernelSlab slab(GetParam().kernel.name, scan);
    for (const IndexRange slices : {IndexRange{3, 67}, {0, 1}, {5, 22}, {34, 36}, {41, 70}})
        expectAgreement(slab, scan, grid, slices, {0, 70});
}

TEST_P(ConeKernels, BatchesOfAnySize) {
    const ScanGeometry scan = test::scanOf(48, 41, 70);
    const VolumeGrid grid = test::gridOf(scan, {35, 19, 37}, 1);
    KernelSlab slab(GetParam().kernel.name, scan);
    for (const Index batchViews : {1, 5, 32, 70})
        expectAgreement(slab, scan, grid, {0, 37}, {0, 41}, batchViews);
}

TEST_P(ConeKernels, NoTraceOfEarlierRowsAndViews) {
    const ScanGeometry scan = test::scanOf(61, 90, 40);
    const VolumeGrid grid = test::gridOf(scan, {25, 27, 80}, 1);
    KernelSlab slab(GetParam().kernel.name, scan);
    expectAgreement(slab, scan, grid, {0, 80}, {0, 90});
    expectAgreement(slab, scan, grid, {20, 60}, {19, 71});
    expectAgreement(slab, scan, grid, {0, 80}, {40, 50});
    expectAgreement(slab, scan, grid, {30, 45}, {33, 52});
    expectAgreement(slab, scan, grid, {60, 80}, {57, 90}, 7);
}

// The third batch of the first rows is held, but mirrors about another row than those after it.
TEST_P(ConeKernels, BatchesWithRowsOfTheirOwn) {
    const ScanGeometry scan = test::scanOf(61, 90, 96);
    const VolumeGrid grid = test::gridOf(scan, {25, 27, 40}, 1);
    const auto views = test::randomViews(scan, Noise::uniform);
    const auto reference = makeReferenceBackProjector(4);
    KernelSlab slab(GetParam().kernel.name, scan);
    reference->begin(grid, {0, 40});
    slab.begin(grid, {0, 40});
    for (const IndexRange rows : {IndexRange{0, 90}, {5, 85}}) {
        test::addViews(*reference, scan, views, rows, 32);
        slab.add(scan, views, rows, 32);
    }
    EXPECT_LE(test::relativeRmse(slab.read({0, 40}), test::readAll(*reference, grid, {0, 40})),
              maxRmse(GetParam().kernel.isFast, Noise::uniform, scan.views()));
}

TEST_P(ConeKernels, SmallAndLargeStepsOfRows) {
    const ScanGeometry scan = test::scanOf(96, 96, 9);
    for (const double rowsPerVoxel : {0.3, 0.9, 1.7, 3.0}) {
        SCOPED_TRACE(rowsPerVoxel);
        const auto nZ = static_cast<Index>(90 / rowsPerVoxel);
        const VolumeGrid grid = test::gridOf(scan, {31, 33, nZ}, rowsPerVoxel);
        expectAgreement(scan, grid, {0, nZ});
        expectAgreement(scan, grid, {1, nZ});
    }
}

TEST_P(ConeKernels, VolumeLargerThanTheViews) {
    const ScanGeometry scan = test::scanOf(40, 30, 9);
    VolumeGrid grid = test::gridOf(scan, {35, 33, 64}, 1.7);
    grid.pitchMm[0] *= 2;
    grid.pitchMm[1] *= 2;
    expectAgreement(scan, grid, {0, 64});
    grid.centerMm[2] = 20;
    expectAgreement(scan, grid, {0, 64});
}

TEST_P(ConeKernels, VolumeThatReachesBehindTheSource) {
    const ScanGeometry scan = test::scanOf(40, 30, 8);
    VolumeGrid grid = test::gridOf(scan, {37, 41, 20}, 1);
    grid.pitchMm[0] = 31;
    grid.pitchMm[1] = 33;
    // The few voxels next to the source outweigh all others, and float depths are not as exact
    // there.
    constexpr double kAllowance = 10;
    KernelSlab slab(GetParam().kernel.name, scan);
    expectAgreement(slab, scan, grid, {0, 20}, {0, 30}, 32, kAllowance);
}

TEST_P(ConeKernels, DetectorsThatAreNotAligned) {
    ScanGeometry scan = test::scanOf(64, 60, 9);
    scan.detector.rollDeg = 2;
    scan.detector.tiltDeg = -3;
    scan.detector.slantDeg = 1.5;
    const VolumeGrid grid = test::gridOf(scan, {29, 31, 40}, 1);
    if (GetParam().kernel.takesAnyViews) {
        expectAgreement(scan, grid, {0, 40});
    } else {
        const auto views = test::randomViews(scan, Noise::uniform);
        KernelSlab slab(GetParam().kernel.name, scan);
        EXPECT_ERROR((void)slab.make(scan, grid, {0, 40}, views), InternalError, "aligned");
    }
}

TEST_P(ConeKernels, RowsInPairsAreReadAsPlainOnes) {
    const ScanGeometry scan = test::scanOf(45, 37, 5);
    const VolumeGrid grid = test::gridOf(scan, {23, 21, 34}, 1);
    const auto plain = test::randomViews(scan, Noise::zeroMean);
    const test::PairedViews paired = test::pairedRows(scan, plain);
    KernelSlab slab(GetParam().kernel.name, scan);
    const auto made = [&](const gpu::FilteredViews& layout, const std::vector<float>& memory) {
        slab.begin(grid, {0, 34});
        slab.add(layout, memory, projectionMatrices(scan), 0);
        return slab.read({0, 34});
    };
    const auto expected = made(gpu::plainViews(nullptr, 5, 37, 45), plain);
    const auto actual = made(paired.layout, paired.memory);
    EXPECT_EQ(actual, expected);
    EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 0);
}

std::string kernelName(const testing::TestParamInfo<ConeKernelInfo>& kernel) {
    std::string name = kernel.param.kernel.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// Those of parallel beams have a test of their own: parallel_kernel_test.cpp.
std::vector<ConeKernelInfo> kernelsOfCones() {
    std::vector<ConeKernelInfo> kernels;
    for (const ConeKernelInfo& info : coneKernels())
        if (!info.kernel.isForParallel) kernels.push_back(info);
    return kernels;
}

INSTANTIATE_TEST_SUITE_P(All, ConeKernels, testing::ValuesIn(kernelsOfCones()), kernelName);

TEST(ConeKernelNames, UnknownOnesAreRefusedWithThoseThereAre) {
    EXPECT_ERROR((void)makeConeKernel("cuda", DeviceInfo{}), InputError,
                 "'cuda' is unknown. Known: standard, tile-poses");
}

}  // namespace
}  // namespace gantry
