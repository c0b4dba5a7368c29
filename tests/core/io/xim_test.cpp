#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/io/open_source.h"
#include "core/io/varian/xim_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

std::string number(std::int32_t value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::string real(double value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// 3 x 2 pixels: 100 200 300 / 110 -40 70000. The differences of the last two are
// -40 - 110 - 200 + 100 = -250 in two bytes and 70000 + 40 - 300 + 200 = 69940 in four.
struct XimParts {
    std::int32_t columns = 3;
    std::int32_t rows = 2;
    std::int32_t compression = 1;
    std::string table = number(1) + std::string(1, '\x09');  // 1 in the first two bits, then 2
    std::string pixels = number(22) + number(100) + number(200) + number(300) + number(110) +
                         std::string("\x06\xFF", 2) + number(69940);
    std::string properties = number(24) + number(0) + number(2) + number(9) + "GantryRtn" +
                             number(1) + real(12.5) + number(4) + "Name" + number(2) + number(3) +
                             "abc";

    [[nodiscard]] std::string bytes() const {
        return std::string("VMS.XI\0\0", 8) + number(1) + number(columns) + number(rows) +
               number(16) + number(2) + number(compression) + table + pixels + properties;
    }
};

fs::path written(const test::TemporaryFolder& folder, const std::string& bytes) {
    writeFileAtomically(folder / "a.xim", bytes);
    return folder / "a.xim";
}

std::vector<std::int32_t> pixelsOf(const fs::path& file, IndexRange rows) {
    const auto source = openSource({file}, {.firstRowIsTop = false});
    std::vector<std::int32_t> pixels(
        static_cast<std::size_t>(rows.size() * source->info().columns));
    source->readRows(0, rows, std::as_writable_bytes(std::span(pixels)));
    return pixels;
}

TEST(Xim, DifferencesOfEachSizeAreAddedUp) {
    const test::TemporaryFolder folder;
    const fs::path file = written(folder, XimParts().bytes());
    EXPECT_EQ(pixelsOf(file, {0, 2}), (std::vector<std::int32_t>{100, 200, 300, 110, -40, 70000}));
    EXPECT_EQ(pixelsOf(file, {1, 2}), (std::vector<std::int32_t>{110, -40, 70000}));
    EXPECT_EQ(pixelsOf(file, {0, 1}), (std::vector<std::int32_t>{100, 200, 300}));
    const XimHeader header = readXimHeader(file);
    EXPECT_EQ(header.properties.at("GantryRtn"), 12.5);
    EXPECT_EQ(header.properties.size(), 1);
}

TEST(Xim, PlainPixelsAreRead) {
    const test::TemporaryFolder folder;
    XimParts parts;
    parts.compression = 0;
    parts.table = number(12);
    parts.pixels = std::string("\1\0\2\0\3\0\4\0\5\0\xFF\xFF", 12);
    parts.properties = number(0) + number(0);
    const auto source = openSource({written(folder, parts.bytes())}, {});
    EXPECT_EQ(source->info().pixelType, PixelType::uint16);
    std::vector<std::uint16_t> pixels(3);
    source->readRows(0, {0, 1}, std::as_writable_bytes(std::span(pixels)));  // the lowest row
    EXPECT_EQ(pixels, (std::vector<std::uint16_t>{4, 5, 65535}));
}

TEST(Xim, WhatContradictsTheFileIsRefused) {
    const test::TemporaryFolder folder;
    const auto expect = [&](const XimParts& parts, const char* message) {
        EXPECT_ERROR((void)openSource({written(folder, parts.bytes())}, {}), InputError, message);
    };
    const XimParts good;
    XimParts bad = good;
    bad.columns = 65536;
    bad.rows = 65536;
    expect(bad, "bytes of sizes; 65536 x 65536 pixels need");
    bad = good;
    bad.rows = 0;
    expect(bad, "has 0 rows; it must be 1 to 65536");
    bad = good;
    bad.table = number(2'000'000'000);
    expect(bad, "the file ends before");
    bad = good;
    bad.pixels = number(0);
    bad.properties = number(0) + number(0) + number(0);
    expect(bad, "has 0 bytes of pixels; 3 x 2 need");
    bad = good;
    bad.compression = 7;
    expect(bad, "compression 7");
    bad = good;
    bad.properties = number(24) + number(0) + number(1) + number(2'000'000'000);
    expect(bad, "bytes in a property's name");

    bad = good;
    bad.table = number(1) + std::string(1, '\x0F');
    EXPECT_ERROR((void)pixelsOf(written(folder, bad.bytes()), {0, 2}), InputError, "unknown size");
    bad.table = number(1) + std::string(1, '\x0A');
    EXPECT_ERROR((void)pixelsOf(written(folder, bad.bytes()), {0, 2}), InputError,
                 "fewer pixels than its size says");
}

}  // namespace
}  // namespace gantry
