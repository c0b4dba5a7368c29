#include "core/work/scan_stack.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// 21 rows of 8 mm, which at the axis of the cone are 4 mm.
StackedScan scanAt(double heightMm, bool isParallel) {
    StackedScan stacked;
    stacked.heightMm = heightMm;
    stacked.scan.name = "at " + std::to_string(static_cast<int>(heightMm));
    ScanGeometry& geometry = stacked.scan.geometry;
    geometry = test::smallScan(48, 25, 21, 200).geometry;
    if (isParallel) geometry.trajectory = ParallelBeam{geometry.angles()};
    return stacked;
}

TEST(ScanStack, ParallelScansGiveTheirRowsAndConesWhatAllViewsSee) {
    const StackedScan parallel = scanAt(100, true);
    const HeightRange rows = heightsOf(parallel, 50);
    EXPECT_NEAR(rows.lowMm, 100 - 10 * 8, 1e-9);  // middles of the outer rows
    EXPECT_NEAR(rows.highMm, 100 + 10 * 8, 1e-9);
    // At a magnification of 2, and nearer to the source the cone is narrower by (600 − 50)/600.
    const HeightRange cone = heightsOf(scanAt(-30, false), 50);
    EXPECT_NEAR(cone.lowMm, -30 - 40 * 550.0 / 600, 1e-9);
    EXPECT_NEAR(cone.highMm, -30 + 40 * 550.0 / 600, 1e-9);
}

TEST(ScanStack, TheVolumeCoversAllAndGapsAreRefused) {
    std::vector<StackedScan> scans = {scanAt(120, true), scanAt(0, true)};
    const VolumeGrid first = fitGrid(scans[0].scan.geometry);
    const VolumeGrid grid = gridOfStack(scans, first);
    EXPECT_EQ(grid.voxels[0], first.voxels[0]);
    EXPECT_EQ(grid.voxels[2], 36);  // −80 to 200 mm by 8
    EXPECT_NEAR(grid.centerMm[2], 60, 1e-9);
    const std::vector<IndexRange> slices = slicesOfStack(scans, grid);
    EXPECT_EQ(slices[0], (IndexRange{15, 36}));
    EXPECT_EQ(slices[1], (IndexRange{0, 21}));
    // In the scan's own world its middle is the origin.
    EXPECT_NEAR(partOfStack(grid, slices[0], scans[0]).centerMm[2], 0, 1e-9);
    scans[0] = scanAt(184, true);
    const VolumeGrid wide = gridOfStack(scans, first);
    EXPECT_ERROR((void)slicesOfStack(scans, wide), InputError,
                 "Between at 0 and at 184, 16 mm of the object's height");
    EXPECT_ERROR((void)slicesOfStack(scans, partOfStack(grid, {0, 3}, scanAt(0, true))), InputError,
                 "at 184: at a height of 184 mm it sees none");
}

TEST(ScanStack, OneScanGoesOverIntoTheNextEvenly) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = {{3, 2, 14}, {1, 1, 1}, {0, 0, 0}};
    std::vector<StackPart> parts;
    const auto add = [&](const char* name, IndexRange slices, auto valueAt) {
        const VolumeGrid own = grid.slab(slices);
        const auto sink = openSink({folder / name, PixelType::float32, {}}, own, SinkStart::fresh);
        std::vector<float> voxels;
        for (Index z = slices.begin; z < slices.end; ++z)
            for (int i = 0; i < 6; ++i)
                voxels.push_back(valueAt(z, i));
        sink->write(0, {voxels.data(), slices.size(), 2, 3});
        sink->finish();
        parts.push_back({name, openStoredVolume(folder / name), slices});
    };
    add("a.mha", {0, 10}, [](Index, int) { return 1.0F; });
    add("b.mha", {6, 14}, [](Index, int) { return 2.0F; });
    const auto sink =
        openSink({folder / "all.mha", PixelType::float32, {}}, grid, SinkStart::fresh);
    joinStack(parts, grid, *sink, 1, [](double) {}, {});
    const Volume all = readVolume(folder / "all.mha");
    for (Index z = 0; z < 14; ++z) {
        const double share = z < 6 ? 0 : z < 10 ? (static_cast<double>(z) - 5.5) / 4 : 1;
        EXPECT_NEAR(all.span()(0 + z, 1, 2), 1 + share, 1e-6) << z;
    }
    EXPECT_FALSE(stackFits(parts).at(0).isKnown) << "four slices show no shift";

    // A pattern that the upper scan has two slices higher.
    parts.clear();
    const auto pattern = [](Index z, int i) {
        return std::sin(0.7F * static_cast<float>(z) + static_cast<float>(i));
    };
    add("c.mha", {0, 12}, pattern);
    add("d.mha", {2, 14}, [&](Index z, int i) { return pattern(z + 2, i); });
    const StackFit fit = stackFits(parts).at(0);
    EXPECT_TRUE(fit.isKnown);
    EXPECT_EQ(fit.slices, 10);
    EXPECT_NEAR(fit.shiftSlices, 2, 0.1);
    EXPECT_NE(fit.sentence(0.5).find("+1.0"), std::string::npos) << fit.sentence(0.5);
}

}  // namespace
}  // namespace gantry
