#include "core/io/tiff/tiff_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "core/base/parallel.h"
#include "core/io/open_source.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;

// Writes the file, and expects every row range and both row orders to give its pixels.
void expectReadsBack(const std::filesystem::path& path, const ForeignTiff& spec,
                     std::uint32_t seed) {
    SCOPED_TRACE(testing::Message() << name(spec.type) << ", compression " << spec.compression
                                    << (spec.tiled ? ", tiled, " : ", strips, ") << spec.mode);
    const ImageShape shape{spec.columns, spec.rows, spec.type};
    const Bytes pixels = randomPixels(spec.type, spec.columns * spec.rows, seed);
    writeTiff(path, spec, pixels);
    for (const bool firstRowIsTop : {true, false}) {
        const auto source = openSource({path}, {firstRowIsTop});
        ASSERT_EQ(source->info().views, 1);
        ASSERT_EQ(source->info().columns, spec.columns);
        ASSERT_EQ(source->info().rows, spec.rows);
        ASSERT_EQ(source->info().pixelType, spec.type);
        for (const IndexRange rows :
             {IndexRange{0, spec.rows}, IndexRange{0, 1}, IndexRange{spec.rows - 1, spec.rows},
              IndexRange{4, 11}, IndexRange{3, 17}, IndexRange{6, 6}})
            EXPECT_PIXELS_EQ(readView(*source, 0, rows),
                             detectorRows(pixels, shape, rows, firstRowIsTop))
                << "rows " << rows.begin << " to " << rows.end;
    }
    const auto mirrored = openSource({path}, {.isMirrored = true});
    EXPECT_PIXELS_EQ(readView(*mirrored, 0, {4, 11}),
                     mirroredRows(detectorRows(pixels, shape, {4, 11}), shape));
}

TEST(TiffSource, ReadsEveryPixelTypeInStripsAndTiles) {
    const TemporaryFolder folder;
    std::uint32_t seed = 1;
    for (int type = 0; type <= static_cast<int>(PixelType::float64); ++type)
        for (const bool tiled : {false, true})
            for (const char* mode : {"wl", "wb", "w8l", "w8b"}) {
                ForeignTiff spec;
                spec.type = static_cast<PixelType>(type);
                spec.tiled = tiled;
                spec.mode = mode;
                expectReadsBack(folder / "view.tif", spec, ++seed);
            }
}

TEST(TiffSource, ReadsWhatLibtiffCanUnpack) {
    const TemporaryFolder folder;
    std::uint32_t seed = 100;
    int codecs = 0;
    for (const int compression :
         {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE, COMPRESSION_PACKBITS,
          COMPRESSION_LZMA, COMPRESSION_ZSTD, COMPRESSION_LERC}) {
        if (!TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression))) continue;
        ++codecs;
        for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32})
            for (const bool tiled : {false, true})
                for (const char* mode : {"wl", "wb"}) {
                    // libtiff hands LERC big-endian floats as they are, which loses those that
                    // are no numbers this way round.
                    if (compression == COMPRESSION_LERC && mode[1] == 'b') continue;
                    ForeignTiff spec;
                    spec.type = type;
                    spec.compression = compression;
                    spec.tiled = tiled;
                    spec.mode = mode;
                    expectReadsBack(folder / "view.tif", spec, ++seed);
                }
    }
    EXPECT_GE(codecs, 3);  // LZW, deflate and PackBits are in every build of libtiff
}

TEST(TiffSource, ReadsPredictorsAndOneStripForAll) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    spec.compression = COMPRESSION_ADOBE_DEFLATE;
    spec.predictor = PREDICTOR_HORIZONTAL;
    expectReadsBack(folder / "a.tif", spec, 7);
    spec.rowsPerStrip = spec.rows;
    expectReadsBack(folder / "b.tif", spec, 8);
    spec.type = PixelType::float32;
    spec.predictor = PREDICTOR_FLOATINGPOINT;
    expectReadsBack(folder / "c.tif", spec, 9);
    spec.compression = COMPRESSION_NONE;
    spec.predictor = 0;
    expectReadsBack(folder / "d.tif", spec, 10);
    spec.rowsPerStrip = 1;
    expectReadsBack(folder / "e.tif", spec, 11);
}

TEST(TiffSource, ReadsReversedBitOrder) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    spec.fillOrder = FILLORDER_LSB2MSB;
    expectReadsBack(folder / "view.tif", spec, 12);
}

// ImageJ's "Invert LUT" and some cameras store the negative; the counts are the positive.
TEST(TiffSource, InvertsWholeNumbersWhereZeroIsWhiteButNotInAMask) {
    const TemporaryFolder folder;
    for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::int16,
                                 PixelType::uint32, PixelType::float32}) {
        ForeignTiff spec;
        spec.type = type;
        spec.photometric = PHOTOMETRIC_MINISWHITE;
        Bytes pixels = randomPixels(type, spec.columns * spec.rows, 13);
        writeTiff(folder / "view.tif", spec, pixels);
        const auto mask = openSource({folder / "view.tif"}, {.frames = FrameKind::badPixels});
        EXPECT_TRUE(mask->info().notes.empty());
        const Bytes stored = pixels;
        if (isInteger(type))
            for (std::byte& bits : pixels)
                bits = ~bits;  // 65535 − count, and for signed numbers −1 − count
        const auto source = openSource({folder / "view.tif"}, {});
        const ImageShape shape{spec.columns, spec.rows, type};
        EXPECT_PIXELS_EQ(readView(*source, 0), detectorRows(pixels, shape, {0, spec.rows}));
        EXPECT_PIXELS_EQ(readView(*mask, 0), detectorRows(stored, shape, {0, spec.rows}));
        EXPECT_EQ(source->info().format.ends_with("white is zero (inverted)"), isInteger(type));
        ASSERT_EQ(source->info().notes.size(), 1U);
        EXPECT_NE(source->info().notes[0].find("says that 0 is white"), std::string::npos);
    }
}

TEST(TiffSource, ASeriesOfWhichSomeImagesAreInvertedIsDoubted) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    std::vector<std::filesystem::path> files;
    for (const char* name : {"v_1.tif", "v_2.tif", "v_3.tif"}) {
        files.push_back(folder / name);
        spec.photometric = files.size() == 2 ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK;
        writeTiff(files.back(), spec, randomPixels(spec.type, spec.columns * spec.rows, 16));
    }
    const auto source = openSource(files, {});
    ASSERT_EQ(source->info().doubts.size(), 1U);
    EXPECT_TRUE(source->info().doubts[0].starts_with("1 of 3 images say that 0 is white"));
    EXPECT_TRUE(source->info().doubts[0].ends_with("first " + files[1].string() + "."));
    EXPECT_TRUE(openSource({files[0], files[2]}, {})->info().doubts.empty());
}

TEST(TiffSource, ShowsAFileStoredBottomRowFirstUpright) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    spec.orientation = ORIENTATION_BOTLEFT;
    const ImageShape shape{spec.columns, spec.rows, spec.type};
    const Bytes pixels = randomPixels(spec.type, spec.columns * spec.rows, 14);
    writeTiff(folder / "view.tif", spec, pixels);
    const IndexRange rows{2, 9};
    EXPECT_PIXELS_EQ(readView(*openSource({folder / "view.tif"}, {true}), 0, rows),
                     detectorRows(pixels, shape, rows, false));
    EXPECT_PIXELS_EQ(readView(*openSource({folder / "view.tif"}, {false}), 0, rows),
                     detectorRows(pixels, shape, rows, true));
}

TEST(TiffSource, ViewsAreAllImagesOfAllFilesInOrder) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    const ImageShape shape{spec.columns, spec.rows, spec.type};
    std::vector<Bytes> views;
    std::vector<std::filesystem::path> files;
    for (const int pages : {3, 1, 9}) {
        files.push_back(folder / fmt::format("stack{}.tif", pages));
        for (int page = 0; page < pages; ++page) {
            spec.mode = page == 0 ? "w" : "a";
            spec.subfileType = FILETYPE_PAGE;
            views.push_back(randomPixels(spec.type, spec.columns * spec.rows,
                                         static_cast<std::uint32_t>(views.size())));
            writeTiff(files.back(), spec, views.back());
        }
        // A small copy for quick display is not a view.
        ForeignTiff thumbnail;
        thumbnail.mode = "a";
        thumbnail.columns = 5;
        thumbnail.rows = 4;
        thumbnail.subfileType = FILETYPE_REDUCEDIMAGE;
        writeTiff(files.back(), thumbnail, randomBytes(40, 1));
    }
    const auto source = openSource(files, {});
    ASSERT_EQ(source->info().views, 13);
    for (Index view = 12; view >= 0; --view)
        EXPECT_PIXELS_EQ(
            readView(*source, view),
            detectorRows(views[static_cast<std::size_t>(view)], shape, {0, spec.rows}));
    EXPECT_EQ(source->viewName(2), files[0].string() + ", image 2");
    EXPECT_EQ(source->viewName(3), files[1].string());
}

// A file of 16-bit images with one directory for all, byte by byte as ImageJ and tifffile write
// it: the description and the images follow the directory.
Bytes oneDirectory(const std::string& description, Index columns, Index rows, const Bytes& pixels) {
    Bytes file;
    const auto put = [&](std::uint32_t value, int bytes) {
        for (int i = 0; i < bytes; ++i)
            file.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
    };
    struct Entry {
        int tag;
        int type;
        std::size_t count;
        std::size_t value;
    };
    constexpr std::size_t kTextBegin = 8 + 2 + 9 * 12 + 4;
    const std::size_t imageBytes = static_cast<std::size_t>(columns * rows * 2);
    const std::vector<Entry> entries = {
        {TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, static_cast<std::size_t>(columns)},
        {TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, static_cast<std::size_t>(rows)},
        {TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 1, 16},
        {TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, PHOTOMETRIC_MINISBLACK},
        {TIFFTAG_IMAGEDESCRIPTION, TIFF_ASCII, description.size() + 1, kTextBegin},
        {TIFFTAG_STRIPOFFSETS, TIFF_LONG, 1, kTextBegin + description.size() + 1},
        {TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 1},
        {TIFFTAG_ROWSPERSTRIP, TIFF_LONG, 1, static_cast<std::size_t>(rows)},
        {TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG, 1, imageBytes},
    };
    put(0x002a4949, 4);
    put(8, 4);
    put(static_cast<std::uint32_t>(entries.size()), 2);
    for (const Entry& entry : entries) {
        put(static_cast<std::uint32_t>(entry.tag), 2);
        put(static_cast<std::uint32_t>(entry.type), 2);
        put(static_cast<std::uint32_t>(entry.count), 4);
        put(static_cast<std::uint32_t>(entry.value), 4);
    }
    put(0, 4);
    for (const char c : description)
        file.push_back(static_cast<std::byte>(c));
    file.push_back(std::byte{0});
    file.insert(file.end(), pixels.begin(), pixels.end());
    return file;
}

TEST(TiffSource, FindsTheImagesBehindALoneDirectory) {
    const TemporaryFolder folder;
    const ImageShape shape{37, 23, PixelType::uint16};
    const Bytes pixels = randomPixels(shape.type, 37 * 23 * 5, 77);
    const auto imageBytes = static_cast<std::ptrdiff_t>(pixels.size() / 5);
    for (const char* description :
         {"ImageJ=1.53t\nimages=5\nslices=5\n", R"({"shape": [5, 23, 37], "truncated": true})"}) {
        writeBytes(folder / "s.tif", oneDirectory(description, 37, 23, pixels));
        const auto source = openSource({folder / "s.tif"}, {});
        ASSERT_EQ(source->info().views, 5) << description;
        for (Index view = 0; view < 5; ++view) {
            const Bytes stored(pixels.begin() + view * imageBytes,
                               pixels.begin() + (view + 1) * imageBytes);
            EXPECT_PIXELS_EQ(readView(*source, view, {3, 17}),
                             detectorRows(stored, shape, {3, 17}));
        }
        EXPECT_EQ(source->viewName(4), (folder / "s.tif").string() + ", image 4");
    }
    // One image that kept the description of its stack is one image.
    const Bytes one(pixels.begin(), pixels.begin() + imageBytes);
    writeBytes(folder / "1.tif", oneDirectory("ImageJ=1.53t\nimages=5\n", 37, 23, one));
    EXPECT_EQ(openSource({folder / "1.tif"}, {})->info().views, 1);

    const Bytes cut(pixels.begin(), pixels.begin() + 3 * imageBytes + 5);
    writeBytes(folder / "3.tif", oneDirectory("ImageJ=1.53t\nimages=5\n", 37, 23, cut));
    EXPECT_ERROR((void)openSource({folder / "3.tif"}, {}), InputError,
                 "3.tif is truncated: it should have 5 images and ends after 3");
    const OpenedViews some = openViews({folder / "3.tif"}, {});
    EXPECT_EQ(some.source->info().views, 3);
    EXPECT_EQ(some.bad.size(), 1U);
}

TEST(TiffSource, TellsOfDataThatNoDirectoryDescribes) {
    const TemporaryFolder folder;
    const Bytes pixels(37 * 23 * 2 * 100);
    writeBytes(folder / "s.tif", oneDirectory("no stack", 37, 23, pixels));
    const auto source = openSource({folder / "s.tif"}, {});
    ASSERT_EQ(source->info().notes.size(), 1U);
    EXPECT_NE(source->info().notes[0].find("no directory describes"), std::string::npos);
}

TEST(TiffSource, ReadsFromSeveralThreadsAtOnce) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    spec.compression = COMPRESSION_LZW;
    const ImageShape shape{spec.columns, spec.rows, spec.type};
    std::vector<Bytes> views;
    for (std::uint32_t page = 0; page < 40; ++page) {
        spec.mode = page == 0 ? "w8b" : "a";
        views.push_back(randomPixels(spec.type, spec.columns * spec.rows, page));
        writeTiff(folder / "stack.tif", spec, views.back());
    }
    const auto source = openSource({folder / "stack.tif"}, {});
    std::vector<int> wrong(40, 0);
    parallelFor(4, 40, 1, [&](Index begin, Index end, int) {
        for (Index view = begin; view < end; ++view) {
            const auto i = static_cast<std::size_t>(view);
            wrong[i] = readView(*source, view) != detectorRows(views[i], shape, {0, spec.rows});
        }
    });
    EXPECT_EQ(wrong, std::vector<int>(40, 0));
}

TEST(TiffSource, OpensNamesWithSpacesQuotesAndUmlauts) {
    const TemporaryFolder folder;
    for (const char* file : {"a view.tif", "it's \"one\".tif", "Zähne & Prüfkörper %s %n.tif"})
        expectReadsBack(folder / file, ForeignTiff{}, 15);
}

TEST(TiffSource, SaysWhatItIs) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    writeTiff(folder / "plain.tif", spec, randomBytes(2 * 37 * 23, 1));
    const auto plain = openSource({folder / "plain.tif"}, {});
    EXPECT_EQ(plain->info().format, "TIFF, 16-bit, uncompressed");
    EXPECT_TRUE(plain->info().readsRowsAlone);
    EXPECT_EQ(plain->info().storedBytes,
              static_cast<Index>(std::filesystem::file_size(folder / "plain.tif")));
    EXPECT_EQ(plain->viewName(0), (folder / "plain.tif").string());
    spec.tiled = true;
    spec.compression = COMPRESSION_ADOBE_DEFLATE;
    spec.type = PixelType::float32;
    writeTiff(folder / "tiled.tif", spec, randomBytes(4 * 37 * 23, 1));
    const auto tiled = openSource({folder / "tiled.tif"}, {});
    EXPECT_EQ(tiled->info().format, "TIFF, 32-bit float, deflate, tiled");
    EXPECT_FALSE(tiled->info().readsRowsAlone);
}

TEST(TiffSource, NamesTheFirstFileThatDeviates) {
    const TemporaryFolder folder;
    std::vector<std::filesystem::path> files;
    for (int i = 0; i < 60; ++i) {
        ForeignTiff spec;
        if (i == 41) spec.columns = 36;
        if (i == 50) spec.type = PixelType::uint8;
        files.push_back(folder / fmt::format("view{}.tif", i));
        writeTiff(
            files.back(), spec,
            randomBytes(static_cast<std::size_t>(spec.columns * spec.rows * sizeBytes(spec.type)),
                        1));
    }
    EXPECT_ERROR((void)openSource(files, {}), InputError,
                 "view41.tif has 36 × 23 pixels of uint16, but the first image, " +
                     files[0].string() + ", has 37 × 23 pixels of uint16");
    files.erase(files.begin() + 41);
    EXPECT_ERROR((void)openSource(files, {}), InputError, "view50.tif has 37 × 23 pixels of uint8");
    std::ofstream(files[7]) << "not an image";
    EXPECT_ERROR((void)openSource(files, {}), InputError, "view7.tif");
}

TEST(TiffSource, RefusesColoursOfAPalette) {
    const TemporaryFolder folder;
    TIFF* file = TIFFOpen((folder / "palette.tif").c_str(), "w");
    ForeignTiff spec;
    spec.type = PixelType::uint8;
    spec.photometric = PHOTOMETRIC_PALETTE;
    std::vector<std::uint16_t> ramp(256, 7);
    test::foreign::setTags(file, spec);
    TIFFSetField(file, TIFFTAG_COLORMAP, ramp.data(), ramp.data(), ramp.data());
    Bytes pixels(37 * 23);
    TIFFWriteEncodedStrip(file, 0, pixels.data(), 37 * 23);
    TIFFClose(file);
    EXPECT_ERROR((void)openSource({folder / "palette.tif"}, {}), InputError,
                 "palette.tif holds indices into a colour palette; grey values are allowed");
}

TEST(TiffSource, AFileThatChangesAfterOpeningIsAnError) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    writeTiff(folder / "view.tif", spec, randomBytes(2 * 37 * 23, 1));
    const auto source = openSource({folder / "view.tif"}, {});
    spec.rows = 24;
    writeTiff(folder / "view.tif", spec, randomBytes(2 * 37 * 24, 1));
    EXPECT_ERROR((void)readView(*source, 0), InputError, "view.tif");
    std::filesystem::remove(folder / "view.tif");
    EXPECT_ERROR((void)readView(*source, 0), InputError, "view.tif cannot be opened");
}

TEST(TiffWriter, WritesWhatTheReaderReads) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "out put.tif";
    TiffPage page{37, 23, PixelType::float32, {0.2, 0.4}, "slope 3, µ", false};
    std::vector<Bytes> pages;
    TiffWriter writer(path, TiffWriter::Mode::big);
    for (std::uint32_t i = 0; i < 3; ++i) {
        page.deflate = i == 1;
        pages.push_back(randomPixels(page.type, 37 * 23, i));
        writer.write(page, pages.back());
    }
    writer.close();
    TiffReader reader(path);
    const std::vector<TiffImage> images = reader.images();
    HostBuffer<std::byte> scratch;
    ASSERT_EQ(images.size(), 3U);
    EXPECT_EQ(images[1].compression, "deflate");
    EXPECT_EQ(reader.description(), "slope 3, µ");
    for (std::size_t i = 0; i < 3; ++i) {
        Bytes pixels(pages[i].size());
        reader.readRows(images[i], {0, 23}, pixels, scratch);
        EXPECT_PIXELS_EQ(pixels, pages[i]);
    }
    // Another reader: libtiff itself.
    TIFF* file = TIFFOpen(path.c_str(), "r");
    ASSERT_NE(file, nullptr);
    float across = 0;
    std::uint16_t unit = 0;
    TIFFGetField(file, TIFFTAG_XRESOLUTION, &across);
    TIFFGetField(file, TIFFTAG_RESOLUTIONUNIT, &unit);
    EXPECT_FLOAT_EQ(across, 50);  // pixels of 0.2 mm a centimetre
    EXPECT_EQ(unit, RESUNIT_CENTIMETER);
    EXPECT_TRUE(TIFFIsBigTIFF(file));
    TIFFClose(file);
}

TEST(TiffWriter, APixelOfNoHeightHasNoResolution) {
    const TemporaryFolder folder;
    for (const std::array<double, 2> pitchMm :
         {std::array{0.2, 0.0}, std::array{0.0, 0.3}, std::array{0.2, 0.3}}) {
        const TiffPage page{5, 3, PixelType::uint8, pitchMm, "", false};
        TiffWriter writer(folder / "page.tif", TiffWriter::Mode::classic);
        writer.write(page, randomBytes(15, 1));
        writer.close();
        const std::unique_ptr<TIFF, void (*)(TIFF*)> file(
            TIFFOpen((folder / "page.tif").c_str(), "r"), TIFFClose);
        ASSERT_TRUE(file);
        const bool isKnown = pitchMm[0] > 0 && pitchMm[1] > 0;
        float perCm = 0;
        EXPECT_EQ(TIFFGetField(file.get(), TIFFTAG_XRESOLUTION, &perCm), isKnown);
        EXPECT_EQ(TIFFGetField(file.get(), TIFFTAG_YRESOLUTION, &perCm), isKnown);
        EXPECT_NEAR(perCm, isKnown ? 10 / 0.3 : 0, 1e-5);
    }
}

TEST(TiffWriter, ReportsAFullDiskAndAPlaceThatCannotBeWritten) {
    const TemporaryFolder folder;
    EXPECT_ERROR((void)TiffWriter(folder / "no/such.tif", TiffWriter::Mode::classic), InputError,
                 "such.tif cannot be written");
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
    // libtiff writes the header when it opens the file.
    EXPECT_ERROR((void)TiffWriter("/dev/full", TiffWriter::Mode::classic), ResourceError,
                 "/dev/full");
}

}  // namespace
}  // namespace gantry
