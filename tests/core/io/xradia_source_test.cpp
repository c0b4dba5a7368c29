#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/io/open_source.h"
#include "core/io/xradia/xradia_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/xradia_files.h"

namespace gantry {
namespace {

using test::floats;
using test::integers;
using test::XradiaFiles;

template <class Pixel>
std::vector<Pixel> viewOf(const ProjectionSource& source, Index view, IndexRange rows) {
    std::vector<Pixel> pixels(rows.size() * source.info().columns);
    source.readRows(view, rows, std::as_writable_bytes(std::span(pixels)));
    return pixels;
}

// More images than one storage holds; each row counts from 0 at the top.
TEST(XradiaSource, ImagesOfAScanAreItsViews) {
    const test::TemporaryFolder folder;
    for (const int version : {3, 4}) {
        const auto source =
            openSource({XradiaFiles(203, 7, 5).write(folder / "a.txrm", version)}, {});
        const SourceInfo& info = source->info();
        EXPECT_EQ(info.views, 203);
        EXPECT_EQ(info.rows, 5);
        EXPECT_EQ(info.columns, 7);
        EXPECT_EQ(info.pixelType, PixelType::uint16);
        EXPECT_EQ(info.format, "ZEISS Xradia, 16-bit");
        EXPECT_TRUE(info.readsRowsAlone);
        EXPECT_EQ(source->viewName(102), (folder / "a.txrm").string() + ", image 102");
        // Detector row 1 from below is row 3 of the image.
        const std::vector<std::uint16_t> rows = viewOf<std::uint16_t>(*source, 41, {1, 3});
        EXPECT_EQ(rows[0], 42'030);
        EXPECT_EQ(rows[13], 42'026);
    }
}

TEST(XradiaSource, RowsAndColumnsAreTurnedAsTheScanSays) {
    const test::TemporaryFolder folder;
    const auto source = openSource({XradiaFiles(2, 7, 5).write(folder / "a.txrm")},
                                   {.firstRowIsTop = false, .isMirrored = true});
    EXPECT_EQ(viewOf<std::uint16_t>(*source, 1, {1, 2}).front(), 2016);
}

TEST(XradiaSource, PixelsOfAllTypesAreRead) {
    const test::TemporaryFolder folder;
    const std::pair<int, PixelType> types[] = {{2, PixelType::int8},     {3, PixelType::uint8},
                                               {4, PixelType::int16},    {5, PixelType::uint16},
                                               {6, PixelType::int32},    {7, PixelType::uint32},
                                               {10, PixelType::float32}, {11, PixelType::float64}};
    std::minstd_rand random(1);
    for (const auto& [code, type] : types) {
        XradiaFiles files(1, 9, 31);
        std::string bytes(9 * 31 * sizeBytes(type), '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random() & 0x3FU);  // of which floats are finite
        files.streams["ImageInfo/DataType"] = integers({code});
        files.streams[XradiaFiles::imagePath(1)] = bytes;
        const auto source = openSource({files.write(folder / "a.txrm")}, {.firstRowIsTop = false});
        ASSERT_EQ(source->info().pixelType, type);
        std::string found(bytes.size(), '\0');
        source->readRows(0, {0, 31}, std::as_writable_bytes(std::span(found)));
        EXPECT_EQ(found, bytes) << code;
    }
    for (const int code : {1, 8, 9}) {
        XradiaFiles files(1, 9, 31);
        files.streams["ImageInfo/DataType"] = integers({code});
        EXPECT_ERROR((void)openSource({files.write(folder / "a.txrm")}, {}), InputError,
                     "Gantry reads 2 (int8), 3 (uint8)");
    }
}

TEST(XradiaSource, ReferencesAreFlatFrames) {
    const test::TemporaryFolder folder;
    XradiaFiles files(3, 4, 2);
    const OpenOptions flat{.frames = FrameKind::flat};
    EXPECT_ERROR((void)openSource({files.write(folder / "a.txrm")}, flat), InputError,
                 "holds no flat frames");
    EXPECT_ERROR((void)openSource({folder / "a.txrm"}, {.frames = FrameKind::dark}), InputError,
                 "holds no dark frames");
    files.streams["MultiReferenceData/Image1"] = XradiaFiles::image(6, 4, 2);
    files.streams["MultiReferenceData/Image2"] = XradiaFiles::image(7, 4, 2);
    const auto several = openSource({files.write(folder / "a.txrm")}, flat);
    EXPECT_EQ(several->info().views, 2);
    EXPECT_EQ(viewOf<std::uint16_t>(*several, 1, {0, 1})[0], 7010);
    // One that the maker has averaged comes first, and has a type of its own.
    files.streams["ReferenceData/Image"] = floats({0, 1, 2, 3, 4.5F, 5, 6, 7});
    files.streams["ReferenceData/DataType"] = integers({10});
    const auto only = openSource({files.write(folder / "a.txrm")}, flat);
    EXPECT_EQ(only->info().views, 1);
    EXPECT_EQ(only->info().pixelType, PixelType::float32);
    EXPECT_EQ(viewOf<float>(*only, 0, {0, 1})[0], 4.5F);
    files.streams.erase("ReferenceData/DataType");
    EXPECT_EQ(openSource({files.write(folder / "a.txrm")}, flat)->info().pixelType,
              PixelType::float32);
}

TEST(XradiaSource, SingleImagesAreASeries) {
    const test::TemporaryFolder folder;
    std::vector<std::filesystem::path> paths;
    for (int k = 1; k <= 3; ++k) {
        XradiaFiles files(1, 4, 2);
        files.streams[XradiaFiles::imagePath(1)] = XradiaFiles::image(k, 4, 2);
        files.streams["ImageInfo/AcquisitionMode"] = integers({3});
        paths.push_back(files.write(folder / ("v" + std::to_string(k) + ".xrm")));
    }
    const auto source = openSource(paths, {});
    EXPECT_EQ(source->info().views, 3);
    EXPECT_EQ(viewOf<std::uint16_t>(*source, 2, {1, 2})[1], 3001);
    EXPECT_EQ(source->viewName(2), paths[2].string());
    EXPECT_EQ(openSource({paths[0]}, {.frames = FrameKind::dark})->info().views, 1);
}

TEST(XradiaSource, ScansThatEndedEarlyAndMissingImages) {
    const test::TemporaryFolder folder;
    XradiaFiles files(5, 4, 2);
    files.streams["ImageInfo/ImagesTaken"] = integers({3});
    EXPECT_EQ(openSource({files.write(folder / "a.txrm")}, {})->info().views, 3);
    files.streams.erase(XradiaFiles::imagePath(2));
    files.streams[XradiaFiles::imagePath(3)].pop_back();
    const OpenedViews opened = openViews({files.write(folder / "a.txrm")}, {});
    EXPECT_EQ(opened.source->info().views, 1);
    ASSERT_EQ(opened.bad.size(), 2U);
    EXPECT_NE(opened.bad[0].sentence.find("lacks the image"), std::string::npos);
    EXPECT_NE(opened.bad[1].sentence.find("has 15 bytes in ImageData1/Image3"), std::string::npos);
}

TEST(XradiaSource, WhatIsNoScanIsTold) {
    const test::TemporaryFolder folder;
    const auto open = [&](const char* name, const char* stream, const std::string& bytes) {
        XradiaFiles files(2, 4, 2);
        files.streams[stream] = bytes;
        (void)openSource({files.write(folder / name)}, {});
    };
    EXPECT_ERROR(open("a.txm", "Version", floats({5})), InputError, "is a volume");
    EXPECT_ERROR(open("a.txrm", "ImageInfo/AcquisitionMode", integers({1})), InputError,
                 "is a volume that ZEISS Xradia has reconstructed (AcquisitionMode 1)");
    EXPECT_ERROR(open("a.txrm", "ImageInfo/ImageWidth", integers({-4})), InputError,
                 "ImageWidth is -4; it must be 1 to 65536");
    EXPECT_ERROR(open("a.txrm", "ImageInfo/ImageHeight", "12"), InputError, "ImageHeight");
    EXPECT_ERROR(open("a.txrm", "ImageInfo/ImagesTaken", integers({0})), InputError,
                 "ImagesTaken is 0");
    XradiaFiles many(2, 4, 2);
    many.streams["ImageInfo/ImagesTaken"] = many.streams["ImageInfo/NoOfImages"] =
        integers({999'999});
    EXPECT_ERROR((void)openSource({many.write(folder / "a.txrm")}, {}), InputError,
                 "should have 999999 images");
    test::OleWriter other;
    other.add("WordDocument", std::string(5'000, 'x'));
    writeFileAtomically(folder / "a.doc", other.write());
    EXPECT_ERROR((void)openSource({folder / "a.doc"}, {}), InputError,
                 "so it is not of a ZEISS Xradia microscope");
}

}  // namespace
}  // namespace gantry
