#include "gpu/engine/tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/file.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/gpu_filter.h"
#include "gpu/engine/tile_kernel.h"
#include "gpu/engine/trial_cache.h"
#include "tests/gpu/engine/device_jobs.h"
#include "tests/gpu/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::acquisitionOf;
using test::jobOn;
using test::TemporaryFolder;

TEST(Tuner, ExactJobsTryExactKernelsOnly) {
    const Acquisition scan = acquisitionOf(90, 128, 128);
    const DeviceJob job = jobOn(scan, 64);
    const auto exact = trialKernels(job, false);
    EXPECT_GE(exact.size(), 2U);
    for (const std::string& name : exact)
        EXPECT_FALSE(coneKernel(name).kernel.isFast) << name;
    EXPECT_EQ(trialKernels(job, true).size(), exact.size() + 1);
}

TEST(Tuner, AJobThatNamesAKernelTriesNoOther) {
    const Acquisition scan = acquisitionOf(90, 128, 128);
    DeviceJob job = jobOn(scan, 64);
    job.kernel = "bp-l1";
    EXPECT_EQ(trialKernels(job, true), std::vector<std::string>{"bp-l1"});
    job.kernel = "tile";
    EXPECT_EQ(trialKernels(job, true), tileShapeNames());
}

TEST(Tuner, ParallelBeamsTryKernelsOfTheirOwn) {
    Acquisition scan = acquisitionOf(90, 128, 128);
    DeviceJob job = jobOn(scan, 64);
    job.kernel = "parallel-stack";
    const TemporaryFolder folder;
    EXPECT_ERROR((void)chooseKernel({}, job, false, folder / "kernels.json"), InputError,
                 "parallel-stack takes views of a parallel beam");
    const Kernel& stack = coneKernel("parallel-stack").kernel;
    EXPECT_FALSE(takesViews(stack, scan.geometry));
    for (ProjectionMatrix& matrix : scan.geometry.matrices)
        matrix.m = {{{1, 0, 0, 64}, {0, 0, 1, 64}, {0, 0, 0, 1}}};
    EXPECT_TRUE(takesViews(stack, scan.geometry));
    job.kernel.clear();
    EXPECT_EQ(trialKernels(job, false), (std::vector<std::string>{"parallel-stack", "standard"}));
    EXPECT_EQ(trialKernels(job, true).front(), "parallel-half");
}

TEST(Tuner, ViewsOnDetectorsOfTheirOwnTryKernelsThatTakeThem) {
    Acquisition scan = acquisitionOf(90, 128, 128);
    scan.geometry.rays.resize(90);
    const auto names = trialKernels(jobOn(scan, 64), true);
    EXPECT_GE(names.size(), 2U);
    for (const std::string& name : names)
        EXPECT_TRUE(coneKernel(name).kernel.takesAnyViews) << name;
}

// Voxel centres of a piece are voxel centres of the volume.
void expectOnGrid(const VolumeGrid& piece, const VolumeGrid& volume) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto first = [&](const VolumeGrid& grid) {
            return grid.centerMm[axis] -
                   static_cast<double>(grid.voxels[axis] - 1) / 2 * grid.pitchMm[axis];
        };
        const double step = (first(piece) - first(volume)) / volume.pitchMm[axis];
        EXPECT_NEAR(step, std::round(step), 1e-6);
        EXPECT_GE(std::round(step), 0);
        EXPECT_LE(std::round(step) + static_cast<double>(piece.voxels[axis]),
                  static_cast<double>(volume.voxels[axis]));
        EXPECT_EQ(piece.pitchMm[axis], volume.pitchMm[axis]);
        EXPECT_GT(piece.voxels[axis], 0);
    }
}

TEST(Tuner, ATrialIsMadeOnAPieceOfTheVolumeInItsPlace) {
    const Acquisition scan = acquisitionOf(720, 1000, 800);
    for (const Index voxels : {40, 255, 257, 512, 1001}) {
        DeviceJob job = jobOn(scan, voxels);
        const TrialPiece whole = trialPiece(job);
        expectOnGrid(whole.grid, job.volume);
        EXPECT_NEAR(whole.grid.centerMm[2], 0, 1e-9) << "a symmetric job's piece is symmetric";
        EXPECT_FALSE(whole.rows.empty());
        EXPECT_LE(whole.rows.end, 800);

        job.maxSlices = std::max<Index>(job.volume.voxels[2] / 3, 1);
        const TrialPiece slab = trialPiece(job);
        expectOnGrid(slab.grid, job.volume);
        EXPECT_LE(slab.grid.voxels[2], job.maxSlices);
        EXPECT_NEAR(slab.grid.centerMm[2], 0, 1e-9) << "slabs can be pairs";

        job.volume.centerMm[2] = 0.3 * job.volume.pitchMm[2];
        const TrialPiece off = trialPiece(job);
        expectOnGrid(off.grid, job.volume);
        EXPECT_LT(off.grid.centerMm[2], job.volume.centerMm[2]) << "these have no mirror image";
    }
}

// Whether voxels of the piece lie as near to the axis and as far from it as those of the volume.
TEST(Tuner, APieceHasVoxelsAsNearTheSourceAndAsFarAsTheVolume) {
    const Acquisition scan = acquisitionOf(720, 1000, 800);
    for (const Index voxels : {255, 1001, 3001}) {
        const DeviceJob job = jobOn(scan, voxels);
        const VolumeGrid piece = trialPiece(job).grid;
        EXPECT_LE(static_cast<double>(piece.count()), 1e10 / 32 * 1.1) << voxels;
        for (const std::size_t axis : {0U, 1U}) {
            const double half = static_cast<double>(piece.voxels[axis]) / 2 * piece.pitchMm[axis];
            const double reach = static_cast<double>(voxels) / 2 * job.volume.pitchMm[axis];
            EXPECT_NEAR(half - piece.centerMm[axis], reach, 1e-6) << voxels;
            EXPECT_GE(half + piece.centerMm[axis], -piece.pitchMm[axis]) << voxels;
        }
    }
}

TEST(Tuner, AWideDetectorMakesThePieceThinner) {
    const Acquisition scan = acquisitionOf(720, 8000, 8000);
    const DeviceJob job = jobOn(scan, 256);
    const TrialPiece piece = trialPiece(job);
    expectOnGrid(piece.grid, job.volume);
    EXPECT_LT(piece.grid.voxels[2], 128);
    EXPECT_LT(piece.rows.size() * 8000 * 32 * 4, 2'000'000'000);
}

TEST(Tuner, TakesAKernelOfThePrecisionAndRemembersIt) {
    GANTRY_NEEDS_DEVICE();
    const TemporaryFolder folder;
    const auto cache = folder / "kernels.json";
    const Acquisition scan = acquisitionOf(90, 256, 256);
    const DeviceJob job = jobOn(scan, 128);
    for (const bool fast : {false, true}) {
        const KernelChoice choice = chooseKernel(test::testDevice(), job, fast, cache);
        const auto names = trialKernels(job, fast);
        EXPECT_NE(std::find(names.begin(), names.end(), choice.kernel.name), names.end());
        EXPECT_GT(choice.updatesPerSecond, 1e9);
        const auto known = TrialCache(cache).find(trialKey(test::testDevice(), job, fast));
        ASSERT_TRUE(known);
        EXPECT_EQ(known->kernel, choice.kernel.name);
        // No two trials measure the same time.
        EXPECT_EQ(chooseKernel(test::testDevice(), job, fast, cache).updatesPerSecond,
                  choice.updatesPerSecond);
    }
}

TEST(Tuner, MeasuresTheKernelThatAJobNames) {
    GANTRY_NEEDS_DEVICE();
    const TemporaryFolder folder;
    const Acquisition scan = acquisitionOf(90, 256, 256);
    DeviceJob job = jobOn(scan, 128);
    job.kernel = "standard";
    const KernelChoice choice =
        chooseKernel(test::testDevice(), job, false, folder / "kernels.json");
    EXPECT_EQ(choice.kernel.name, "standard");
    EXPECT_EQ(choice.kernel.layerSlices, 1);
    EXPECT_GT(choice.updatesPerSecond, 1e9);
    job.kernel = "sideways";
    EXPECT_ERROR((void)chooseKernel(test::testDevice(), job, false, folder / "kernels.json"),
                 InputError, "sideways");
}

TEST(Rates, AreThoseOfADevice) {
    GANTRY_NEEDS_DEVICE();
    const Acquisition scan = acquisitionOf(90, 512, 256);
    const DeviceRates rates = measureRates(test::testDevice(), jobOn(scan, 128));
    // No bus is slower than this, none as fast as a device's own memory.
    EXPECT_GT(rates.uploadBytes, 1e9);
    EXPECT_LT(rates.uploadBytes, 1e12);
    EXPECT_GT(rates.downloadBytes, 1e9);
    EXPECT_LT(rates.downloadBytes, 1e12);
    if (whyNoCufft().empty())
        EXPECT_GT(rates.filterPixels, 1e8);
    else
        EXPECT_EQ(rates.filterPixels, 0);
}

}  // namespace
}  // namespace gantry
