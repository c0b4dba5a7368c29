#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/io/open_source.h"
#include "core/io/varian/hnd_header.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

template <class Value>
void putAt(std::string& bytes, std::size_t at, Value value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string fourBytes(std::initializer_list<std::int32_t> values) {
    std::string bytes;
    for (const std::int32_t value : values)
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return bytes;
}

// 4 x 2 pixels, 10 20 30 40 / 50 61 -300 70000, as the differences say: 61 - 50 - 20 + 10 = 1 in a
// byte, -300 - 61 - 30 + 20 = -371 in two, 70000 + 300 - 40 + 30 = 70290 in four. A last size
// stands for nothing.
std::string hndImage() {
    std::string bytes(1024, '\0');
    putAt<std::uint32_t>(bytes, 120, 4);
    putAt<std::uint32_t>(bytes, 124, 2);
    putAt(bytes, 352, 0.388);
    putAt(bytes, 360, 0.4);
    putAt(bytes, 432, 271.25);
    putAt(bytes, 440, 1234.0);
    bytes += static_cast<char>(0 | 1 << 2 | 2 << 4);
    return bytes + fourBytes({10, 20, 30, 40, 50}) + std::string("\x01\x8D\xFE", 3) +
           fourBytes({70290});
}

class Hnd : public testing::Test {
  protected:
    fs::path written(const std::string& bytes) {
        writeFileAtomically(m_folder / "a.HND", bytes);
        return m_folder / "a.HND";
    }
    test::TemporaryFolder m_folder;
};

TEST_F(Hnd, DifferencesAreAddedUp) {
    const fs::path file = written(hndImage());
    const auto source = openSource({file}, {.firstRowIsTop = false});
    ASSERT_EQ(source->info().columns, 4);
    ASSERT_EQ(source->info().rows, 2);
    EXPECT_EQ(source->info().monitor, std::vector<double>{1234});
    EXPECT_TRUE(source->info().format.starts_with("Varian .hnd"));
    std::vector<std::int32_t> pixels(8);
    source->readRows(0, {0, 2}, std::as_writable_bytes(std::span(pixels)));
    EXPECT_EQ(pixels, (std::vector<std::int32_t>{10, 20, 30, 40, 50, 61, -300, 70000}));
    const XimHeader header = readHndHeader(file);
    EXPECT_EQ(header.properties.at("KVSourceRtn"), 271.25);
    EXPECT_EQ(header.properties.at("PixelWidthMm"), 0.388);
}

TEST_F(Hnd, SizesAreComparedWithTheFilesBeforeMemoryIsTaken) {
    const auto refused = [&](std::uint32_t columns, std::uint32_t rows, const char* why) {
        std::string bytes = hndImage();
        putAt(bytes, 120, columns);
        putAt(bytes, 124, rows);
        EXPECT_ERROR((void)openSource({written(bytes)}, {}), InputError, why);
    };
    refused(0, 2, "a.HND has 0 columns; it must be 1 to 65536");
    refused(4, 4'000'000'000, "has 4000000000 rows");
    refused(65536, 65536, "65536 x 65536 pixels need");
    refused(4, 3, "4 x 3 pixels need 1053 or more");
    refused(3, 2, "have a multiple of 4 pixels");
    EXPECT_ERROR((void)openSource({written(hndImage().substr(0, 1023))}, {}), InputError,
                 "ends within its header");
    // A size of none, and one that reaches beyond the end.
    for (const int sizes : {3 << 2, 2 << 2 | 2 << 4}) {
        std::string bytes = hndImage();
        bytes[1024] = static_cast<char>(sizes);
        const auto source = openSource({written(bytes)}, {});
        std::vector<std::int32_t> pixels(8);
        EXPECT_THROW(source->readRows(0, {0, 2}, std::as_writable_bytes(std::span(pixels))),
                     InputError);
    }
}

}  // namespace
}  // namespace gantry
