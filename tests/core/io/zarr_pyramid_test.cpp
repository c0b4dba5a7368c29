#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "core/base/file.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/volume_levels.h"
#include "core/io/zarr/pyramid_writer.h"
#include "tests/core/io/random_volume.h"
#include "tests/core/io/zarr_files.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::filesBelow;
using test::levelOf;
using test::randomVoxels;
using test::writeSlices;

// Two levels: sizes are odd, and of no whole number of chunks.
VolumeGrid twoLevelGrid() {
    return {{131, 77, 93}, {0.3, 0.45, 1.1}, {12.5, -7.25, 103.3}};
}

// Means of blocks of 2×2×2, by the definition.
std::vector<float> halved(const std::vector<float>& fine, const VolumeGrid& grid) {
    const VolumeGrid coarse = coarsened(grid, 2);
    std::vector<double> sums(static_cast<std::size_t>(coarse.count()));
    std::vector<double> counts(sums.size());
    const auto [nX, nY, nZ] = grid.voxels;
    for (Index i = 0; i < grid.count(); ++i) {
        const Index x = i % nX;
        const Index y = i / nX % nY;
        const Index z = i / nX / nY;
        const float voxel = fine[static_cast<std::size_t>(i)];
        if (!std::isfinite(voxel)) continue;
        const auto block =
            static_cast<std::size_t>((z / 2 * coarse.voxels[1] + y / 2) * coarse.voxels[0] + x / 2);
        sums[block] += static_cast<double>(voxel);
        counts[block] += 1;
    }
    std::vector<float> means(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        means[i] = static_cast<float>(sums[i] / counts[i]);  // 0/0: NaN
    return means;
}

void expectVoxels(const std::vector<float>& found, const std::vector<float>& wanted, double max) {
    ASSERT_EQ(found.size(), wanted.size());
    Index off = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const bool bothNan = std::isnan(found[i]) && std::isnan(wanted[i]);
        const bool same = found[i] == wanted[i] || std::abs(static_cast<double>(found[i]) -
                                                            static_cast<double>(wanted[i])) <= max;
        off += bothNan || same ? 0 : 1;
    }
    EXPECT_EQ(off, 0) << "voxels of " << found.size();
}

// Writes in slabs of random borders and order, from three threads.
void writeInDisorder(VolumeSink& sink, const std::vector<float>& voxels, const VolumeGrid& grid,
                     unsigned seed, bool flushes = false) {
    std::mt19937 random(seed);
    std::vector<IndexRange> slabs;
    for (Index z = 0; z < grid.voxels[2]; z = slabs.back().end)
        slabs.push_back({z, std::min(grid.voxels[2], z + 1 + static_cast<Index>(random() % 40))});
    std::shuffle(slabs.begin(), slabs.end(), random);
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < slabs.size(); i += 3) {
                writeSlices(sink, voxels, grid, slabs[i]);
                if (flushes) sink.flush();
            }
        });
}

TEST(ZarrPyramid, EachLevelIsTheMeanOfTheOneBefore) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = twoLevelGrid();
    std::vector<float> voxels = randomVoxels(grid, 71);
    // Single ones, a whole block, and one beyond what a float's sum holds.
    voxels[5] = std::numeric_limits<float>::quiet_NaN();
    voxels[777] = std::numeric_limits<float>::infinity();
    for (const Index z : {10, 11})
        for (const Index y : {20, 21})
            for (const Index x : {30, 31})
                voxels[static_cast<std::size_t>((z * 77 + y) * 131 + x)] =
                    std::numeric_limits<float>::quiet_NaN();
    voxels[9999] = voxels[10000] = std::numeric_limits<float>::max();
    const auto sink =
        openSink({folder / "v.ome.zarr", PixelType::float32, {}}, grid, SinkStart::fresh);
    writeInDisorder(*sink, voxels, grid, 5);
    sink->finish(2);

    const auto levels = openVolumeLevels(folder / "v.ome.zarr");
    ASSERT_EQ(levels->grids().size(), 2U);
    expectVoxels(levelOf(*levels, 0), voxels, 0);
    // Both sum in double: the same float but for the order of the sum.
    expectVoxels(levelOf(*levels, 1), halved(voxels, grid), 1e-8);
    EXPECT_EQ(levels->grids()[1].voxels, (std::array<Index, 3>{66, 39, 47}));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const VolumeGrid& coarse = levels->grids()[1];
        EXPECT_DOUBLE_EQ(coarse.pitchMm[axis], 2 * grid.pitchMm[axis]);
        // Sums of numbers about 100 in double.
        EXPECT_NEAR(coarse.centerMm[axis], coarsened(grid, 2).centerMm[axis], 1e-12);
    }
}

TEST(ZarrPyramid, IntegersAreMeansOfWhatIsStoredHalvesUp) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = twoLevelGrid();
    const std::vector<float> voxels = randomVoxels(grid, 72);
    for (const PixelType type : {PixelType::uint8, PixelType::uint16}) {
        const fs::path path = folder / "v.zarr";
        const double largest = type == PixelType::uint8 ? 255 : 65535;
        const auto sink =
            openSink({path, type, {{0, largest}}}, grid, SinkStart::fresh);  // slope 1
        std::vector<float> whole(voxels.size());
        std::transform(voxels.begin(), voxels.end(), whole.begin(), [&](float voxel) {
            return std::floor(voxel * 10 * static_cast<float>(largest));
        });
        writeInDisorder(*sink, whole, grid, 6);
        sink->finish();
        std::vector<float> wanted = halved(whole, grid);
        for (float& mean : wanted)
            mean = std::floor(mean + 0.5F);
        const auto levels = openVolumeLevels(path);
        expectVoxels(levelOf(*levels, 0), whole, 0);
        // Means in eighths are exact in a float.
        expectVoxels(levelOf(*levels, 1), wanted, 0);
    }
}

TEST(ZarrPyramid, AnyOrderGivesTheSameBytes) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = twoLevelGrid();
    const std::vector<float> voxels = randomVoxels(grid, 73);
    const auto write = [&](const char* name, const std::function<void(VolumeSink&)>& order) {
        fs::create_directory(folder / name);
        const fs::path path = folder / name / "v.ome.zarr";
        const auto sink = openSink({path, PixelType::float32, {}}, grid, SinkStart::fresh);
        order(*sink);
        sink->finish(2);
        return filesBelow(path);
    };
    const auto whole =
        write("whole", [&](VolumeSink& sink) { sink.write(0, test::spanOf(voxels, grid), 2); });
    EXPECT_GT(whole.size(), 12U);
    const auto pairs = write("pairs", [&](VolumeSink& sink) {
        for (Index z = 0; z < 93 - z; z += 15) {
            const Index end = std::min<Index>(z + 15, 47);
            writeSlices(sink, voxels, grid, {z, end});
            if (93 - end < 93 - z && 93 - end >= end)
                writeSlices(sink, voxels, grid, {93 - end, 93 - z});
            if (93 - end < end) writeSlices(sink, voxels, grid, {end, 93 - z});
            sink.flush();
        }
    });
    EXPECT_TRUE(pairs == whole);
    EXPECT_TRUE(write("disorder",
                      [&](VolumeSink& sink) { writeInDisorder(sink, voxels, grid, 7); }) == whole);
    // Ranks hand slices over in any order to the one that writes.
    for (unsigned seed = 8; seed < 12; ++seed)
        EXPECT_TRUE(write(fmt::format("flushed {}", seed).c_str(), [&](VolumeSink& sink) {
                        writeInDisorder(sink, voxels, grid, seed, true);
                    }) == whole);
}

TEST(ZarrPyramid, LevelsEndWhereOneFitsTheScreen) {
    const VolumeDescription large{{{2049, 300, 1}, {1, 1, 1}, {0, 0, 0}}, {}};
    std::vector<std::array<Index, 3>> shapes;
    for (const ZarrLevel& level : pyramidLevels("v", large, 64))
        shapes.push_back(level.array.shape);
    EXPECT_EQ(shapes, (std::vector<std::array<Index, 3>>{{1, 300, 2049},
                                                         {1, 150, 1025},
                                                         {1, 75, 513},
                                                         {1, 38, 257},
                                                         {1, 19, 129},
                                                         {1, 10, 65}}));
    EXPECT_EQ(pyramidLevels("v", {{{128, 128, 128}, {1, 1, 1}, {0, 0, 0}}, {}}, 64).size(), 1U);
}

TEST(ZarrPyramid, DescribesItselfAsOmeZarr) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = twoLevelGrid();
    const auto sink =
        openSink({folder / "v.ome.zarr", PixelType::uint16, {{-0.1, 0.2}}}, grid, SinkStart::fresh);
    writeSlices(*sink, randomVoxels(grid, 74), grid, {0, grid.voxels[2]});
    sink->finish();
    const auto jsonOf = [&](const char* file) {
        return nlohmann::json::parse(readTextFile(folder / "v.ome.zarr" / file));
    };
    EXPECT_EQ(jsonOf(".zgroup"), nlohmann::json({{"zarr_format", 2}}));
    const nlohmann::json array = jsonOf("1/.zarray");
    EXPECT_EQ(array["shape"], nlohmann::json({47, 39, 66}));
    EXPECT_EQ(array["chunks"], nlohmann::json({64, 64, 64}));
    EXPECT_EQ(array["dtype"], "<u2");
    EXPECT_EQ(array["dimension_separator"], "/");
    const nlohmann::json image = jsonOf(".zattrs")["multiscales"][0];
    EXPECT_EQ(image["version"], "0.4");
    EXPECT_EQ(image["name"], "v.ome");
    EXPECT_EQ(image["axes"][0],
              nlohmann::json({{"name", "z"}, {"type", "space"}, {"unit", "millimeter"}}));
    const nlohmann::json transforms = image["datasets"][1]["coordinateTransformations"];
    EXPECT_EQ(transforms[0]["scale"], nlohmann::json({2.2, 0.9, 0.6}));
    // The middle of the first block is half a voxel on from the first voxel's.
    EXPECT_NEAR(transforms[1]["translation"][2].get<double>(), grid.originMm().x + 0.15, 1e-12);
    EXPECT_NEAR(transforms[1]["translation"][0].get<double>(), grid.originMm().z + 0.55, 1e-12);
    EXPECT_FALSE(fs::exists(folder / "v.ome.zarr/.scratch"));
}

TEST(ZarrPyramid, SaysBeforehandWhatItTakesOfTheDisk) {
    const test::TemporaryFolder folder;
    VolumeGrid grid = twoLevelGrid();
    const OutputFormat format{folder / "v.zarr", PixelType::float32, {}};
    // Bytes that no compression makes smaller.
    std::mt19937 random(75);
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()));
    for (float& voxel : voxels) {
        const auto bits = static_cast<std::uint32_t>(random());
        std::memcpy(&voxel, &bits, sizeof(voxel));
    }
    const auto sink = openSink(format, grid, SinkStart::fresh);
    writeSlices(*sink, voxels, grid, {40, 93});
    writeSlices(*sink, voxels, grid, {0, 40});
    sink->finish();
    EXPECT_LE(test::bytesBelow(folder / "v.zarr"), outputBytes(format, grid));
    EXPECT_GT(diskBytesNeeded(format, grid), outputBytes(format, grid));
}

}  // namespace
}  // namespace gantry
