#include "core/report/measure_volume.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <stop_token>
#include <utility>

#include "core/base/error.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// A volume on disk, of random voxels, and the same in memory.
class MeasureVolume : public testing::Test {
  protected:
    void write(const VolumeGrid& grid, const char* name) {
        HostBuffer<float> voxels(grid.count());
        std::mt19937 random(7);
        std::normal_distribution<float> values(0.02F, 0.003F);
        for (Index i = 0; i < grid.count(); ++i)
            voxels[i] = values(random);
        const auto [nX, nY, nZ] = grid.voxels;
        voxels[((nZ / 2) * nY + nY / 2) * nX + nX / 2] = std::numeric_limits<float>::quiet_NaN();
        OutputFormat format;
        format.path = folder / name;
        const auto sink = openSink(format, grid, SinkStart::fresh);
        sink->write(0, {voxels.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]});
        sink->finish();
        levels = openVolumeLevels(folder / name);
        volume = readVolume(folder / name);
    }

    test::TemporaryFolder folder;
    std::unique_ptr<VolumeLevels> levels;
    Volume volume;
    std::atomic<double> fraction = 0;
};

const VolumeGrid kOdd{{21, 16, 11}, {0.5, 0.7, 1.25}, {3, -4, 5}};

TEST_F(MeasureVolume, ARegionIsWhatTheVolumeInMemoryHolds) {
    for (const char* name : {"volume.mha", "volume.ome.zarr"}) {
        write(kOdd, name);
        const WorldBox box{{1, -6.3, 2.5}, {6.1, 0, 9.9}};
        const MeasuredRegion found = measureRegion(*levels, box, fraction, {});
        const RegionStatistics whole = boxStatistics(volume.span(), volume.grid, box);
        EXPECT_EQ(regionFigures(found.found, found.volumeMm3),
                  regionFigures(whole, found.volumeMm3));
        EXPECT_EQ(std::accumulate(found.bins.begin(), found.bins.end(), Index{0}), whole.voxels);
        EXPECT_EQ(found.found.notFinite, 1);
        EXPECT_EQ(fraction, 1);
    }
}

TEST_F(MeasureVolume, ALargeRegionIsReadInPiecesAndStillToTheLastBit) {
    write({{300, 301, 103}, {0.1, 0.1, 0.2}, {}}, "large.mha");  // more than is read at a time
    const WorldBox all{{-100, -100, -100}, {100, 100, 100}};
    const MeasuredRegion found = measureRegion(*levels, all, fraction, {});
    const RegionStatistics whole = boxStatistics(volume.span(), volume.grid, all);
    EXPECT_EQ(found.found.mean, whole.mean);
    EXPECT_EQ(found.found.standardDeviation, whole.standardDeviation);
    EXPECT_EQ(std::accumulate(found.bins.begin(), found.bins.end(), Index{0}), whole.voxels);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)measureRegion(*levels, all, fraction, stop.get_token()), Cancelled);
}

TEST_F(MeasureVolume, AProfileIsThatOfTheVolumeInMemory) {
    write({{150, 90, 70}, {0.5, 0.7, 1.25}, {3, -4, 5}}, "volume.mha");
    const VolumeGrid& grid = volume.grid;
    // Through all of it from corner to corner, and short ones.
    for (const auto& [from, to] :
         {std::pair(grid.positionMm(-0.5, -0.5, -0.5), grid.positionMm(149.5, 89.5, 69.5)),
          {grid.positionMm(3.2, 80, 6), grid.positionMm(35.7, 80, 6)},
          {grid.positionMm(3, 4, 5), grid.positionMm(3, 4, 5.1)}}) {
        const MeasuredProfile found = measureProfile(*levels, from, to, {});
        const VoxelLine line = voxelLine(grid, from, to);
        ASSERT_EQ(std::ssize(found.values), line.samples);
        const auto whole = lineProfile(volume.span(), line.fromXyz, line.toXyz, line.samples);
        for (std::size_t i = 0; i < whole.size(); ++i)
            // Places are rounded apart by 1e-14 of some hundred voxels; the values differ by 0.01
            // a voxel.
            if (std::isfinite(whole[i])) {
                EXPECT_NEAR(found.values[i], whole[i], 1e-12);
            }
        EXPECT_EQ(found.line.distanceMm(line.samples - 1), line.lengthMm);
    }
}

TEST_F(MeasureVolume, WhatLiesOutsideIsRefused) {
    write(kOdd, "volume.mha");
    EXPECT_THROW((void)measureRegion(*levels, {{90, 0, 0}, {91, 1, 1}}, fraction, {}), InputError);
    EXPECT_THROW((void)measureRegion(*levels, {{1, 0, 0}, {0, 1, 1}}, fraction, {}), InputError);
    EXPECT_THROW((void)measureProfile(*levels, {0, 0, 5}, {900, 0, 5}, {}), InputError);
}

TEST(ProfileCsv, HasALineASample) {
    VoxelLine line;
    line.lengthMm = 2.5;
    line.samples = 3;
    EXPECT_EQ(profileCsv(line, {0.5, 1, 0.25}),
              "distance_mm,volume_per_mm\n0,0.5\n1.25,1\n2.5,0.25\n");
}

}  // namespace
}  // namespace gantry
