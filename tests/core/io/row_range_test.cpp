#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "core/base/host_buffer.h"
#include "core/io/open_source.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/image_files.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::ForeignTiff;

constexpr Index kColumns = 1009;
constexpr Index kRows = 997;
constexpr Index kRowBytes = 2 * kColumns;
// Headers and lists of strips.
constexpr Index kOverhead = 16'000;

// What this process has read of files so far, as the system counts it.
std::optional<Index> bytesRead() {
    std::ifstream file("/proc/self/io");
    std::string name;
    Index count = 0;
    while (file >> name >> count)
        if (name == "rchar:") return count;
    return std::nullopt;
}

// Its parameter says how the views are stored.
class RowRange : public testing::TestWithParam<const char*> {
  protected:
    // Two views of random 16-bit pixels.
    fs::path write() {
        const std::string how = GetParam();
        if (how == "raw") {
            test::writeText(m_folder / "v.raw.json",
                            fmt::format(R"({{"gantryRaw": 1, "columns": {}, "rows": {}, "views": 2,
                                            "type": "uint16"}})",
                                        kColumns, kRows));
            test::writeBytes(m_folder / "v.raw", m_pixels);
            return m_folder / "v.raw";
        }
        if (how == "MetaImage") {
            std::string text = fmt::format(
                "ObjectType = Image\nNDims = 3\nDimSize = {} {} 2\nElementType = MET_USHORT\n"
                "ElementDataFile = LOCAL\n",
                kColumns, kRows);
            text.append(reinterpret_cast<const char*>(m_pixels.data()), m_pixels.size());
            test::writeText(m_folder / "v.mha", text);
            return m_folder / "v.mha";
        }
        ForeignTiff spec;
        spec.columns = kColumns;
        spec.rows = kRows;
        spec.rowsPerStrip = how == "OneStrip" ? kRows : 4;
        if (how == "DeflatedStrips") spec.compression = COMPRESSION_ADOBE_DEFLATE;
        const auto half = m_pixels.begin() + kRows * kRowBytes;
        writeTiff(m_folder / "v.tif", spec, Bytes(m_pixels.begin(), half));
        spec.mode = "a";
        writeTiff(m_folder / "v.tif", spec, Bytes(half, m_pixels.end()));
        return m_folder / "v.tif";
    }

    test::TemporaryFolder m_folder;
    Bytes m_pixels = test::randomBytes(static_cast<std::size_t>(2 * kRows * kRowBytes), 17);
};

INSTANTIATE_TEST_SUITE_P(Formats, RowRange,
                         testing::Values("raw", "MetaImage", "OneStrip", "Strips",
                                         "DeflatedStrips"),
                         [](const auto& which) { return std::string(which.param); });

TEST_P(RowRange, costsOnlyItsOwnBytes) {
    if (!bytesRead()) GTEST_SKIP() << "the system does not count here";
    const auto source = openSource({write()}, {true});
    ASSERT_TRUE(source->info().readsRowsAlone);
    // Compressed strips of four rows are read whole.
    const Index slack = std::string(GetParam()) == "DeflatedStrips" ? 6 * kRowBytes : 0;
    for (const IndexRange rows : {IndexRange{0, 1}, IndexRange{500, 507}, IndexRange{994, 997}}) {
        const Index before = *bytesRead();
        const Bytes found = test::readView(*source, 1, rows);
        EXPECT_LE(*bytesRead() - before, rows.size() * kRowBytes + slack + kOverhead);
        const Bytes view(m_pixels.begin() + kRows * kRowBytes, m_pixels.end());
        EXPECT_PIXELS_EQ(found,
                         test::detectorRows(view, {kColumns, kRows, PixelType::uint16}, rows));
    }
}

TEST(SliceRange, ofAVolumeCostsOnlyItsOwnBytes) {
    if (!bytesRead()) GTEST_SKIP() << "the system does not count here";
    const test::TemporaryFolder folder;
    // A hole of 400 GB takes no disk; read whole, it would not end.
    test::writeText(folder / "v.raw.json",
                    R"({"gantryVolume": 1, "voxels": [1000, 100, 1000000], "pitchMm": [1, 1, 1],
                        "centerMm": [0, 0, 0], "type": "float32"})");
    test::writeText(folder / "v.raw", "");
    fs::resize_file(folder / "v.raw", 400'000'000'000);
    {
        std::fstream file(folder / "v.raw", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(4 * (Index{777'777} * 100'000 + 5 * 1000 + 3));
        const float value = 0.25F;
        file.write(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    const StoredVolume volume = openStoredVolume(folder / "v.raw");
    EXPECT_EQ(volume.grid.voxels, (std::array<Index, 3>{1000, 100, 1'000'000}));
    HostBuffer<float> buffer(2 * 100'000);
    const Span3<float> slices(buffer.data(), 2, 100, 1000);
    const Index before = *bytesRead();
    volume.read(777'776, slices);
    EXPECT_LE(*bytesRead() - before, 2 * 400'000 + kOverhead);
    EXPECT_EQ(slices(1, 5, 3), 0.25F);
    EXPECT_EQ(slices(0, 5, 3), 0.0F);
}

}  // namespace
}  // namespace gantry
