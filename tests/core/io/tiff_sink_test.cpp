#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tiffio.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/io/volume/open_sink.h"
#include "core/io/volume/volume_description.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::randomVoxels;
using test::writeSlices;

// What libtiff alone, without Gantry's reader, finds in one image.
struct Page {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint16_t bits = 0;
    std::uint16_t format = 0;
    std::uint16_t unit = 0;
    float perCmX = 0;
    float perCmY = 0;
    std::string description;
    std::vector<std::byte> pixels;
};

Page readPage(TIFF* tiff) {
    Page page;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page.width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page.height);
    TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &page.bits);
    TIFFGetField(tiff, TIFFTAG_SAMPLEFORMAT, &page.format);
    TIFFGetField(tiff, TIFFTAG_RESOLUTIONUNIT, &page.unit);
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &page.perCmX);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &page.perCmY);
    char* text = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text)) page.description = text;
    const auto rowBytes = static_cast<std::size_t>(TIFFScanlineSize(tiff));
    page.pixels.resize(rowBytes * page.height);
    for (std::uint32_t row = 0; row < page.height; ++row)
        EXPECT_EQ(TIFFReadScanline(tiff, page.pixels.data() + row * rowBytes, row), 1);
    return page;
}

std::vector<Page> readPages(const fs::path& path) {
    const std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(TIFFOpen(path.c_str(), "r"), TIFFClose);
    std::vector<Page> pages;
    if (!tiff) {
        ADD_FAILURE() << path << " is no TIFF file";
        return pages;
    }
    do
        pages.push_back(readPage(tiff.get()));
    while (TIFFReadDirectory(tiff.get()));
    return pages;
}

template <class T>
T pixel(const Page& page, Index index) {
    T value;
    std::memcpy(&value, page.pixels.data() + index * static_cast<Index>(sizeof(T)), sizeof(T));
    return value;
}

void expectHeader(const Page& page, const VolumeGrid& grid, std::uint16_t bits) {
    EXPECT_EQ(page.width, grid.voxels[0]);
    EXPECT_EQ(page.height, grid.voxels[1]);
    EXPECT_EQ(page.bits, bits);
    EXPECT_EQ(page.format, bits == 32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    EXPECT_EQ(page.unit, RESUNIT_CENTIMETER);
    // The tag is a fraction of 32-bit numbers, which libtiff gives as float.
    EXPECT_NEAR(page.perCmX * grid.pitchMm[0] / 10, 1, 1e-6);
    EXPECT_NEAR(page.perCmY * grid.pitchMm[1] / 10, 1, 1e-6);
}

void writeAll(const OutputFormat& format, const VolumeGrid& grid,
              const std::vector<float>& voxels) {
    const auto sink = openSink(format, grid, SinkStart::fresh);
    writeSlices(*sink, voxels, grid, {0, grid.voxels[2]});
    sink->finish();
}

TEST(TiffSink, BigTiffIsReadByLibtiffSliceBySliceFirstRowFirst) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = test::oddGrid();
    const std::vector<float> voxels = randomVoxels(grid, 5);
    writeAll({folder / "v.tif", PixelType::float32, {}}, grid, voxels);
    EXPECT_EQ(test::fileBytes(folder / "v.tif").substr(0, 4), std::string("II\x2b\0", 4));

    const std::vector<Page> pages = readPages(folder / "v.tif");
    ASSERT_EQ(static_cast<Index>(pages.size()), grid.voxels[2]);
    const Index slice = grid.voxels[0] * grid.voxels[1];
    for (Index z = 0; z < grid.voxels[2]; ++z) {
        const Page& page = pages[static_cast<std::size_t>(z)];
        expectHeader(page, grid, 32);
        for (Index i = 0; i < slice; ++i)
            ASSERT_EQ(pixel<float>(page, i), voxels[static_cast<std::size_t>(z * slice + i)]);
    }
    const auto json = nlohmann::json::parse(pages[0].description);
    EXPECT_EQ(json["pitchMm"][2], grid.pitchMm[2]);
    EXPECT_EQ(json["originMm"][1], grid.originMm().y);
    EXPECT_EQ(json["centerMm"][2], grid.centerMm[2]);
}

TEST(TiffSink, BigTiffOfScaledVoxelsStatesTheScale) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = test::oddGrid();
    const std::vector<float> voxels = randomVoxels(grid, 6);
    writeAll({folder / "v.tif", PixelType::uint16, {{-0.02, 0.12}}}, grid, voxels);
    const std::vector<Page> pages = readPages(folder / "v.tif");
    ASSERT_EQ(static_cast<Index>(pages.size()), grid.voxels[2]);
    expectHeader(pages[2], grid, 16);
    const auto json = nlohmann::json::parse(pages[0].description);
    const double slope = json["slope"];
    const double intercept = json["intercept"];
    EXPECT_DOUBLE_EQ(slope, 0.14 / 65535);
    const std::size_t at = static_cast<std::size_t>(2 * grid.voxels[0] * grid.voxels[1] + 17);
    EXPECT_NEAR(slope * pixel<std::uint16_t>(pages[2], 17) + intercept, voxels[at],
                slope / 2 + 1e-8);  // half a step, and a float's rounding
}

TEST(TiffSink, BigTiffOfLargeSlicesHasSeveralStrips) {
    const test::TemporaryFolder folder;
    // 2100 · 1501 floats are 12.6 MB, more than one strip of 8 MiB; the rows do not divide.
    const VolumeGrid grid{{2100, 1501, 2}, {0.1, 0.1, 0.1}, {0, 0, 0}};
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()));
    std::iota(voxels.begin(), voxels.end(), 0.0F);
    writeAll({folder / "v.tif", PixelType::float32, {}}, grid, voxels);
    const std::vector<Page> pages = readPages(folder / "v.tif");
    ASSERT_EQ(pages.size(), 2U);
    const Index slice = grid.voxels[0] * grid.voxels[1];
    for (std::size_t z = 0; z < 2; ++z)
        EXPECT_EQ(std::memcmp(pages[z].pixels.data(), voxels.data() + static_cast<Index>(z) * slice,
                              pages[z].pixels.size()),
                  0);
}

TEST(TiffSink, FolderHasOneFileASliceInNaturalOrder) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = test::oddGrid();
    const std::vector<float> voxels = randomVoxels(grid, 8);
    writeAll({folder / "slices", PixelType::float32, {}}, grid, voxels);
    const Index slice = grid.voxels[0] * grid.voxels[1];
    for (Index z = 0; z < grid.voxels[2]; ++z) {
        const std::vector<Page> pages =
            readPages(folder / "slices" / fmt::format("slice_{:04}.tif", z));
        ASSERT_EQ(pages.size(), 1U);
        expectHeader(pages[0], grid, 32);
        EXPECT_EQ(nlohmann::json::parse(pages[0].description)["pitchMm"][2], grid.pitchMm[2]);
        for (Index i = 0; i < slice; ++i)
            ASSERT_EQ(pixel<float>(pages[0], i), voxels[static_cast<std::size_t>(z * slice + i)]);
    }
    EXPECT_EQ(static_cast<Index>(test::namesIn(folder / "slices").size()), grid.voxels[2]);
}

TEST(TiffSink, NamesOfManySlicesAreAllAsLong) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid{{1, 1, 10001}, {1, 1, 1}, {0, 0, 0}};
    const auto sink = openSink({folder / "slices", PixelType::float32, {}}, grid, SinkStart::fresh);
    const float value = 1;
    sink->write(9, {&value, 1, 1, 1});
    sink->write(10000, {&value, 1, 1, 1});
    EXPECT_EQ(test::namesIn(folder / "slices.part"),
              (std::vector<std::string>{"slice_00009.tif", "slice_10000.tif"}));
}

TEST(TiffSink, ASmallerFolderReplacesALargerOneWhole) {
    const test::TemporaryFolder folder;
    VolumeGrid grid = test::oddGrid();
    writeAll({folder / "slices", PixelType::uint8, {{0, 1}}}, grid, randomVoxels(grid, 9));
    grid.voxels[2] = 3;
    writeAll({folder / "slices", PixelType::uint8, {{0, 1}}}, grid, randomVoxels(grid, 9));
    EXPECT_EQ(test::namesIn(folder / "slices").size(), 3U);
    EXPECT_EQ(test::namesIn(folder.path()), std::vector<std::string>{"slices"});
}

TEST(TiffSink, AFolderThatGotOtherFilesMeanwhileIsKept) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = test::oddGrid();
    const auto sink = openSink({folder / "slices", PixelType::float32, {}}, grid, SinkStart::fresh);
    writeSlices(*sink, randomVoxels(grid, 9), grid, {0, grid.voxels[2]});
    fs::create_directory(folder / "slices");
    test::writeBytes(folder / "slices" / "thesis.doc", "precious");
    EXPECT_ANY_THROW(sink->finish());
    EXPECT_EQ(test::fileBytes(folder / "slices" / "thesis.doc"), "precious");
}

TEST(TiffSink, ASliceCutOffByAKillIsWrittenAgain) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = test::oddGrid();
    const std::vector<float> voxels = randomVoxels(grid, 9);
    const OutputFormat format{folder / "slices", PixelType::float32, {}};
    writeSlices(*openSink(format, grid, SinkStart::fresh), voxels, grid, {0, 1});
    fs::resize_file(folder / "slices.part" / "slice_0000.tif", 100);
    const auto resumed = openSink(format, grid, SinkStart::resumed);
    writeSlices(*resumed, voxels, grid, {0, grid.voxels[2]});
    resumed->finish();
    EXPECT_EQ(readPages(folder / "slices" / "slice_0000.tif").size(), 1U);
}

// A BigTIFF as earlier versions wrote it, whose description ends without room for a scale. It is
// made from TIFF's specification: voxels, then a directory for each slice.
std::string formerFile(const VolumeGrid& grid, const std::string& description,
                       std::span<const float> voxels) {
    std::string bytes = "II";
    const auto put = [](std::string& to, auto value) {
        to.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const std::size_t end = 16 + voxels.size_bytes();
    put(bytes, std::uint16_t{43});
    put(bytes, std::uint16_t{8});
    put(bytes, std::uint16_t{0});
    put(bytes, std::uint64_t{(end + 7) / 8 * 8});
    bytes.append(reinterpret_cast<const char*>(voxels.data()), voxels.size_bytes());
    bytes.resize((end + 7) / 8 * 8);
    const auto slicePixels = static_cast<std::uint64_t>(grid.voxels[0] * grid.voxels[1]);
    for (Index z = 0; z < grid.voxels[2]; ++z) {
        std::string table;
        std::string values;
        const std::uint64_t fields = z == 0 ? 14 : 13;
        put(table, fields);
        const auto add = [&](std::uint16_t tag, std::uint16_t type, std::uint64_t count,
                             std::uint64_t value) {
            put(table, tag);
            put(table, type);
            put(table, count);
            put(table, value);
        };
        const auto perCm = [](double pitchMm) {
            const auto numerator = static_cast<std::uint64_t>(std::round(1e7 / pitchMm));
            return numerator | std::uint64_t{1'000'000} << 32;
        };
        add(256, 4, 1, static_cast<std::uint64_t>(grid.voxels[0]));
        add(257, 4, 1, static_cast<std::uint64_t>(grid.voxels[1]));
        add(258, 3, 1, 32);
        add(259, 3, 1, 1);
        add(262, 3, 1, 1);
        if (z == 0) {
            add(270, 2, description.size() + 1, bytes.size() + 8 + 20 * fields + 8);
            values = description;
            values.resize((description.size() + 8) / 8 * 8);
        }
        add(273, 16, 1, 16 + static_cast<std::uint64_t>(z) * slicePixels * sizeof(float));
        add(277, 3, 1, 1);
        add(278, 4, 1, static_cast<std::uint64_t>(grid.voxels[1]));
        add(279, 16, 1, slicePixels * sizeof(float));
        add(282, 5, 1, perCm(grid.pitchMm[0]));
        add(283, 5, 1, perCm(grid.pitchMm[1]));
        add(296, 3, 1, 3);
        add(339, 3, 1, 3);
        const bool isLast = z + 1 == grid.voxels[2];
        put(table, isLast ? std::uint64_t{0} : bytes.size() + table.size() + 8 + values.size());
        bytes += table + values;
    }
    return bytes;
}

TEST(TiffSink, AFileOfAnEarlierVersionIsResumed) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid{{5, 3, 4}, {0.31, 0.27, 0.4}, {1, -2, 3}};
    const std::vector<float> voxels = randomVoxels(grid, 10);
    const OutputFormat format{folder / "v.tif", PixelType::float32, {}};
    const std::string whole = formerFile(grid, toJson({grid, {}}), voxels);
    std::string begun = whole;
    std::fill_n(begun.begin() + 16 + 2 * 15 * 4, 2 * 15 * 4, '\0');  // its last two slices
    test::writeBytes(folder / "v.tif.part", begun);
    const auto sink = openSink(format, grid, SinkStart::resumed);
    writeSlices(*sink, voxels, grid, {2, 4});
    sink->finish();
    EXPECT_EQ(test::fileBytes(folder / "v.tif"), whole);
    EXPECT_EQ(readPages(folder / "v.tif").size(), 4U);
}

}  // namespace
}  // namespace gantry
