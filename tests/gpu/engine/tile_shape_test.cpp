#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/backproject/cpu_kernels.h"
#include "core/simulate/jitter.h"
#include "gpu/engine/tile_kernel.h"
#include "tests/gpu/engine/kernel_slab.h"

namespace gantry {
namespace {

using test::KernelSlab;
using test::Noise;

// Off the middle, with columns and slices that fill no tile.
VolumeGrid gridOf(const ScanGeometry& scan, double rowsPerVoxel) {
    VolumeGrid grid = test::gridOf(scan, {37, 29, 151}, rowsPerVoxel);
    grid.centerMm = {3, -5, 7};
    return grid;
}

TEST(TileShapes, AllAgreeWithTheReferenceHoweverTheirPixelsAreCopied) {
    GANTRY_NEEDS_DEVICE();
    makeCurrent(test::testDevice().number);
    const ScanGeometry scan = test::scanOf(147, 190, 11);
    const std::vector<float> views = test::randomViews(scan, Noise::zeroMean);
    for (const double rowsPerVoxel : {0.8, 1.4, 2.1}) {
        const VolumeGrid grid = gridOf(scan, rowsPerVoxel);
        const IndexRange slices = {0, grid.voxels[2]};
        const std::vector<float> truth =
            test::backProject(*makeReferenceBackProjector(4), scan, grid, slices, views);
        for (const std::string& name : tileShapeNames())
            for (const gpu::BoxCopy copy :
                 {gpu::BoxCopy::bulk, gpu::BoxCopy::async, gpu::BoxCopy::plain}) {
                SCOPED_TRACE(name + " " + std::to_string(static_cast<int>(copy)) + " " +
                             std::to_string(rowsPerVoxel));
                TileChoice choice = *tileChoiceNamed(name);
                choice.copy = copy;
                KernelSlab slab(makeTileKernel(test::testDevice(), choice), scan);
                // The limit is that of all exact kernels: see cone_kernel_test.cpp.
                EXPECT_LE(test::relativeRmse(slab.make(scan, grid, slices, views), truth), 1e-5);
            }
    }
}

TEST(TileShapes, PosesAgreeWithTheReferenceHoweverTheirPixelsAreCopied) {
    GANTRY_NEEDS_DEVICE();
    makeCurrent(test::testDevice().number);
    // Near the circle, far from it, and so far that some tiles have no box.
    for (const auto& [deg, rowsPerVoxel] : {std::pair(2.0, 0.8), {20.0, 1.4}, {40.0, 3.0}}) {
        const ScanGeometry scan = jittered(test::scanOf(147, 190, 11), /*mm=*/deg, deg, /*seed=*/3);
        const std::vector<float> views = test::randomViews(scan, Noise::zeroMean);
        const VolumeGrid grid = gridOf(scan, rowsPerVoxel);
        const IndexRange slices = {0, grid.voxels[2]};
        const std::vector<float> truth =
            test::backProject(*makeReferenceBackProjector(4), scan, grid, slices, views);
        for (const gpu::BoxCopy copy :
             {gpu::BoxCopy::bulk, gpu::BoxCopy::async, gpu::BoxCopy::plain}) {
            SCOPED_TRACE(std::to_string(static_cast<int>(copy)) + " " + std::to_string(deg));
            TileChoice choice;
            choice.anyPose = true;
            choice.copy = copy;
            KernelSlab slab(makeTileKernel(test::testDevice(), choice), scan);
            EXPECT_LE(test::relativeRmse(slab.make(scan, grid, slices, views), truth), 1e-5);
        }
    }
}

TEST(TileShapes, AllReadRowsInPairsAsPlainOnes) {
    GANTRY_NEEDS_DEVICE();
    makeCurrent(test::testDevice().number);
    const ScanGeometry scan = test::scanOf(67, 151, 5);
    const VolumeGrid grid = test::gridOf(scan, {37, 29, 65}, 1.4);
    const IndexRange slices = {0, grid.voxels[2]};
    const std::vector<float> views = test::randomViews(scan, Noise::zeroMean);
    const test::PairedViews paired = test::pairedRows(scan, views);
    for (const std::string& name : tileShapeNames()) {
        SCOPED_TRACE(name);
        KernelSlab slab(name, scan);
        const std::vector<float> expected = slab.make(scan, grid, slices, views);
        slab.begin(grid, slices);
        slab.add(paired.layout, paired.memory, projectionMatrices(scan), 0);
        EXPECT_EQ(slab.read(slices), expected);
        EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 0);
    }
}

// Views of a calibrated scan differ in magnification.
TEST(TileShapes, EachViewOfABatchHasItsOwnWeights) {
    GANTRY_NEEDS_DEVICE();
    makeCurrent(test::testDevice().number);
    const ScanGeometry scan = test::scanOf(67, 90, 7);
    ScanGeometry farther = scan;
    farther.cone().sourceToDetectorMm *= 1.25;
    const VolumeGrid grid = test::gridOf(scan, {37, 29, 65}, 0.9);
    const IndexRange slices = {0, grid.voxels[2]};
    const std::vector<float> views = test::randomViews(scan, Noise::uniform);
    std::vector<ProjectionMatrix> matrices = projectionMatrices(scan);
    const std::vector<ProjectionMatrix> other = projectionMatrices(farther);
    for (std::size_t s = 0; s < matrices.size(); s += 2)
        matrices[s] = other[s];
    const auto viewFloats = static_cast<std::size_t>(90 * 67);
    for (const std::string& name : tileShapeNames()) {
        SCOPED_TRACE(name);
        KernelSlab slab(name, scan);
        slab.begin(grid, slices);
        slab.add(gpu::plainViews(nullptr, 7, 90, 67), views, matrices, 0);
        const std::vector<float> together = slab.read(slices);
        slab.begin(grid, slices);
        for (std::size_t s = 0; s < matrices.size(); ++s)
            slab.add(gpu::plainViews(nullptr, 1, 90, 67),
                     std::span(views).subspan(s * viewFloats, viewFloats),
                     std::span(matrices).subspan(s, 1), 0);
        // Sums are rounded in another order; as all exact kernels: see cone_kernel_test.cpp.
        EXPECT_LE(test::relativeRmse(together, slab.read(slices)), 1e-5);
    }
}

}  // namespace
}  // namespace gantry
