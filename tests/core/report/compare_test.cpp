#include "core/report/compare_volumes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/job/provenance.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::TemporaryFolder;

VolumeGrid oddGrid() {
    return {{61, 57, 49}, {3.5, 3.7, 4.1}, {2, -3, 5}};
}

TEST(UniformRegions, HoldOneAttenuationEverywhere) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (const std::string& name : phantomNames()) {
        const Phantom phantom = makePhantom(name, {100, {4, -2, 3}, 0.01});
        const auto regions = uniformRegions(phantom, {{256, 256, 256}, {0.9, 0.9, 0.9}, {}}, 0);
        // Small balls in a tube have no room for them.
        const bool isOfBalls = name.starts_with("ball-");
        EXPECT_GE(regions.size(), isOfBalls ? 0U : 2U) << name;
        for (const UniformRegion& region : regions)
            for (int i = 0; i < 3000; ++i) {
                const Vec3 d = {normal(random), normal(random), normal(random)};
                // Also just outside of the sphere: a margin of two voxels is promised.
                const Vec3 p = region.centerMm + (region.radiusMm + 1.7) / length(d) * d;
                ASSERT_NEAR(phantom.attenuationAt(p), region.attenuation, 1e-12) << name;
            }
    }
}

TEST(UniformRegions, OfTheSheppLoganHeadAreBrainVentriclesAndTumour) {
    const Phantom phantom = makePhantom("shepp-logan", {100, {}, 0.01});
    const auto regions = uniformRegions(phantom, {{256, 256, 256}, {0.8, 0.8, 0.8}, {}}, 0);
    const auto has = [&](double attenuation) {
        return std::any_of(regions.begin(), regions.end(), [&](const UniformRegion& region) {
            return std::abs(region.attenuation - attenuation) < 1e-9;
        });
    };
    EXPECT_TRUE(has(0.0102));
    EXPECT_TRUE(has(0.0100));
    EXPECT_TRUE(has(0.0104));
}

TEST(UniformRegions, LieWithinAQuarterOfTheHeightAboveAndBelow) {
    const VolumeGrid grid = {{100, 100, 100}, {1, 1, 1}, {}};
    PhantomShape ball;
    ball.halfAxesMm = {30, 30, 30};
    ball.value = 0.02;
    Phantom phantom;
    phantom.shapes.push_back(ball);
    phantom.shapes[0].centerMm.z = 40;
    const auto above = uniformRegions(phantom, grid, 0);
    phantom.shapes[0].centerMm.z = -40;
    const auto below = uniformRegions(phantom, grid, 0);
    ASSERT_EQ(above.size(), 1U);
    ASSERT_EQ(below.size(), 1U);
    // They are as near to the ball's centre as they may be, but for a step of the search.
    EXPECT_LE(above[0].centerMm.z, 25);
    EXPECT_GT(above[0].centerMm.z, 22);
    EXPECT_NEAR(below[0].centerMm.z, -above[0].centerMm.z, 1e-9);
}

TEST(Compare, SaysWhetherTheVolumesLieInOnePlace) {
    const Phantom phantom = makePhantom("cylinders", {80, {}, 0.02});
    VolumeGrid grid = oddGrid();
    const Volume volume = voxelised(phantom, grid, 1, 2);
    EXPECT_TRUE(compareVolumes(volume, voxelised(phantom, grid, 1, 2), {}, 2).samePlace);
    grid.centerMm[1] += 0.1;
    EXPECT_FALSE(compareVolumes(volume, voxelised(phantom, grid, 1, 2), {}, 2).samePlace);
    grid = oddGrid();
    grid.pitchMm[0] *= 1.001;
    EXPECT_FALSE(compareVolumes(volume, voxelised(phantom, grid, 1, 2), {}, 2).samePlace);
}

TEST(Compare, FiguresFollowTheMaskAndTheSlices) {
    const Phantom phantom = makePhantom("cylinders", {80, {}, 0.02});
    const Volume truth = voxelised(phantom, oddGrid(), 1, 2);
    Volume volume = voxelised(phantom, oddGrid(), 1, 2);
    // An error of 0.5 in one slice, beyond 60 mm from the axis.
    Index wrong = 0;
    for (Index y = 0; y < 57; ++y)
        for (Index x = 0; x < 61; ++x) {
            const Vec3 p =
                volume.grid.positionMm(static_cast<double>(x), static_cast<double>(y), 0);
            if (std::hypot(p.x, p.y) <= 60) continue;
            volume.span()(20, y, x) += 0.5F;
            ++wrong;
        }
    const ImageError all = compareVolumes(volume, truth, {}, 2).error;
    // 0.5 added to floats up to 0.06 rounds in the eighth digit.
    EXPECT_NEAR(all.rmse, 0.5 * std::sqrt(static_cast<double>(wrong) / (61.0 * 57 * 49)), 1e-6);
    EXPECT_EQ(compareVolumes(volume, truth, {60, {}}, 2).error.rmse, 0);
    EXPECT_EQ(compareVolumes(volume, truth, {{}, IndexRange{21, 49}}, 2).error.rmse, 0);
    EXPECT_GT(compareVolumes(volume, truth, {{}, IndexRange{20, 21}}, 2).error.rmse, all.rmse);
    EXPECT_ERROR((void)compareVolumes(volume, truth, {{}, IndexRange{40, 50}}, 2), InputError,
                 "Slices 40 to 49 are not in the volume; they must be 0 to 48.");
    const Volume other = voxelised(phantom, {{61, 57, 48}, {1, 1, 1}, {}}, 1, 2);
    EXPECT_ERROR((void)compareVolumes(volume, other, {}, 2), InputError, "49");
}

TEST(Compare, TheLargestErrorHasItsPlaceInTheVolume) {
    Volume truth{oddGrid(), HostBuffer<float>(oddGrid().count())};
    Volume volume{oddGrid(), HostBuffer<float>(oddGrid().count())};
    std::ranges::fill(volume.voxels.span(), 0.0F);
    std::ranges::copy(volume.voxels.span(), truth.voxels.span().begin());
    volume.span()(3, 4, 5) = -2;
    volume.span()(1, 4, 5) = 3;  // not among the slices that count
    const Vec3 place =
        compareVolumes(volume, truth, {std::nullopt, IndexRange{2, 5}}, 2).maxErrorMm;
    EXPECT_EQ(place, oddGrid().positionMm(5, 4, 3));
}

TEST(Compare, RegionsOfTheTruthAreExact) {
    const Phantom phantom = makePhantom("spheres", {100, {}, 0.01});
    const Volume truth = voxelised(phantom, {{120, 121, 110}, {2, 2, 2}, {}}, 2, 2);
    const auto errors = compareRegions(truth, phantom);
    EXPECT_GE(errors.size(), 2U);
    for (const RegionError& error : errors)
        EXPECT_NEAR(error.errorPercent, 0, 1e-4);  // float voxels
}

TEST(Compare, TruthIsFoundThroughTheRecordOfTheVolume) {
    const TemporaryFolder folder;
    SimulationSpec spec = test::smallScan(24, 32, 24, 410);
    spec.phantom.phantom = "spheres";
    spec.phantom.placement = {90, {3, 4, 5}, 0.02};
    const ScanFile scan = test::simulated(spec, folder / "scan");
    const JobSpec job = test::jobOf(scan, 16, folder / "v.mha");
    (void)test::run(job);
    const TruthPlacement found = findTruth(job.output.path, "spheres");
    EXPECT_EQ(found.phantom.placement.scaleMm, 90);
    EXPECT_EQ(found.phantom.placement.centerMm, (Vec3{3, 4, 5}));
    EXPECT_EQ(found.phantom.placement.density, 0.02);
    EXPECT_NE(found.from.find("phantom.json"), std::string::npos);
    const TruthPlacement other = findTruth(job.output.path, "cylinders");
    EXPECT_EQ(other.phantom.placement.scaleMm, 100);
    EXPECT_NE(other.from.find("default"), std::string::npos);
    EXPECT_EQ(findTruth(folder / "unknown.mha", "spheres").phantom.placement.scaleMm, 100);
    writeFileAtomically(provenancePath(job.output.path), "{");
    EXPECT_ERROR((void)findTruth(job.output.path, "spheres"), InputError, "provenance");
}

TEST(Compare, ARecordWithoutAScanLeavesTheDefaultPlacement) {
    const TemporaryFolder folder;
    for (const char* record :
         {"{}", R"({"request": 5})", R"({"request": {}})", R"({"request": {"scanFile": 7}})"}) {
        writeFileAtomically(provenancePath(folder / "v.mha"), record);
        const TruthPlacement found = findTruth(folder / "v.mha", "spheres");
        EXPECT_EQ(found.phantom.phantom, "spheres");
        EXPECT_EQ(found.phantom.placement.scaleMm, 100) << record;
        EXPECT_EQ(found.from, "the default placement") << record;
    }
}

TEST(Compare, ATruthOfOneValueIsShownInAGreyWindowToo) {
    Volume even{oddGrid(), HostBuffer<float>(oddGrid().count())};
    std::ranges::fill(even.voxels.span(), 0.02F);
    const Comparison report = comparisonReport(even, even, "even", {});
    EXPECT_LT(report.low, report.high);
}

TEST(Compare, TheTableOfErrorsHasTheRelativeOneInPercent) {
    ImageError error;
    error.rmse = 0.0005;
    error.relativeRmse = 0.025;
    const auto rows = errorTable(error);
    ASSERT_GE(rows.size(), 3U);
    EXPECT_EQ(rows[1], (std::vector<std::string>{"RMSE", "0.0005", "/mm"}));
    EXPECT_EQ(rows[2], (std::vector<std::string>{"relative RMSE", "2.5", "%"}));
}

}  // namespace
}  // namespace gantry
