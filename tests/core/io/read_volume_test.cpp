#include "core/io/volume/read_volume.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/io/tiff/tiff_file.h"
#include "core/io/volume/open_sink.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::oddGrid;
using test::randomVoxels;

class ReadVolume : public testing::Test {
  protected:
    fs::path write(const std::string& fileName) {
        const fs::path path = m_folder / fileName;
        const auto sink = openSink({path, PixelType::float32, {}}, m_grid, SinkStart::fresh);
        test::writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
        sink->finish();
        return path;
    }
    void replaceInFile(const fs::path& path, const std::string& from, const std::string& to) {
        std::string text = test::fileBytes(path);
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        test::writeBytes(path, text.replace(at, from.size(), to));
    }
    void writeTiff(const std::string& fileName, Index columns, Index rows, float value,
                   const std::string& description = {}) {
        TiffPage page;
        page.columns = columns;
        page.rows = rows;
        page.type = PixelType::float32;
        page.description = description;
        std::vector<float> pixels(static_cast<std::size_t>(columns * rows), value);
        pixels[0] = -value;
        TiffWriter writer(m_folder / fileName, TiffWriter::Mode::classic);
        writer.write(page, std::as_bytes(std::span(pixels)));
        writer.close();
    }

    test::TemporaryFolder m_folder;
    VolumeGrid m_grid = oddGrid();
    std::vector<float> m_voxels = randomVoxels(m_grid, 31);
};

TEST_F(ReadVolume, takesATiffFolderOfAnotherProgramInNaturalOrder) {
    fs::create_directory(m_folder / "stack");
    for (const int z : {8, 9, 10, 11})
        writeTiff(fmt::format("stack/s{}.tif", z), 5, 3, static_cast<float>(z), "ImageJ=1.53");
    const Volume volume = readVolume(m_folder / "stack");
    EXPECT_EQ(volume.grid, (VolumeGrid{{5, 3, 4}, {1, 1, 1}, {0, 0, 0}}));
    EXPECT_EQ(volume.span()(2, 2, 4), 10.0F);
    EXPECT_EQ(volume.span()(0, 0, 0), -8.0F);
}

TEST_F(ReadVolume, refusesSlicesThatDoNotFitTogether) {
    fs::create_directory(m_folder / "stack");
    writeTiff("stack/a1.tif", 5, 3, 1);
    writeTiff("stack/a2.tif", 5, 4, 1);
    EXPECT_ERROR((void)readVolume(m_folder / "stack"), InputError, "a2.tif has 5 × 4 pixels");
}

TEST_F(ReadVolume, refusesAFolderThatLostSlices) {
    const fs::path slices = write("slices");
    fs::remove(slices / "slice_0010.tif");
    EXPECT_ERROR((void)readVolume(slices), InputError, "13 × 7 × 11");
    fs::remove(slices / "slice_0004.tif");
    EXPECT_ERROR((void)readVolume(slices), InputError, "slice_");
}

TEST_F(ReadVolume, refusesWhatIsNoVolume) {
    EXPECT_ERROR((void)readVolume(m_folder / "none.mha"), InputError, "none.mha");
    EXPECT_ERROR((void)readVolume(m_folder.path()), InputError, m_folder.path().string());
    test::writeBytes(m_folder / "text.xyz", "text");
    EXPECT_ERROR((void)readVolume(m_folder / "text.xyz"), InputError,
                 "text.xyz has the unknown ending '.xyz'. A volume ends in .mha, .mhd, .raw, "
                 ".ome.tif, .ome.tiff, .tif, .tiff, .ome.zarr, .zarr, .h5, .hdf5, .nxs, .vgi, "
                 ".nrrd, .nhdr, .nii, .dcm, or in / for "
                 "a folder of TIFF slices.");
    test::writeBytes(m_folder / "text", "text");
    EXPECT_ERROR(
        (void)readVolume(m_folder / "text"), InputError,
        "it is not a volume. Volumes are .mha, .mhd, .raw with its .raw.json, .ome.tif, .tif, "
        "folders of TIFF slices, folders of OME-Zarr (.ome.zarr), HDF5 (.h5), .vgi, "
        ".nrrd, .nhdr, .nii and folders of DICOM slices (.dcm).");
    test::writeBytes(m_folder / "text.tif", "text");
    EXPECT_ERROR((void)readVolume(m_folder / "text.tif"), InputError, "text.tif");
}

TEST_F(ReadVolume, refusesARawFileWithoutItsDescription) {
    fs::remove(write("v.raw").string() + ".json");
    EXPECT_ERROR((void)readVolume(m_folder / "v.raw"), InputError, "v.raw.json is missing");
}

TEST_F(ReadVolume, refusesARawFileOfAnotherSize) {
    const fs::path path = write("v.raw");
    fs::resize_file(path, 4003);
    EXPECT_ERROR((void)readVolume(path), InputError, "v.raw: it has 4003 bytes");
    fs::resize_file(path, 13 * 7 * 11 * 4 + 1);
    EXPECT_ERROR((void)readVolume(path), InputError, "4005 bytes");
}

TEST_F(ReadVolume, namesTheFieldOfADescriptionThatIsWrong) {
    const fs::path path = write("v.raw");
    const fs::path description = path.string() + ".json";
    const std::string good = test::fileBytes(description);
    const auto refused = [&](const std::string& from, const std::string& to,
                             const std::string& text) {
        replaceInFile(description, from, to);
        EXPECT_ERROR((void)readVolume(path), InputError, text);
        test::writeBytes(description, good);
    };
    refused("[13,7,11]", "[13,7,-11]", "voxels");
    refused("[13,7,11]", "[4000000000,4000000000,11]", "voxels");
    refused("[13,7,11]", "[13,7,12]", "originMm");
    refused("[13,7,11]", "[13,7]", "voxels");
    refused("[0.3,", "[0,", "pitchMm");
    refused("float32", "complex", "type");
    refused("\"slope\":1.0", "\"slope\":\"1\"", "slope");
    refused("\"little\"", "\"big\"", "byteOrder");
    refused("\"unit\"", "\"units\"", "units");
    refused("\"gantryVolume\":1", "\"gantryVolume\":2", "gantryVolume");
    refused("{", "", "not valid JSON");
}

TEST_F(ReadVolume, refusesEveryBeginningOfADescription) {
    const fs::path path = write("v.raw");
    const fs::path description = path.string() + ".json";
    std::string text = test::fileBytes(description);
    // Without its line end and brace.
    for (text.resize(text.size() - 2); !text.empty(); text.pop_back()) {
        test::writeBytes(description, text);
        EXPECT_ERROR((void)readVolume(path), InputError, "v.raw.json");
    }
}

TEST_F(ReadVolume, refusesADescriptionThatIsNotOfTheseImages) {
    const fs::path slices = write("slices");
    const std::string description = TiffReader(slices / "slice_0000.tif").description();
    writeTiff("one.tif", 5, 3, 1, description);
    EXPECT_ERROR((void)readVolume(m_folder / "one.tif"), InputError, "13 × 7 × 11");
}

TEST_F(ReadVolume, refusesACutOffBigTiff) {
    const fs::path path = write("v.tif");
    const auto size = static_cast<Index>(fs::file_size(path));
    // The images' directories come last, so every cut loses some.
    for (const Index left : {Index{0}, Index{10}, Index{2000}, size / 2, size - 900}) {
        fs::resize_file(path, static_cast<std::uintmax_t>(left));
        EXPECT_ERROR((void)readVolume(path), InputError, "v.tif");
        (void)write("v.tif");
    }
}

}  // namespace
}  // namespace gantry
