#include "core/io/zarr/make_pyramid.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/foreign_zarr.h"
#include "tests/core/io/random_volume.h"
#include "tests/core/io/zarr_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::namesIn;

class MakePyramid : public testing::Test {
  protected:
    fs::path write(const char* name, PixelType type) {
        OutputFormat format{m_folder / name, type, {}};
        if (type != PixelType::float32) format.range = {{-0.013, 0.127}};
        const auto sink = openSink(format, m_grid, SinkStart::fresh);
        test::writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
        sink->finish(2);
        return format.path;
    }
    static void expectSameVoxels(const fs::path& a, const fs::path& b) {
        const StoredVolume first = openStoredVolume(a);
        const StoredVolume second = openStoredVolume(b);
        ASSERT_EQ(first.encoding, second.encoding);
        const auto [nX, nY, nZ] = first.grid.voxels;
        test::Bytes one(static_cast<std::size_t>(nX * nY * sizeBytes(first.encoding.type)));
        test::Bytes other(one.size());
        for (Index z = 0; z < nZ; ++z) {
            first.slices->readRows(z, {0, nY}, one);
            second.slices->readRows(z, {0, nY}, other);
            ASSERT_TRUE(one == other) << z;
        }
    }
    test::TemporaryFolder m_folder;
    VolumeGrid m_grid{{131, 77, 93}, {0.3, 0.45, 1.1}, {12.5, -7.25, 103.3}};
    std::vector<float> m_voxels = test::randomVoxels(m_grid, 33);
};

TEST_F(MakePyramid, VoxelsAndTheirScaleStayAsTheyAreStored) {
    for (const PixelType type : {PixelType::float32, PixelType::uint16, PixelType::uint8})
        for (const char* source : {"v.mha", "v.tif", "slices"}) {
            const fs::path volume = write(source, type);
            std::vector<double> fractions;
            PyramidOptions options;
            options.threads = 2;
            options.onProgress = [&](double fraction) { fractions.push_back(fraction); };
            const fs::path output = m_folder / "out.ome.zarr";
            const PyramidFacts facts = makePyramid(volume, output, options);
            expectSameVoxels(volume, output);
            EXPECT_EQ(fractions.back(), 1);
            EXPECT_EQ(facts.levels.size(), 2U);
            EXPECT_EQ(facts.type, type);
            EXPECT_EQ(facts.voxelBytes, m_grid.count() * sizeBytes(type));
            EXPECT_EQ(facts.storedBytes, test::bytesBelow(output));
            fs::remove_all(volume);
        }
}

TEST_F(MakePyramid, EveryTypeThatIsReadIsKept) {
    for (const PixelType type : {PixelType::int8, PixelType::int16, PixelType::int32,
                                 PixelType::uint32, PixelType::float64}) {
        test::ForeignArray array;
        array.type = type;
        array.dtype = type == PixelType::int8     ? "|i1"
                      : type == PixelType::int16  ? "<i2"
                      : type == PixelType::int32  ? "<i4"
                      : type == PixelType::uint32 ? "<u4"
                                                  : "<f8";
        array.shape = {3, 5, 200};
        fs::remove_all(m_folder / "foreign.zarr");
        writeForeign(m_folder / "foreign.zarr", array, test::randomPixels(type, 3 * 5 * 200, 34));
        (void)makePyramid(m_folder / "foreign.zarr", m_folder / "out.ome.zarr", {});
        expectSameVoxels(m_folder / "foreign.zarr", m_folder / "out.ome.zarr");
        EXPECT_EQ(openStoredVolume(m_folder / "out.ome.zarr").encoding.type, type);
    }
}

TEST_F(MakePyramid, IsTheSameAsTheOneThatAJobWrites) {
    const fs::path job = write("v.ome.zarr", PixelType::float32);
    fs::create_directory(m_folder / "made");
    (void)makePyramid(write("v.mha", PixelType::float32), m_folder / "made/v.ome.zarr", {});
    EXPECT_TRUE(test::filesBelow(job) == test::filesBelow(m_folder / "made/v.ome.zarr"));
}

TEST_F(MakePyramid, AChunkMayHaveTwiceTheSide) {
    const fs::path volume = write("v.mha", PixelType::float32);
    PyramidOptions options;
    options.chunk = 128;
    (void)makePyramid(volume, m_folder / "v.ome.zarr", options);
    expectSameVoxels(volume, m_folder / "v.ome.zarr");
    EXPECT_TRUE(fs::exists(m_folder / "v.ome.zarr/0/0/0/1"));
    EXPECT_FALSE(fs::exists(m_folder / "v.ome.zarr/0/1"));
}

TEST_F(MakePyramid, StoppedItLeavesTheOlderOneAndNothingElse) {
    const fs::path volume = write("v.mha", PixelType::uint16);
    const fs::path output = m_folder / "v.ome.zarr";
    (void)makePyramid(volume, output, {});
    const auto before = test::filesBelow(output);
    std::stop_source stop;
    PyramidOptions options;
    options.stop = stop.get_token();
    options.onProgress = [&](double) { stop.request_stop(); };
    EXPECT_THROW((void)makePyramid(volume, output, options), Cancelled);
    EXPECT_EQ(namesIn(m_folder.path()), (std::vector<std::string>{"v.mha", "v.ome.zarr"}));
    EXPECT_TRUE(test::filesBelow(output) == before);
}

TEST_F(MakePyramid, RefusesWhatItCannotWriteAndLeavesNothing) {
    const fs::path volume = write("v.mha", PixelType::uint8);
    const auto refused = [&](const fs::path& from, const fs::path& to, const char* text) {
        EXPECT_ERROR((void)makePyramid(from, to, {}), InputError, text);
    };
    refused(volume, m_folder / "v.tif", "choose a name that ends in .ome.zarr");
    refused(volume, m_folder / "none/v.zarr", "none does not exist");
    refused(m_folder / "none.mha", m_folder / "v.zarr", "none.mha");
    test::writeBytes(m_folder / "file.zarr", "text");
    refused(volume, m_folder / "file.zarr", "it is a file, and a folder is needed");
    fs::remove(m_folder / "file.zarr");
    (void)makePyramid(volume, m_folder / "v.zarr", {});
    refused(m_folder / "v.zarr", m_folder / "v.zarr/", "it is the volume that is read");
    // Damage that shows only in the midst of reading.
    test::writeBytes(m_folder / "v.zarr/0/1/0/1", "damaged");
    refused(m_folder / "v.zarr", m_folder / "other.zarr", "v.zarr/0/1/0/1 is damaged");
    EXPECT_EQ(namesIn(m_folder.path()), (std::vector<std::string>{"v.mha", "v.zarr"}));
}

TEST_F(MakePyramid, TheNameFollowsFromTheVolumes) {
    EXPECT_EQ(pyramidPathFor("/data/walnut 0.2.mha"), "/data/walnut 0.2.ome.zarr");
    fs::create_directory(m_folder / "slices 0.2");
    EXPECT_EQ(pyramidPathFor(m_folder / "slices 0.2/"), m_folder / "slices 0.2.ome.zarr");
}

}  // namespace
}  // namespace gantry
