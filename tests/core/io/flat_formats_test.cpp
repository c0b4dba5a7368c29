#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::fileBytes;
using test::oddGrid;
using test::randomVoxels;

// VGSTUDIO's, NRRD and NIfTI: what is written has the published layout, and files of other programs
// are read or refused. The layouts are spelled out here anew.
class FlatFormats : public testing::Test {
  protected:
    fs::path write(const std::string& name, const VolumeGrid& grid,
                   PixelType type = PixelType::float32) {
        OutputFormat format{m_folder / name, type, {}};
        if (type != PixelType::float32) format.range = {{-0.02, 0.12}};
        const auto sink = openSink(format, grid, SinkStart::fresh);
        test::writeSlices(*sink, m_voxels, grid, {0, grid.voxels[2]});
        sink->finish();
        return format.path;
    }
    [[nodiscard]] std::string voxelBytes() const {
        return {reinterpret_cast<const char*>(m_voxels.data()), m_voxels.size() * sizeof(float)};
    }
    void refused(const std::string& name, const std::string& bytes, const std::string& text) {
        test::writeBytes(m_folder / name, bytes);
        EXPECT_ERROR((void)openStoredVolume(m_folder / name), InputError, text);
    }

    test::TemporaryFolder m_folder;
    VolumeGrid m_grid = oddGrid();
    std::vector<float> m_voxels = randomVoxels(m_grid, 5);
};

template <class T>
T at(const std::string& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto found = text.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    return found == std::string::npos ? text : text.replace(found, from.size(), to);
}

TEST_F(FlatFormats, vgiDescribesTheVoxelsBesideIt) {
    const std::string text = fileBytes(write("v w.vgi", m_grid, PixelType::uint16));
    for (const char* line :
         {"{volume1}", "[representation]", "size = 13 7 11", "[file1]", "FileFormat = raw",
          "Size = 13 7 11", "Name = v w.vol", "datatype = unsigned integer", "bitsperelement = 16",
          "{volumeprimitive12}", "[geometry]", "resolution = 0.3 0.45 1.1", "unit = mm",
          "position = 12.5 -7.25 103.3", "[volume]", "volume = volume1"})
        EXPECT_NE(("\n" + text).find("\n" + std::string(line) + "\n"), std::string::npos) << line;
    EXPECT_EQ(fs::file_size(m_folder / "v w.vol"), 13U * 7 * 11 * 2);
}

TEST_F(FlatFormats, vgiOfOtherProgramsIsRead) {
    test::writeBytes(m_folder / "part 1.vol", "head" + voxelBytes());
    const std::string text =
        "{volume1}\r\n[representation]\r\nsize = 1 1 1\r\n[file1]\r\nSkipHeader = 4\r\n"
        "FileFormat = raw\r\nSize = 13 7 11\r\nName = C:\\scans\\part 1.vol\r\n"
        "Datatype = float\r\ndatarange = -1 1\r\nBitsPerElement = 32\r\n"
        "{volumeprimitive1}\r\n[geometry]\r\nresolution = 300 450 1100\r\nunit = um\r\n"
        "{lightsource1}\r\n[geometry]\r\nposition = 9 9 9\r\n";
    test::writeBytes(m_folder / "v.vgi", text);
    const Volume volume = readVolume(m_folder / "v.vgi");
    EXPECT_EQ(volume.grid.voxels, m_grid.voxels);
    for (std::size_t axis = 0; axis < 3; ++axis)
        // 1e-12: rounding of the product with a thousandth
        EXPECT_NEAR(volume.grid.pitchMm[axis], m_grid.pitchMm[axis], 1e-12);
    EXPECT_EQ(volume.grid.centerMm, (std::array<double, 3>{0, 0, 0}));
    EXPECT_TRUE(std::equal(m_voxels.begin(), m_voxels.end(), volume.voxels.span().begin()));

    refused("v.vgi", replaced(text, "Size = 13 7 11", "Size = 13 7 12"), "part 1.vol has 4004");
    refused("v.vgi", replaced(text, "Size = 13 7 11", "Size = 2147483647 2147483647 2147483647"),
            "file1/size is");
    refused("v.vgi", replaced(text, "SkipHeader = 4", "SkipHeader = -4"), "SkipHeader");
    refused("v.vgi", replaced(text, "part 1.vol", "none.vol"), "none.vol', which does not exist");
    refused("v.vgi", replaced(text, "Datatype = float", "Datatype = colour"), "'colour 32'");
    refused("v.vgi", replaced(text, "unit = um", "unit = mile"), "'mile'");
    refused("v.vgi", replaced(text, "resolution = 300", "resolution = -300"), "-0.3 mm apart");
    refused("v.vgi", "{volume1}", "lacks file1/name");
}

TEST_F(FlatFormats, nrrdHasAHeaderABlankLineAndTheVoxels) {
    const std::string bytes = fileBytes(write("v.nrrd", m_grid));
    const auto blank = bytes.find("\n\n");
    ASSERT_NE(blank, std::string::npos);
    EXPECT_EQ(bytes.substr(blank + 2), voxelBytes());
    const std::string header = bytes.substr(0, blank + 1);
    EXPECT_TRUE(header.starts_with("NRRD0004\n"));
    const Vec3 first = m_grid.originMm();
    for (const std::string& line :
         {std::string("type: float"), std::string("dimension: 3"), std::string("sizes: 13 7 11"),
          std::string("space: left-posterior-superior"), std::string("encoding: raw"),
          std::string("space directions: (0.3,0,0) (0,0.45,0) (0,0,1.1)"),
          std::string("endian: little"),
          fmt::format("space origin: ({},{},{})", first.x, first.y, first.z)})
        EXPECT_NE(header.find("\n" + line + "\n"), std::string::npos) << line;
    write("w.nhdr", m_grid);
    EXPECT_EQ(fileBytes(m_folder / "w.raw"), voxelBytes());
    EXPECT_NE(fileBytes(m_folder / "w.nhdr").find("\ndata file: w.raw\n"), std::string::npos);
}

TEST_F(FlatFormats, nrrdOfOtherProgramsIsReadOrRefused) {
    // Right-anterior-superior: x and y, which run against ours, count down here.
    const std::string head =
        "NRRD0005\n# comment\ntype: float\ndimension: 3\nspace: RAS\nsizes: 13 7 11\n"
        "space directions: (-0.3,0,0) (0, -0.45, 0) (0,0,1.1)\nendian: little\nencoding: raw\n"
        "space origin: (-10.7,8.6,97.8)\nkey:=value: with colon\n\n";
    test::writeBytes(m_folder / "v.nrrd", head + voxelBytes());
    const Volume volume = readVolume(m_folder / "v.nrrd");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(volume.grid.pitchMm[axis], m_grid.pitchMm[axis]);
        EXPECT_NEAR(volume.grid.centerMm[axis], m_grid.centerMm[axis], 1e-12);
    }
    EXPECT_TRUE(std::equal(m_voxels.begin(), m_voxels.end(), volume.voxels.span().begin()));
    const auto fails = [&](const std::string& from, const std::string& to,
                           const std::string& text) {
        refused("w.nrrd", replaced(head, from, to) + voxelBytes(), text);
    };
    fails("(-0.3,0,0)", "(0.3,0,0)", "reversed or rotated");
    fails("(-0.3,0,0)", "(-0.3,0.01,0)", "reversed or rotated");
    fails("13 7 11", "13 7 12", "need 4368 bytes");
    fails("13 7 11", "2147483647 2147483647 99999", "larger than any file");
    fails("13 7 11", "13 7", "3 numbers");
    fails("type: float", "type: block", "'block'");
    fails("encoding: raw", "encoding: hex", "raw or gzip");
    fails("dimension: 3", "dimension: 4", "dimension is 4");
    fails("space: RAS", "space: scanner-xyz", "scanner-xyz");
    fails("# comment", "byte skip: 99999999999", "byte skip");
    fails("# comment", "data file: LIST", "LIST");
    fails("# comment", "data file: /etc/none", "does not exist");
    fails("NRRD0005", "NRRX0005", "NRRD");
}

TEST_F(FlatFormats, nifti1HasItsFieldsWhereTheyBelong) {
    const std::string bytes = fileBytes(write("v.nii", m_grid, PixelType::uint16));
    ASSERT_EQ(bytes.size(), 352U + 13 * 7 * 11 * 2);
    EXPECT_EQ(at<std::int32_t>(bytes, 0), 348);
    EXPECT_EQ(bytes.substr(344, 4), std::string("n+1\0", 4));
    const std::int16_t dims[] = {3, 13, 7, 11, 1, 1, 1, 1};
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(at<std::int16_t>(bytes, 40 + 2 * i), dims[i]);
    EXPECT_EQ(at<std::int16_t>(bytes, 70), 512);  // uint16
    EXPECT_EQ(at<std::int16_t>(bytes, 72), 16);
    EXPECT_EQ(at<float>(bytes, 108), 352);
    EXPECT_FLOAT_EQ(at<float>(bytes, 112), 0.14F / 65535);
    EXPECT_FLOAT_EQ(at<float>(bytes, 116), -0.02F);
    EXPECT_EQ(bytes[123], 2);                    // mm
    EXPECT_EQ(at<std::int16_t>(bytes, 252), 1);  // qform, sform: scanner
    EXPECT_EQ(at<std::int16_t>(bytes, 254), 1);
    // Pitches, then the matrix to right, anterior, superior; the quaternion is half a turn about z.
    const float pitches[] = {1, 0.3F, 0.45F, 1.1F};
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_FLOAT_EQ(at<float>(bytes, 76 + 4 * i), pitches[i]);
    const float rows[] = {-0.3F, 0, 0, -10.7F, 0, -0.45F, 0, 8.6F, 0, 0, 1.1F, 97.8F};
    for (std::size_t i = 0; i < 12; ++i)
        EXPECT_FLOAT_EQ(at<float>(bytes, 280 + 4 * i), rows[i]) << i;
    const float turn[] = {0, 0, 1, -10.7F, 8.6F, 97.8F};
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_FLOAT_EQ(at<float>(bytes, 256 + 4 * i), turn[i]) << i;
}

TEST_F(FlatFormats, anAxisBeyond16BitsMakesNifti2) {
    const VolumeGrid grid{{32768, 1, 2}, {0.001, 0.45, 1.1}, {12.5, -7.25, 103.3}};
    m_voxels = randomVoxels(grid, 8);
    const fs::path path = write("long.nii", grid);
    const std::string bytes = fileBytes(path);
    ASSERT_EQ(bytes.size(), 544U + 32768 * 2 * 4);
    EXPECT_EQ(at<std::int32_t>(bytes, 0), 540);
    EXPECT_EQ(bytes.substr(4, 8), std::string("n+2\0\r\n\032\n", 8));
    EXPECT_EQ(at<std::int16_t>(bytes, 12), 16);  // float
    EXPECT_EQ(at<std::int64_t>(bytes, 24), 32768);
    EXPECT_EQ(at<std::int64_t>(bytes, 168), 544);
    EXPECT_EQ(at<double>(bytes, 112), 0.001);
    EXPECT_EQ(at<double>(bytes, 400), -0.001);
    EXPECT_EQ(at<std::int32_t>(bytes, 348), 1);
    const Volume volume = readVolume(path);
    EXPECT_EQ(volume.grid.voxels, grid.voxels);
    EXPECT_EQ(volume.grid.pitchMm, grid.pitchMm);
    EXPECT_TRUE(std::equal(m_voxels.begin(), m_voxels.end(), volume.voxels.span().begin()));
}

TEST_F(FlatFormats, niftiOfEitherOrderIsReadAndDamagedOnesAreRefused) {
    const std::string good = fileBytes(write("v.nii", m_grid));
    std::string swapped = good;
    const auto swap = [&](std::size_t from, std::size_t count, std::size_t size) {
        for (std::size_t i = 0; i < count; ++i)
            std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(from + i * size),
                         swapped.begin() + static_cast<std::ptrdiff_t>(from + (i + 1) * size));
    };
    swap(0, 1, 4);
    swap(40, 8, 2);
    swap(70, 2, 2);
    swap(76, 11, 4);
    swap(252, 2, 2);
    swap(256, 18, 4);
    swap(352, m_voxels.size(), 4);
    test::writeBytes(m_folder / "big.nii", swapped);
    const Volume volume = readVolume(m_folder / "big.nii");
    EXPECT_EQ(volume.grid.pitchMm, m_grid.pitchMm);
    EXPECT_TRUE(std::equal(m_voxels.begin(), m_voxels.end(), volume.voxels.span().begin()));

    const auto with = [&](std::size_t offset, auto value) {
        std::string bytes = good;
        std::memcpy(bytes.data() + offset, &value, sizeof(value));
        return bytes;
    };
    refused("w.nii", with(42, std::int16_t{-13}), "-13 × 7 × 11");
    refused("w.nii", with(42, std::int16_t{14}), "need 4312 bytes");
    refused("w.nii", with(40, std::int16_t{8}), "8 axes");
    refused("w.nii", with(70, std::int16_t{128}), "type 128");  // colours
    refused("w.nii", with(108, -1.0F), "begin at byte");
    refused("w.nii", with(108, 1e30F), "begin at byte");
    refused("w.nii", with(280, 0.3F), "reverses or rotates");
    refused("w.nii", with(284, 0.01F), "reverses or rotates");
    refused("w.nii", with(280, std::numeric_limits<float>::quiet_NaN()), "reverses or rotates");
    refused("w.nii", with(344, 'x'), "no NIfTI");
    for (const std::size_t size : {0, 3, 347, 351, 500})
        refused("w.nii", good.substr(0, size), "w.nii");
}

}  // namespace
}  // namespace gantry
