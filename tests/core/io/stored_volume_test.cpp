#include "core/io/volume/stored_volume.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/host_buffer.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/volume/open_sink.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::oddGrid;

// Its parameter is the file to write.
class StoredVolumes : public testing::TestWithParam<const char*> {
  protected:
    fs::path write(PixelType type) {
        const fs::path path = m_folder / GetParam();
        OutputFormat format{path, type, {}};
        if (type != PixelType::float32) format.range = {{-0.02, 0.12}};
        const auto sink = openSink(format, m_grid, SinkStart::fresh);
        test::writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
        sink->finish();
        return path;
    }
    test::TemporaryFolder m_folder;
    VolumeGrid m_grid = oddGrid();
    std::vector<float> m_voxels = test::randomVoxels(m_grid, 51);
};

INSTANTIATE_TEST_SUITE_P(AllFormats, StoredVolumes,
                         testing::Values("v.mha", "v.mhd", "v.raw", "v.tif", "V.TIFF", "slices",
                                         "v.ome.zarr", "v.vgi", "v.nrrd", "v.nhdr", "v.nii",
                                         "v.ome.tiff"));

TEST_P(StoredVolumes, giveTheirSlicesAndRowsInOrder) {
    const fs::path path = write(PixelType::float32);
    EXPECT_TRUE(isStoredVolume(path));
    const StoredVolume volume = openStoredVolume(path);
    EXPECT_EQ(volume.grid.voxels, m_grid.voxels);
    EXPECT_EQ(volume.encoding, VoxelEncoding{});
    const auto [nX, nY, nZ] = m_grid.voxels;
    HostBuffer<float> buffer(3 * nY * nX);
    volume.read(5, {buffer.data(), 3, nY, nX});
    EXPECT_TRUE(
        std::equal(buffer.span().begin(), buffer.span().end(), m_voxels.begin() + 5 * nY * nX));
    // Rows 2 to 4 of slice 10 are read as they are stored.
    HostBuffer<float> rows(3 * nX);
    volume.slices->readRows(10, {2, 5}, std::as_writable_bytes(rows.span()));
    EXPECT_TRUE(
        std::equal(rows.span().begin(), rows.span().end(), m_voxels.begin() + (10 * nY + 2) * nX));
    EXPECT_EQ(volume.slices->info().views, nZ);
    EXPECT_NE(volume.slices->viewName(10).find(path.string()), std::string::npos);
    EXPECT_THROW(volume.read(nZ - 2, {buffer.data(), 3, nY, nX}), InternalError);
}

TEST_P(StoredVolumes, giveScaledVoxelsAsAttenuation) {
    const StoredVolume volume = openStoredVolume(write(PixelType::uint16));
    EXPECT_EQ(volume.encoding.type, PixelType::uint16);
    const auto [nX, nY, nZ] = m_grid.voxels;
    HostBuffer<float> buffer(nY * nX);
    volume.read(nZ - 1, {buffer.data(), 1, nY, nX});
    for (Index i = 0; i < nY * nX; ++i)
        // Half a step of 0.14/65535, and the rounding to float.
        ASSERT_NEAR(buffer[i], m_voxels[static_cast<std::size_t>((nZ - 1) * nY * nX + i)], 1.1e-6);
}

TEST(IsStoredVolume, asksTheFilesThemselves) {
    const test::TemporaryFolder folder;
    EXPECT_FALSE(isStoredVolume(folder / "none.mha.tif"));
    EXPECT_FALSE(isStoredVolume(folder.path()));
    test::writeBytes(folder / "v.raw", "0123");
    EXPECT_FALSE(isStoredVolume(folder / "v.raw"));
    test::writeBytes(folder / "v.raw.json", R"({"gantryRaw": 1, "columns": 2})");
    EXPECT_FALSE(isStoredVolume(folder / "v.raw"));
    test::writeBytes(folder / "text.nii", "text");
    EXPECT_FALSE(isStoredVolume(folder / "text.nii"));

    const std::vector<float> pixels(6);
    fs::create_directory(folder / "views");
    for (const char* name : {"views/a1.tif", "views/a2.tif"}) {
        TiffWriter writer(folder / name, TiffWriter::Mode::classic);
        writer.write({3, 2, PixelType::float32, {0, 0}, "ImageJ=1.53", false},
                     std::as_bytes(std::span(pixels)));
        writer.close();
    }
    EXPECT_FALSE(isStoredVolume(folder / "views"));
    EXPECT_FALSE(isStoredVolume(folder / "views/a1.tif"));
    // But whoever says that it is one can have it.
    EXPECT_EQ(openStoredVolume(folder / "views").grid.voxels, (std::array<Index, 3>{3, 2, 2}));
}

TEST(OpenStoredVolume, doesNotWaitForAPipe) {
    const test::TemporaryFolder folder;
    for (const char* name : {"v.mha", "v.raw", "v.tif"}) {
        ASSERT_EQ(::mkfifo((folder / name).c_str(), 0600), 0);
        EXPECT_ERROR((void)openStoredVolume(folder / name), InputError, "it is not a regular file");
    }
}

}  // namespace
}  // namespace gantry
