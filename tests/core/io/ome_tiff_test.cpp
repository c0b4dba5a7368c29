#include <gtest/gtest.h>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/io/tiff/tiff_file.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::oddGrid;

TEST(OmeTiff, describesItsImagesAsOmeXml) {
    const test::TemporaryFolder folder;
    const std::vector<float> voxels = test::randomVoxels(oddGrid(), 3);
    const OutputFormat format{folder / "a & \"b\".ome.tif", PixelType::uint16, {{-0.02, 0.12}}};
    const auto sink = openSink(format, oddGrid(), SinkStart::fresh);
    test::writeSlices(*sink, voxels, oddGrid(), {0, oddGrid().voxels[2]});
    sink->finish();
    TiffReader reader(format.path);
    EXPECT_EQ(reader.images().size(), 11U);
    const std::string text = reader.description();
    EXPECT_TRUE(
        text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://"
                         "www.openmicroscopy.org/Schemas/OME/2016-06\""));
    for (const char* part :
         {"Name=\"a &amp; &quot;b&quot;.ome.tif\"", "DimensionOrder=\"XYZCT\"", "Type=\"uint16\"",
          "SizeX=\"13\" SizeY=\"7\" SizeZ=\"11\" SizeC=\"1\" SizeT=\"1\"",
          "PhysicalSizeX=\"0.3\" PhysicalSizeXUnit=\"mm\"",
          "PhysicalSizeY=\"0.45\" PhysicalSizeYUnit=\"mm\"",
          "PhysicalSizeZ=\"1.1\" PhysicalSizeZUnit=\"mm\"",
          "<TiffData IFD=\"0\" FirstZ=\"0\" FirstC=\"0\" FirstT=\"0\" PlaneCount=\"11\"/>"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

using TiffFile = std::unique_ptr<TIFF, void (*)(TIFF*)>;

// An image as libtiff reads it, with its size.
struct PlainImage {
    std::uint32_t columns = 0;
    std::uint32_t rows = 0;
    std::vector<double> values;
};

template <class T>
PlainImage currentImage(TIFF* tiff) {
    PlainImage image;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &image.columns);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &image.rows);
    std::vector<T> row(image.columns);
    for (std::uint32_t y = 0; y < image.rows; ++y) {
        EXPECT_EQ(TIFFReadScanline(tiff, row.data(), y, 0), 1);
        image.values.insert(image.values.end(), row.begin(), row.end());
    }
    return image;
}

// The mean of the numbers in blocks of 2 × 2, which are cut at the far ends.
PlainImage halfOf(const PlainImage& image, bool isRounded) {
    PlainImage half{(image.columns + 1) / 2, (image.rows + 1) / 2, {}};
    for (std::uint32_t y = 0; y < half.rows; ++y)
        for (std::uint32_t x = 0; x < half.columns; ++x) {
            std::vector<double> block;
            for (std::uint32_t j = 2 * y; j < std::min(2 * y + 2, image.rows); ++j)
                for (std::uint32_t i = 2 * x; i < std::min(2 * x + 2, image.columns); ++i)
                    if (const double value = image.values[j * image.columns + i];
                        std::isfinite(value))
                        block.push_back(value);
            double mean = std::numeric_limits<double>::quiet_NaN();
            if (!block.empty()) {
                mean = 0;
                for (const double value : block)
                    mean += value / static_cast<double>(block.size());
            }
            // Sums of quarters are exact enough to be told from halves.
            half.values.push_back(isRounded ? std::floor(mean + 0.5 + 1e-9) : mean);
        }
    return half;
}

template <class T>
void expectPyramid(PixelType type) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid{{301, 137, 3}, {0.3, 0.45, 1.1}, {12.5, -7.25, 103.3}};
    std::vector<float> voxels = test::randomVoxels(grid, 5);
    if (type == PixelType::float32)
        for (const Index hole : {0, 1, 301, 302, 700})
            voxels[hole] = std::numeric_limits<float>::quiet_NaN();
    OutputFormat format{folder / "p.ome.tif", type};
    if (isInteger(type)) format.range = {{0, 0.1}};
    const auto sink = openSink(format, grid, SinkStart::fresh);
    for (const Index z : {2, 0, 1})
        test::writeSlices(*sink, voxels, grid, {z, z + 1});
    sink->finish();

    const TiffFile file(TIFFOpen(format.path.c_str(), "r"), TIFFClose);
    ASSERT_NE(file, nullptr);
    for (std::uint16_t z = 0; z < 3; ++z) {
        ASSERT_EQ(TIFFSetDirectory(file.get(), z), 1);
        PlainImage finer = currentImage<T>(file.get());
        EXPECT_EQ(finer.columns, 301U);
        std::uint16_t count = 0;
        const std::uint64_t* offsets = nullptr;
        ASSERT_EQ(TIFFGetField(file.get(), TIFFTAG_SUBIFD, &count, &offsets), 1);
        ASSERT_EQ(count, 2) << "301 to 151 to 76, which is at most 128";
        const std::vector<std::uint64_t> smaller(offsets, offsets + count);
        for (const std::uint64_t offset : smaller) {
            ASSERT_EQ(TIFFSetSubDirectory(file.get(), offset), 1);
            std::uint32_t kind = 0;
            TIFFGetField(file.get(), TIFFTAG_SUBFILETYPE, &kind);
            EXPECT_EQ(kind, static_cast<std::uint32_t>(FILETYPE_REDUCEDIMAGE));
            const PlainImage image = currentImage<T>(file.get());
            const PlainImage wanted = halfOf(finer, isInteger(type));
            ASSERT_EQ(image.columns, wanted.columns);
            ASSERT_EQ(image.rows, wanted.rows);
            for (std::size_t i = 0; i < wanted.values.size(); ++i) {
                const double value = image.values[i];
                ASSERT_EQ(std::isnan(value), std::isnan(wanted.values[i])) << i;
                // Means are rounded to floats.
                if (std::isnan(value)) continue;
                ASSERT_NEAR(value, wanted.values[i], 1e-8) << i;
            }
            finer = image;
        }
    }
    const StoredVolume stored = openStoredVolume(format.path);
    EXPECT_EQ(stored.slices->info().views, 3) << "the smaller images are no slices";
}

TEST(OmeTiff, HasEverSmallerImagesOfEachSlice) {
    expectPyramid<float>(PixelType::float32);
    expectPyramid<std::uint16_t>(PixelType::uint16);
    expectPyramid<std::uint8_t>(PixelType::uint8);
}

}  // namespace
}  // namespace gantry
