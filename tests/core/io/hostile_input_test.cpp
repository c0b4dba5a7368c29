#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <random>

#include "core/io/open_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/tiff/tiff_file.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;

// What a small damaged file may unpack to (64 MiB); see readAll().
constexpr Index kMaxBytes = Index{64} << 20;

// Reads every view, or ends in an InputError of one line that names the file. The number of views
// read; 0 for the error.
Index readAll(const std::filesystem::path& path) {
    try {
        const auto source = openSource({path}, {});
        const SourceInfo& info = source->info();
        const Index bytes = info.rows * info.columns * sizeBytes(info.pixelType);
        EXPECT_LE(bytes, kMaxBytes) << "a damaged header asks for memory";
        if (bytes > kMaxBytes) return 0;
        for (Index view = 0; view < info.views; ++view)
            (void)readView(*source, view);
        return info.views;
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(path.string()), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        return 0;
    }
}

// Small files of different layouts.
std::vector<Bytes> smallTiffs(const TemporaryFolder& folder) {
    std::vector<Bytes> files;
    for (const int compression :
         {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS})
        for (const bool tiled : {false, true})
            for (const char* mode : {"wl", "w8b"}) {
                ForeignTiff spec;
                spec.columns = 9;
                spec.rows = 6;
                spec.rowsPerStrip = 2;
                spec.compression = compression;
                spec.tiled = tiled;
                spec.mode = mode;
                const Bytes pixels = randomPixels(spec.type, spec.columns * spec.rows, 1);
                writeTiff(folder / "small.tif", spec, pixels);
                spec.mode = "a";
                writeTiff(folder / "small.tif", spec, pixels);
                files.push_back(readBytes(folder / "small.tif"));
            }
    return files;
}

TEST(HostileInput, ATruncatedTiffIsAnErrorWhereverItEnds) {
    const TemporaryFolder folder;
    int ones = 0;
    for (const Bytes& whole : smallTiffs(folder))
        for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 7) {
            writeBytes(folder / "cut.tif", std::span(whole).first(size));
            const Index views = readAll(folder / "cut.tif");
            // libtiff takes a directory whose last bytes, the link to the next, are cut off for the
            // last one: the number of views then tells.
            EXPECT_TRUE(views < 2 || size + 8 >= whole.size())
                << "ends after " << size << " of " << whole.size() << " bytes";
            ones += views == 1 ? 1 : 0;
        }
    EXPECT_LE(ones, 16 * 2);  // of 16 files, a cut at every seventh byte meets 4 or 8 bytes twice
}

TEST(HostileInput, FlippedBitsNeverDoMoreThanAnError) {
    const TemporaryFolder folder;
    std::mt19937 random(20240607);
    int read = 0;
    int refused = 0;
    for (const Bytes& whole : smallTiffs(folder))
        for (int round = 0; round < 250; ++round) {
            Bytes damaged = whole;
            for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips)
                damaged[random() % damaged.size()] ^= static_cast<std::byte>(1U << (random() % 8));
            writeBytes(folder / "flipped.tif", damaged);
            ++(readAll(folder / "flipped.tif") > 0 ? read : refused);
        }
    // Flips in pixels go unseen, flips in headers mostly do not: both must have happened.
    EXPECT_GT(read, 100);
    EXPECT_GT(refused, 100);
}

TEST(HostileInput, FlippedBytesOfTheDirectoryNeverDoMoreThanAnError) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    spec.columns = 9;
    spec.rows = 6;
    spec.compression = COMPRESSION_ADOBE_DEFLATE;
    writeTiff(folder / "small.tif", spec, randomPixels(spec.type, 54, 1));
    const Bytes whole = readBytes(folder / "small.tif");
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            Bytes damaged = whole;
            damaged[at] = static_cast<std::byte>(value);
            writeBytes(folder / "damaged.tif", damaged);
            (void)readAll(folder / "damaged.tif");
        }
}

// One entry of a TIFF directory: a long that is the value or says where the values are.
struct Entry {
    std::uint32_t tag;
    std::uint32_t value;
    std::uint32_t count = 1;
};

// A little-endian TIFF of 4 x 4 pixels of 16 bits in one strip, its tags changed as asked: a count
// of 0 removes one.
Bytes craftTiff(std::vector<Entry> changes, std::uint32_t next = 0) {
    std::vector<Entry> entries = {{256, 4}, {257, 4}, {258, 16}, {259, 1}, {262, 1},
                                  {273, 8}, {277, 1}, {278, 4},  {279, 32}};
    for (const Entry& change : changes) {
        std::erase_if(entries, [&](const Entry& e) { return e.tag == change.tag; });
        if (change.count > 0) entries.push_back(change);
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.tag < b.tag; });
    std::string text = "II*";
    const auto put = [&](std::uint32_t value, int bytes) {
        for (int i = 0; i < bytes; ++i)
            text += static_cast<char>(value >> (8 * i) & 0xff);
    };
    put(0, 1);
    put(8 + 64, 4);
    text += std::string(64, 'p');  // pixels from byte 8
    put(static_cast<std::uint32_t>(entries.size()), 2);
    for (const Entry& entry : entries) {
        put(entry.tag, 2);
        put(4, 2);  // LONG
        put(entry.count, 4);
        put(entry.value, 4);
    }
    put(next, 4);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

struct Claim {
    const char* what;
    std::vector<Entry> changes;
    const char* message;
    std::uint32_t next = 0;

    friend void PrintTo(const Claim& claim, std::ostream* out) { *out << claim.what; }
};

class TiffClaim : public testing::TestWithParam<Claim> {};

TEST_P(TiffClaim, IsRefusedBeforeAnyMemoryIsTaken) {
    const TemporaryFolder folder;
    writeBytes(folder / "claim.tif", craftTiff(GetParam().changes, GetParam().next));
    EXPECT_ERROR((void)openSource({folder / "claim.tif"}, {}), InputError, GetParam().message);
    EXPECT_ERROR((void)openSource({folder / "claim.tif"}, {}), InputError, "claim.tif ");
}

INSTANTIATE_TEST_SUITE_P(
    Claims, TiffClaim,
    testing::Values(
        Claim{"TwoTerabytes", {{256, 1000000}, {257, 1000000}, {278, 1000000}}, "2.00 TB"},
        Claim{"OneRowAStripOfTerabytes", {{256, 1000000}, {257, 1000000}, {278, 1}}, "2.00 TB"},
        Claim{"BillionsOfColumns", {{256, 4000000000}}, "claims 4000000000 x 4 pixels"},
        Claim{"BillionsOfRows",
              {{257, 2000000000}, {278, 2000000000}},
              "claims 4 x 2000000000 pixels"},
        Claim{"AsManyRowsAsCanBeSaid", {{257, 4294967295}}, "claim.tif"},
        Claim{"NoColumns", {{256, 0}}, "claim.tif"},
        Claim{"NoWidthTag", {{256, 0, 0}}, "claim.tif"},
        Claim{
            "DeflatedTerabytes", {{256, 1000000}, {257, 1000000}, {278, 16}, {259, 8}}, "2.00 TB"},
        Claim{"DeflatedGigabytesInOneStrip",
              {{256, 100000}, {257, 10000}, {278, 10000}, {259, 8}},
              "one may hold at most"},
        // As much as a strip may hold, so it is the file that is too small.
        Claim{"DeflatedGibibyteInOneStrip",
              {{256, 32768}, {257, 16384}, {278, 16384}, {259, 8}},
              "claims 32768 x 16384 pixels"},
        Claim{"DeflatedHundredMegabytes",
              {{256, 10000}, {257, 5000}, {278, 5000}, {259, 8}},
              "100 MB"},
        Claim{"TilesOfExabytes",
              {{322, 4294967280}, {323, 4294967280}, {324, 8}, {325, 32}, {273, 0, 0}, {279, 0, 0}},
              "claim.tif"},
        Claim{"TilesOfGigabytes",
              {{322, 32768}, {323, 32768}, {324, 8}, {325, 32}, {273, 0, 0}, {279, 0, 0}},
              "tiles of 32768 x 32768"},
        Claim{"StripOutsideTheFile", {{273, 4000000000}}, "strip 0 takes 32 bytes"},
        Claim{"StripBeyondTheEnd", {{273, 220}}, "is truncated"},
        Claim{"NoStripOffsets", {{273, 0, 0}}, "claim.tif"},
        Claim{"StripAtZero", {{273, 0}}, "lacks strip 0"},
        Claim{"AMillionStripOffsets", {{273, 8, 1U << 30}}, "claim.tif"},
        Claim{"Colour", {{277, 3}, {262, 2}}, "has 3 channels a pixel (colour)"},
        Claim{"GreyAndAlpha", {{277, 2}}, "has 2 channels"},
        Claim{"TwelveBits", {{258, 12}}, "has 12 bits a pixel"},
        Claim{"OneBit", {{258, 1}}, "has 1 bits a pixel"},
        Claim{"HalfFloat", {{339, 3}}, "has 16 bits a pixel in sample format 3"},
        Claim{"ComplexFloat", {{258, 64}, {339, 6}}, "sample format 6"},
        Claim{"FaxCodec", {{259, 4}}, "compressed by a method that cannot be read"},
        Claim{"UnknownCodec", {{259, 4711}}, "compressed by a method that cannot be read"},
        Claim{"Transposed", {{274, 6}}, "orientation 6"},
        Claim{"LoopOfDirectories", {}, "claim.tif", 72},
        Claim{"NextDirectoryOutside", {}, "claim.tif", 4000000000},
        Claim{"NextDirectoryInPixels", {}, "claim.tif", 9}),
    [](const auto& claim) { return claim.param.what; });

TEST(HostileInput, APackedStripOfNoiseIsNamedWhenItIsRead) {
    const TemporaryFolder folder;
    writeBytes(folder / "noise.tif", craftTiff({{259, 8}}));
    const auto source = openSource({folder / "noise.tif"}, {});
    EXPECT_ERROR((void)readView(*source, 0), InputError,
                 "noise.tif is damaged (strip 0 cannot be unpacked): ");
}

TEST(HostileInput, TheCraftedFileIsReadableWithoutAClaim) {
    const TemporaryFolder folder;
    writeBytes(folder / "good.tif", craftTiff({}));
    EXPECT_EQ(readAll(folder / "good.tif"), 1);
}

TEST(HostileInput, DamagedMetaImagesNeverDoMoreThanAnError) {
    const TemporaryFolder folder;
    const std::string text =
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
        "DimSize = 5 4 3\nElementSpacing = 1 1 1\nElementType = MET_USHORT\n"
        "ElementDataFile = LOCAL\n" +
        std::string(120, 'p');
    for (std::size_t size = 0; size < text.size(); ++size) {
        writeText(folder / "cut.mha", text.substr(0, size));
        EXPECT_EQ(readAll(folder / "cut.mha"), 0) << "ends after " << size << " bytes";
    }
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = text;
        damaged[random() % damaged.size()] = static_cast<char>(random() & 0xff);
        writeText(folder / "damaged.mha", damaged);
        (void)readAll(folder / "damaged.mha");
    }
}

TEST(HostileInput, DamagedScanFilesNeverDoMoreThanAnError) {
    const std::string text =
        R"({"gantryScan": 1, "trajectory": {"type": "circular-cone", "sourceToIsocenterMm": 6e2,
        "sourceToDetectorMm": 1200, "views": 720}, "detector": {"columns": 8, "rows": 9,
        "pitchMm": [0.4, 0.4]}, "projections": {"files": "p", "flatValue": 7}})";
    ASSERT_NO_THROW((void)parseScan(text, "scan.json"));
    const auto parse = [](const std::string& damaged) {
        try {
            (void)parseScan(damaged, "scan.json");
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("scan.json")) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        }
    };
    for (std::size_t size = 0; size < text.size(); ++size)
        parse(text.substr(0, size));
    std::mt19937 random(6);
    for (int round = 0; round < 5000; ++round) {
        std::string damaged = text;
        damaged[random() % damaged.size()] = static_cast<char>(random() & 0xff);
        parse(damaged);
    }
}

// What libtiff alone says of a strip that it cannot unpack.
std::string complaintOfLibtiff(const std::filesystem::path& path, std::uint32_t strip) {
    static std::string said;
    said.clear();
    const TIFFErrorHandler before =
        TIFFSetErrorHandler([](const char*, const char* format, va_list arguments) {
            std::array<char, 500> text{};
            std::vsnprintf(text.data(), text.size(), format, arguments);
            said += text.data();
        });
    if (TIFF* const file = TIFFOpen(path.c_str(), "r")) {
        Bytes pixels(static_cast<std::size_t>(TIFFStripSize(file)));
        EXPECT_LT(TIFFReadEncodedStrip(file, strip, pixels.data(), -1), 0);
        TIFFClose(file);
    }
    TIFFSetErrorHandler(before);
    while (said.ends_with('.'))
        said.pop_back();
    return said;
}

TEST(HostileInput, TheReasonIsThatOfTheLibrary) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "a view.tif";
    ForeignTiff spec;
    spec.compression = COMPRESSION_ADOBE_DEFLATE;
    spec.rowsPerStrip = spec.rows;
    writeTiff(path, spec, randomPixels(spec.type, spec.columns * spec.rows, 3));
    Bytes bytes = readBytes(path);
    std::fill_n(bytes.begin() + 8, 40, std::byte{0xee});  // where the only strip begins
    writeBytes(path, bytes);
    const std::string reason = complaintOfLibtiff(path, 0);
    ASSERT_GT(reason.size(), 10U);
    EXPECT_ERROR((void)readView(*openSource({path}, {}), 0), InputError,
                 "a view.tif is damaged (strip 0 cannot be unpacked): " + reason);
}

}  // namespace
}  // namespace gantry
