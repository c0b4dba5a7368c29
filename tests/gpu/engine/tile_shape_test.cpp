#include <gtest/gtest.h>

#include "core/backproject/reference.h"
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
        const auto reference = makeReferenceBackProjector(4);
        reference->begin(grid, slices);
        test::addViews(*reference, scan, views, {0, scan.detector.rows}, 32);
        const std::vector<float> truth = test::readAll(*reference, grid, slices);
        for (const std::string& name : tileShapeNames())
            for (const gpu::BoxCopy copy :
                 {gpu::BoxCopy::bulk, gpu::BoxCopy::async, gpu::BoxCopy::plain}) {
                SCOPED_TRACE(name + " " + std::to_string(static_cast<int>(copy)) + " " +
                             std::to_string(rowsPerVoxel));
                TileChoice choice = *tileChoiceNamed(name);
                choice.copy = copy;
                KernelSlab slab(makeTileKernel(test::testDevice(), choice), scan);
                // As all exact kernels: see cone_kernel_test.cpp.
                EXPECT_LE(test::relativeRmse(slab.make(scan, grid, slices, views), truth), 1e-5);
            }
    }
}

}  // namespace
}  // namespace gantry
