#include "core/io/metaimage/metaimage_files.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;

std::string header(const std::string& size, const std::string& type, const std::string& more,
                   const std::string& data = "LOCAL") {
    return "ObjectType = Image\nNDims = " +
           std::string(std::count(size.begin(), size.end(), ' ') == 1 ? "2" : "3") +
           "\nBinaryData = True\nDimSize = " + size + "\nElementType = " + type + "\n" + more +
           "ElementDataFile = " + data + "\n";
}

void writeMha(const std::filesystem::path& path, const std::string& text, const Bytes& data) {
    Bytes bytes = data;
    const auto front = std::as_bytes(std::span(text));
    bytes.insert(bytes.begin(), front.begin(), front.end());
    writeBytes(path, bytes);
}

Bytes image(const Bytes& stack, Index view, Index bytes) {
    return {stack.begin() + view * bytes, stack.begin() + (view + 1) * bytes};
}

TEST(MetaImageSource, EverySliceIsAView) {
    const TemporaryFolder folder;
    const Bytes stack = randomBytes(4 * 7 * 5 * 2, 1);
    writeMha(folder / "scan.mha", header("7 5 4", "MET_USHORT", ""), stack);
    const ImageShape shape{7, 5, PixelType::uint16};
    for (const bool firstRowIsTop : {true, false}) {
        const auto source = openSource({folder / "scan.mha"}, {firstRowIsTop});
        ASSERT_EQ(source->info().views, 4);
        EXPECT_EQ(source->info().format, "MetaImage, 16-bit");
        EXPECT_TRUE(source->info().readsRowsAlone);
        for (Index view = 3; view >= 0; --view)
            for (const IndexRange rows : {IndexRange{0, 5}, IndexRange{1, 4}})
                EXPECT_PIXELS_EQ(readView(*source, view, rows),
                                 detectorRows(image(stack, view, 70), shape, rows, firstRowIsTop));
    }
    EXPECT_EQ(openSource({folder / "scan.mha"}, {})->viewName(2),
              (folder / "scan.mha").string() + ", slice 2");
}

TEST(MetaImageSource, ReadsCompressedStacks) {
    const TemporaryFolder folder;
    const Bytes stack = randomPixels(PixelType::float32, 7 * 5 * 4, 2);
    uLongf size = compressBound(static_cast<uLong>(stack.size()));
    Bytes packed(size);
    ASSERT_EQ(
        compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                 reinterpret_cast<const Bytef*>(stack.data()), static_cast<uLong>(stack.size())),
        Z_OK);
    packed.resize(size);
    writeMha(folder / "scan.mha",
             header("7 5 4", "MET_FLOAT",
                    "CompressedData = True\nCompressedDataSize = " + std::to_string(size) + "\n"),
             packed);
    const auto source = openSource({folder / "scan.mha"}, {});
    EXPECT_EQ(source->info().format, "MetaImage, 32-bit float, compressed");
    EXPECT_FALSE(source->info().readsRowsAlone);
    const ImageShape shape{7, 5, PixelType::float32};
    for (const Index view : {3, 0, 2, 1})
        EXPECT_PIXELS_EQ(readView(*source, view, {2, 5}),
                         detectorRows(image(stack, view, 140), shape, {2, 5}));
}

TEST(MetaImageSource, ReadsAListOfBigEndianImagesWithDataBeside) {
    const TemporaryFolder folder;
    const ImageShape shape{6, 4, PixelType::int16};
    std::vector<Bytes> views;
    for (const char* name : {"a1", "a2", "a10"}) {
        views.push_back(randomBytes(48, static_cast<std::uint32_t>(views.size())));
        Bytes swapped = views.back();
        for (std::size_t i = 0; i < swapped.size(); i += 2)
            std::swap(swapped[i], swapped[i + 1]);
        writeBytes(folder / (std::string(name) + ".raw"), swapped);
        writeText(
            folder / (std::string(name) + ".mhd"),
            header("6 4", "MET_SHORT", "ElementByteOrderMSB = True\n", std::string(name) + ".raw"));
    }
    for (const char* name : {"a3", "a4", "a5", "a6", "a7", "a8", "a9"}) {
        std::filesystem::copy(folder / "a10.raw", folder / (std::string(name) + ".raw"));
        writeText(
            folder / (std::string(name) + ".mhd"),
            header("6 4", "MET_SHORT", "ElementByteOrderMSB = True\n", std::string(name) + ".raw"));
    }
    const auto files = matchFiles(folder.path(), ".");
    ASSERT_EQ(files.size(), 10U) << "the .raw files belong to the headers";
    const auto source = openSource(files, {});
    ASSERT_EQ(source->info().views, 10);
    EXPECT_PIXELS_EQ(readView(*source, 0), detectorRows(views[0], shape, {0, 4}));
    EXPECT_PIXELS_EQ(readView(*source, 1), detectorRows(views[1], shape, {0, 4}));
    EXPECT_PIXELS_EQ(readView(*source, 9), detectorRows(views[2], shape, {0, 4}));
}

// What ITK makes of a header: the physical place of index (0, 0) and of the last one.
TEST(MetaImageSource, SaysWhereTheDetectorIs) {
    const TemporaryFolder folder;
    const auto stated = [&](const std::string& more) {
        writeMha(folder / "p.mha", header("7 5 4", "MET_USHORT", more), randomBytes(280, 1));
        return statedGeometry({folder / "p.mha"});
    };
    EXPECT_FALSE(stated(""));
    EXPECT_FALSE(
        stated("ElementSpacing = 1 1 1\nOffset = 0 0 0\n"
               "TransformMatrix = 1 0 0 0 1 0 0 0 1\nAnatomicalOrientation = RAI\n"));
    const auto placed = stated("ElementSpacing = 0.5 0.25 1\nOffset = 2 -0.5 0\n");
    ASSERT_TRUE(placed);
    EXPECT_EQ(placed->pitchMm, (std::array<double, 2>{0.5, 0.25}));
    EXPECT_EQ(placed->offsetMm, (std::array<double, 2>{3.5, 0}));
    EXPECT_EQ(placed->firstRowIsTop, false);
    EXPECT_EQ(placed->doubt, "");
    const auto turned = stated(
        "ElementSpacing = 0.5 0.25 1\nOffset = 2 -0.5 0\n"
        "TransformMatrix = 1 0 0 0 -1 0 0 0 1\nAnatomicalOrientation = RPI\n");
    EXPECT_EQ(turned->offsetMm, (std::array<double, 2>{3.5, -1}));
    EXPECT_EQ(turned->firstRowIsTop, true);
    EXPECT_EQ(turned->doubt, "");
    EXPECT_EQ(stated("AnatomicalOrientation = RPI\n")->firstRowIsTop, true);
    EXPECT_FALSE(stated("AnatomicalOrientation = ???\n"));
    EXPECT_NE(stated("Offset = -1 0 0\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n"
                     "AnatomicalOrientation = RPI\n")
                  ->doubt.find("'RPI'"),
              std::string::npos);
    EXPECT_ERROR((void)stated("TransformMatrix = -1 0 0 0 1 0 0 0 1\n"), InputError,
                 "p.mha has its columns reversed");
    EXPECT_ERROR((void)stated("TransformMatrix = 0 1 0 1 0 0 0 0 1\n"), InputError, "rotated axes");
}

TEST(MetaImageSource, RefusesWhatCannotBeProjections) {
    const TemporaryFolder folder;
    writeMha(folder / "short.mha", header("7 5 4", "MET_USHORT", ""), randomBytes(279, 1));
    EXPECT_ERROR((void)openSource({folder / "short.mha"}, {}), InputError, "short.mha");
    writeMha(folder / "huge.mha", header("1000000 1000000 1000000", "MET_USHORT", ""), {});
    EXPECT_ERROR((void)openSource({folder / "huge.mha"}, {}), InputError, "huge.mha");
    writeMha(folder / "a.mha", header("7 5 4", "MET_USHORT", ""), randomBytes(280, 1));
    writeMha(folder / "b.mha", header("5 7 4", "MET_USHORT", ""), randomBytes(280, 1));
    EXPECT_ERROR((void)openSource({folder / "a.mha", folder / "b.mha"}, {}), InputError,
                 "b.mha has 5 × 7 pixels of uint16, but the first image");
}

}  // namespace
}  // namespace gantry
