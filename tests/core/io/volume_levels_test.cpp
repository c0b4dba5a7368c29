#include "core/io/volume/volume_levels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <thread>

#include "core/io/volume/open_sink.h"
#include "tests/core/io/random_volume.h"
#include "tests/core/io/zarr_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class LevelsOf : public testing::TestWithParam<const char*> {
  protected:
    LevelsOf() {
        const auto sink = openSink({m_path, PixelType::float32, {}}, m_grid, SinkStart::fresh);
        test::writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
        sink->finish(2);
    }
    test::TemporaryFolder m_folder;
    fs::path m_path = m_folder / GetParam();
    VolumeGrid m_grid{{131, 77, 93}, {0.3, 0.45, 1.1}, {12.5, -7.25, 103.3}};
    std::vector<float> m_voxels = test::randomVoxels(m_grid, 61);
};

INSTANTIATE_TEST_SUITE_P(Sources, LevelsOf,
                         testing::Values("v.mha", "v.raw", "v.tif", "slices", "v.ome.zarr", "v.vgi",
                                         "v.nrrd", "v.nii"));

IndexRange randomRange(std::mt19937& random, Index count) {
    const auto a = static_cast<Index>(random() % static_cast<std::size_t>(count));
    const auto b = static_cast<Index>(random() % static_cast<std::size_t>(count));
    return {std::min(a, b), std::max(a, b) + 1};
}

TEST_P(LevelsOf, anyBoxOfAnyLevelIsReadFromAnyThread) {
    const auto levels = openVolumeLevels(m_path);
    ASSERT_EQ(levels->grids().size(), 2U);
    std::array<int, 3> wrong{};
    const std::array<std::vector<float>, 2> whole = {m_voxels, test::levelOf(*levels, 1)};
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < wrong.size(); ++t)
            threads.emplace_back([&, t] {
                std::mt19937 random(static_cast<unsigned>(t));
                for (int round = 0; round < 12; ++round) {
                    const std::size_t level = random() % 2;
                    const auto [nX, nY, nZ] = levels->grids()[level].voxels;
                    const VoxelBox box{randomRange(random, nX), randomRange(random, nY),
                                       randomRange(random, nZ)};
                    std::vector<float> found(
                        static_cast<std::size_t>(box.x.size() * box.y.size() * box.z.size()));
                    const Span3<float> voxels(found.data(), box.z.size(), box.y.size(),
                                              box.x.size());
                    levels->read(static_cast<Index>(level), box, voxels, 2);
                    for (Index z = 0; z < box.z.size(); ++z)
                        for (Index y = 0; y < box.y.size(); ++y) {
                            const Index row =
                                ((box.z.begin + z) * nY + box.y.begin + y) * nX + box.x.begin;
                            wrong[t] +=
                                std::equal(voxels.row(z, y), voxels.row(z, y) + box.x.size(),
                                           whole[level].begin() + row)
                                    ? 0
                                    : 1;
                        }
                }
            });
    }
    EXPECT_EQ(wrong, (std::array<int, 3>{}));
}

TEST_P(LevelsOf, coarserLevelsLieWhereTheVolumeDoes) {
    const auto levels = openVolumeLevels(m_path);
    const VolumeGrid wanted = coarsened(m_grid, 2);
    const VolumeGrid& found = levels->grids().back();
    EXPECT_EQ(found.voxels, wanted.voxels);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_DOUBLE_EQ(found.pitchMm[axis], wanted.pitchMm[axis]);
        EXPECT_NEAR(found.centerMm[axis], wanted.centerMm[axis], 1e-12);
    }
    // Means and single voxels of values in [0, 0.1) agree on average; of 120 000 voxels, the mean
    // is known to 0.03/√120000.
    double sum = 0;
    const std::vector<float> coarse = test::levelOf(*levels, 1);
    for (const float voxel : coarse)
        sum += static_cast<double>(voxel);
    EXPECT_NEAR(sum / static_cast<double>(coarse.size()), 0.05, 5e-4);
}

TEST_P(LevelsOf, whatIsNotThereIsNotRead) {
    const auto levels = openVolumeLevels(m_path);
    float voxel = 0;
    const Span3<float> one(&voxel, 1, 1, 1);
    EXPECT_ERROR(levels->read(2, {{0, 1}, {0, 1}, {0, 1}}, one), InternalError, "level");
    EXPECT_ERROR(levels->read(1, {{66, 67}, {0, 1}, {0, 1}}, one), InternalError, "voxels");
    EXPECT_ERROR(levels->read(0, {{0, 2}, {0, 1}, {0, 1}}, one), InternalError, "buffer");
}

TEST(ZarrLevels, ABoxReadsOnlyTheChunksItMeets) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid{{131, 77, 93}, {1, 1, 1}, {0, 0, 0}};
    const auto sink =
        openSink({folder / "v.zarr", PixelType::uint8, {{0, 0.1}}}, grid, SinkStart::fresh);
    test::writeSlices(*sink, test::randomVoxels(grid, 62), grid, {0, 93});
    sink->finish(2);
    test::writeBytes(folder / "v.zarr/0/1/0/2", "damaged");
    const auto levels = openVolumeLevels(folder / "v.zarr");
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()));
    levels->read(0, {{0, 128}, {0, 77}, {0, 93}}, {voxels.data(), 93, 77, 128});
    levels->read(0, {{0, 131}, {0, 77}, {0, 64}}, {voxels.data(), 64, 77, 131});
    EXPECT_ERROR(levels->read(0, {{128, 129}, {0, 1}, {64, 65}}, {voxels.data(), 1, 1, 1}),
                 InputError, "0/1/0/2 is damaged");
}

TEST(DamagedLevels, aDamagedChunkHidesNoOther) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "v.ome.zarr";
    const VolumeGrid grid{{131, 77, 93}, {0.3, 0.45, 1.1}, {12.5, -7.25, 103.3}};
    const std::vector<float> voxels = test::randomVoxels(grid, 62);
    const auto sink = openSink({path, PixelType::float32, {}}, grid, SinkStart::fresh);
    test::writeSlices(*sink, voxels, grid, {0, grid.voxels[2]});
    sink->finish(2);
    fs::resize_file(path / "0/1/0/1", 100);
    const auto levels = openVolumeLevels(path);
    // Boxes lie at odd places, and one is the whole.
    for (const VoxelBox& box :
         {VoxelBox{{0, 131}, {0, 77}, {0, 93}}, VoxelBox{{60, 70}, {3, 71}, {63, 65}}}) {
        std::vector<float> found(
            static_cast<std::size_t>(box.x.size() * box.y.size() * box.z.size()));
        const auto failure =
            levels->readIntact(0, box, {found.data(), box.z.size(), box.y.size(), box.x.size()}, 2);
        ASSERT_TRUE(failure);
        EXPECT_NE(std::string(failure->what()).find("0/1/0/1"), std::string::npos)
            << failure->what();
        const float* voxel = found.data();
        int wrong = 0;
        for (Index z = box.z.begin; z < box.z.end; ++z)
            for (Index y = box.y.begin; y < box.y.end; ++y)
                for (Index x = box.x.begin; x < box.x.end; ++x, ++voxel) {
                    const bool isDamaged = z >= 64 && y < 64 && x >= 64 && x < 128;
                    const float expected = voxels[static_cast<std::size_t>((z * 77 + y) * 131 + x)];
                    wrong += isDamaged ? !std::isnan(*voxel) : *voxel != expected;
                }
        EXPECT_EQ(wrong, 0);
    }
    float one = 0;
    EXPECT_FALSE(levels->readIntact(0, {{0, 1}, {0, 1}, {0, 1}}, {&one, 1, 1, 1}));
    EXPECT_EQ(one, voxels[0]);
}

}  // namespace
}  // namespace gantry
