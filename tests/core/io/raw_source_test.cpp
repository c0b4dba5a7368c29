#include "core/io/raw/raw_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/io/open_source.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;

constexpr const char* kHeader = R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 3,
    "type": "uint16", "byteOrder": "little", "offsetBytes": 11})";

TEST(RawSource, ReadsRowsOfEveryViewInBothOrders) {
    const TemporaryFolder folder;
    const Bytes stored = randomBytes(11 + 3 * 7 * 5 * 2, 1);
    writeBytes(folder / "scan.raw", stored);
    writeText(folder / "scan.raw.json", kHeader);
    const ImageShape shape{7, 5, PixelType::uint16};
    for (const bool firstRowIsTop : {true, false}) {
        const auto source = openSource({folder / "scan.raw"}, {firstRowIsTop});
        ASSERT_EQ(source->info().views, 3);
        EXPECT_EQ(source->info().format, "raw, 16-bit, little-endian");
        EXPECT_TRUE(source->info().readsRowsAlone);
        for (Index view = 0; view < 3; ++view) {
            const auto begin = stored.begin() + 11 + view * 70;
            const Bytes image(begin, begin + 70);
            for (const IndexRange rows : {IndexRange{0, 5}, IndexRange{1, 3}, IndexRange{4, 5}})
                EXPECT_PIXELS_EQ(readView(*source, view, rows),
                                 detectorRows(image, shape, rows, firstRowIsTop));
        }
    }
    const auto mirrored = openSource({folder / "scan.raw"}, {.isMirrored = true});
    const Bytes last(stored.end() - 70, stored.end());
    EXPECT_PIXELS_EQ(readView(*mirrored, 2, {1, 4}),
                     mirroredRows(detectorRows(last, shape, {1, 4}), shape));
}

TEST(RawSource, ReadsBigEndianAndTheOtherHeaderName) {
    const TemporaryFolder folder;
    Bytes stored = randomPixels(PixelType::float64, 6, 2);
    const Bytes native = stored;
    for (std::size_t i = 0; i < stored.size(); i += 8)
        std::reverse(stored.begin() + static_cast<long>(i),
                     stored.begin() + static_cast<long>(i) + 8);
    writeBytes(folder / "scan.bin", stored);
    writeText(folder / "scan.json", R"({"gantryRaw": 1, "columns": 3, "rows": 2, "views": 1,
        "type": "float64", "byteOrder": "big"})");
    const auto source = openSource({folder / "scan.bin"}, {false});
    EXPECT_PIXELS_EQ(readView(*source, 0), native);
    EXPECT_EQ(source->viewName(0), (folder / "scan.bin").string());
}

TEST(RawSource, SeveralFilesFollowOneAnother) {
    const TemporaryFolder folder;
    const Bytes stored = randomBytes(11 + 210, 3);
    for (const char* file : {"a.raw", "b.raw"}) {
        writeBytes(folder / file, stored);
        writeText(folder / (std::string(file) + ".json"), kHeader);
    }
    const auto source = openSource({folder / "a.raw", folder / "b.raw"}, {});
    EXPECT_EQ(source->info().views, 6);
    EXPECT_PIXELS_EQ(readView(*source, 4), readView(*source, 1));
    EXPECT_PIXELS_NE(readView(*source, 4), readView(*source, 2));
    EXPECT_EQ(source->viewName(4), (folder / "b.raw").string() + ", view 1");
}

struct BadHeader {
    const char* json;
    const char* message;

    friend void PrintTo(const BadHeader& header, std::ostream* out) { *out << header.message; }
};

class RawSourceRefuses : public testing::TestWithParam<BadHeader> {};

TEST_P(RawSourceRefuses, ABadHeader) {
    const TemporaryFolder folder;
    writeBytes(folder / "scan.raw", randomBytes(11 + 210, 1));
    writeText(folder / "scan.raw.json", GetParam().json);
    EXPECT_ERROR((void)openSource({folder / "scan.raw"}, {}), InputError, GetParam().message);
    EXPECT_ERROR((void)openSource({folder / "scan.raw"}, {}), InputError, "scan.raw");
}

INSTANTIATE_TEST_SUITE_P(
    Headers, RawSourceRefuses,
    testing::Values(
        BadHeader{"", "is not valid JSON"}, BadHeader{"[]", "must be an object"},
        BadHeader{R"({"gantryRaw": 2})", "gantryRaw is 2; this version of Gantry reads 1"},
        BadHeader{R"({"gantryRaw": 1})", "columns is missing"},
        BadHeader{R"({"gantryRaw": 1, "columns": 0})", "columns is 0"},
        BadHeader{R"({"gantryRaw": 1, "columns": -7})", "columns is -7"},
        BadHeader{R"({"gantryRaw": 1, "columns": 7.5})", "columns must be a whole number"},
        BadHeader{R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 9000000000000000})",
                  "views is 9000000000000000"},
        BadHeader{R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 3, "type": "half"})",
                  "type is \"half\"; it must be uint8, int8, uint16, int16, uint32, int32, float32 "
                  "or float64."},
        BadHeader{R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 3, "type": "uint16",
                      "byteOrder": "middle"})",
                  "byteOrder"},
        BadHeader{R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 3, "type": "uint16",
                      "offsetBytes": -1})",
                  "offsetBytes is -1"},
        BadHeader{R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 3, "type": "uint16",
                      "offset": 11})",
                  "offset is an unknown field"},
        BadHeader{R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 4, "type": "uint16",
                      "offsetBytes": 11})",
                  "has 221 bytes, but its header scan.raw.json says 291"},
        BadHeader{R"({"gantryRaw": 1, "columns": 7, "rows": 5, "views": 3, "type": "uint16"})",
                  "has 221 bytes, but its header scan.raw.json says 210"},
        BadHeader{R"({"gantryRaw": 1, "columns": 1000000, "rows": 1000000, "views": 1000000,
                      "type": "float64", "offsetBytes": 1000000000000})",
                  "has 221 bytes"}));

TEST(RawSource, AFileThatShrinksAfterOpeningIsAnError) {
    const TemporaryFolder folder;
    writeBytes(folder / "scan.raw", randomBytes(11 + 210, 1));
    writeText(folder / "scan.raw.json", kHeader);
    const auto source = openSource({folder / "scan.raw"}, {});
    std::filesystem::resize_file(folder / "scan.raw", 200);
    EXPECT_NO_THROW((void)readView(*source, 0));
    EXPECT_ERROR((void)readView(*source, 2), InputError, "scan.raw is damaged: it ends");
}

TEST(RawSource, FilesWithoutAHeaderHaveTheShapeThatIsGiven) {
    const TemporaryFolder folder;
    const ImageShape shape{7, 5, PixelType::uint16};
    const Bytes stored = randomBytes(2 * 7 * 5 * 2, 3);
    writeBytes(folder / "0001.raw", stored);
    const auto source = openSource({folder / "0001.raw"}, {.bare = shape});
    ASSERT_EQ(source->info().views, 2);
    EXPECT_EQ(source->info().format, "raw without a header, 16-bit");
    EXPECT_PIXELS_EQ(readView(*source, 1, {1, 3}),
                     detectorRows(Bytes(stored.begin() + 70, stored.end()), shape, {1, 3}, true));

    EXPECT_ERROR((void)openSource({folder / "0001.raw"}, {}), InputError, "unknown format");
    EXPECT_ERROR((void)openSource({folder / "0001.raw"}, {.bare = ImageShape{7, 4}}), InputError,
                 "has 140 bytes; images of 7 x 4 pixels of uint16 without a header have 56 each");
    EXPECT_ERROR((void)openSource({folder / "0001.raw"}, {.bare = ImageShape{0, 4}}), InputError,
                 "cannot hold images of 0 x 4 pixels");
}

}  // namespace
}  // namespace gantry
