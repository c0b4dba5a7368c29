#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/io/open_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// A box of 3 x 2 pixels from column 5 and row 7 on, 4 bytes behind the fixed header, two frames.
std::string his(char frames) {
    std::string bytes(68, '\0');
    bytes.replace(0, 4, std::string("\0p\x44\0", 4));
    bytes[10] = 4;
    bytes[12] = 5;
    bytes[14] = 7;
    bytes[16] = 7;
    bytes[18] = 8;
    bytes[20] = frames;
    bytes += "more";
    for (char i = 1; i <= 12; ++i)
        bytes += {i, '\x01'};
    return bytes;
}

TEST(His, FramesAreRead) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "a.his", his(2));
    const auto source = openSource({folder / "a.his"}, {});
    EXPECT_EQ(source->info().views, 2);
    EXPECT_EQ(source->info().columns, 3);
    EXPECT_EQ(source->info().rows, 2);
    std::vector<std::uint16_t> pixels(3);
    source->readRows(1, {0, 1}, std::as_writable_bytes(std::span(pixels)));
    EXPECT_EQ(pixels, (std::vector<std::uint16_t>{256 + 10, 256 + 11, 256 + 12}));
}

TEST(His, ABoxThatDoesNotFitTheFileIsRefused) {
    const test::TemporaryFolder folder;
    const auto expect = [&](const std::string& bytes, const char* message) {
        writeFileAtomically(folder / "a.his", bytes);
        EXPECT_ERROR((void)openSource({folder / "a.his"}, {}), InputError, message);
    };
    expect(his(3), "3 images of 3 x 2 pixels from byte 72 need 108");
    expect(his(0), "each must be 1 or more");
    std::string turned = his(1);
    turned[16] = 2;
    expect(turned, "1 images of -2 x 2 pixels");
    expect(his(1).substr(0, 40), "ends within its header");
}

}  // namespace
}  // namespace gantry
