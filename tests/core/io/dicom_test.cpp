#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::fileBytes;
using test::oddGrid;

template <class T>
T little(const std::string& bytes, std::size_t at) {
    T value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

// The elements of an explicit little-endian DICOM file, as PS3.5 and PS3.10 lay them out: a
// preamble of 128 bytes, DICM, then tag, two letters, a length of 2 bytes or two zeros and one of
// 4, and the value. Padding at the end of texts is cut.
std::map<std::uint32_t, std::string> elements(const std::string& bytes) {
    EXPECT_EQ(bytes.substr(128, 4), "DICM");
    std::map<std::uint32_t, std::string> found;
    std::uint32_t last = 0;
    for (std::size_t at = 132; at + 8 <= bytes.size();) {
        const std::uint32_t tag = std::uint32_t{little<std::uint16_t>(bytes, at)} << 16 |
                                  little<std::uint16_t>(bytes, at + 2);
        EXPECT_GT(tag, last) << "elements come in order";
        last = tag;
        const std::string kind = bytes.substr(at + 4, 2);
        const bool isLong = kind == "OB" || kind == "OW" || kind == "UN" || kind == "SQ";
        const std::size_t length =
            isLong ? little<std::uint32_t>(bytes, at + 8) : little<std::uint16_t>(bytes, at + 6);
        EXPECT_EQ(length % 2, 0U);
        at += isLong ? 12 : 8;
        std::string value = bytes.substr(at, length);
        while (!isLong && kind != "US" && !value.empty() &&
               (value.back() == ' ' || value.back() == '\0'))
            value.pop_back();
        found[tag] = value;
        at += length;
    }
    return found;
}

class Dicom : public testing::Test {
  protected:
    fs::path write() {
        const OutputFormat format{m_folder / "v.dcm", PixelType::uint16, {{-0.02, 0.12}}};
        const auto sink = openSink(format, m_grid, SinkStart::fresh);
        test::writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
        sink->finish();
        return format.path;
    }
    void refused(const fs::path& slice, const std::string& bytes, const std::string& text) {
        const std::string good = fileBytes(slice);
        test::writeBytes(slice, bytes);
        EXPECT_ERROR((void)openStoredVolume(slice.parent_path()), InputError, text);
        test::writeBytes(slice, good);
    }

    test::TemporaryFolder m_folder;
    VolumeGrid m_grid = oddGrid();
    std::vector<float> m_voxels = test::randomVoxels(m_grid, 17);
};

TEST_F(Dicom, everySliceStatesWhereItIsAndWhatItsVoxelsMean) {
    const fs::path folder = write();
    std::set<std::string> instances;
    std::set<std::string> series;
    for (Index z = 0; z < 11; ++z) {
        auto found = elements(fileBytes(folder / fmt::format("slice_{:04}.dcm", z)));
        const auto us = [&](std::uint32_t tag) { return little<std::uint16_t>(found[tag], 0); };
        EXPECT_EQ(found[0x00020010], "1.2.840.10008.1.2.1");
        EXPECT_EQ(found[0x00080016], "1.2.840.10008.5.1.4.1.1.2");
        EXPECT_EQ(found[0x00080060], "CT");
        EXPECT_EQ(found[0x00080018], found[0x00020003]);
        instances.insert(found[0x00080018]);
        series.insert(found[0x0020000D] + " " + found[0x0020000E] + " " + found[0x00200052]);
        EXPECT_EQ(us(0x00280010), 7);   // rows
        EXPECT_EQ(us(0x00280011), 13);  // columns
        EXPECT_EQ(us(0x00280100), 16);
        EXPECT_EQ(us(0x00280101), 16);
        EXPECT_EQ(us(0x00280102), 15);
        EXPECT_EQ(us(0x00280103), 0);
        EXPECT_EQ(found[0x00280030], "0.45\\0.3");  // between rows, between columns
        EXPECT_EQ(found[0x00180050], "1.1");
        EXPECT_EQ(found[0x00200037], "1\\0\\0\\0\\1\\0");
        EXPECT_EQ(found[0x00281054], "1/mm");
        double x = 0;
        double y = 0;
        double height = 0;
        ASSERT_EQ(std::sscanf(found[0x00200032].c_str(), "%lf\\%lf\\%lf", &x, &y, &height), 3);
        // 16 characters hold 1e-12 of some hundred mm.
        EXPECT_NEAR(x, 12.5 - 6 * 0.3, 1e-11);
        EXPECT_NEAR(y, -7.25 - 3 * 0.45, 1e-11);
        EXPECT_NEAR(height, 103.3 + (static_cast<double>(z) - 5) * 1.1, 1e-11);
        const double slope = std::stod(found[0x00281053]);
        const double intercept = std::stod(found[0x00281052]);
        const std::string& voxels = found[0x7FE00010];
        ASSERT_EQ(voxels.size(), 13U * 7 * 2);
        for (std::size_t i = 0; i < 13 * 7; ++i)
            // Half a step, and the slope's last digit.
            ASSERT_NEAR(slope * little<std::uint16_t>(voxels, 2 * i) + intercept,
                        m_voxels[static_cast<std::size_t>(z) * 13 * 7 + i], 0.14 / 65535 * 0.501);
    }
    EXPECT_EQ(instances.size(), 11U);
    EXPECT_EQ(series.size(), 1U);
    for (const std::string& uid : instances) {
        EXPECT_TRUE(uid.starts_with("2.25."));
        EXPECT_LE(uid.size(), 64U);
    }
}

TEST_F(Dicom, anotherVolumeHasOtherIdentifiers) {
    const fs::path slice = write() / "slice_0003.dcm";
    const auto first = elements(fileBytes(slice));
    write();
    const auto second = elements(fileBytes(slice));
    for (const std::uint32_t tag : {0x00080018U, 0x0020000DU, 0x0020000EU, 0x00200052U})
        EXPECT_NE(first.at(tag), second.at(tag));
}

TEST_F(Dicom, aSeriesOfAnyNamesIsReadInOrderOfItsPositions) {
    const fs::path folder = write();
    for (Index z = 0; z < 11; ++z)
        fs::rename(folder / fmt::format("slice_{:04}.dcm", z),
                   folder / fmt::format("IM{}.DCM", (z * 7) % 11));
    EXPECT_TRUE(isStoredVolume(folder));
    const Volume volume = readVolume(folder);
    EXPECT_EQ(volume.grid, m_grid);
    for (std::size_t i = 0; i < m_voxels.size(); ++i)
        ASSERT_NEAR(volume.voxels.span()[i], m_voxels[i], 0.14 / 65535 * 0.501);
}

TEST_F(Dicom, refusesWhatIsNoSeriesOrDamaged) {
    const fs::path folder = write();
    const fs::path slice = folder / "slice_0005.dcm";
    const std::string good = fileBytes(slice);
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string bytes = good;
        const auto at = bytes.find(from);
        EXPECT_NE(at, std::string::npos);
        return bytes.replace(at, from.size(), to);
    };
    // Rows: tag, "US", length, value.
    const std::string rows("\x28\0\x10\0US\2\0\7\0", 10);
    refused(slice, with(rows, std::string("\x28\0\x10\0US\2\0\x08\0", 10)), "does not end with");
    refused(slice, with(rows, std::string("\x28\0\x10\0US\2\0\0\0", 10)), "has no pixels");
    refused(slice, with("1\\0\\0\\0\\1\\0", "0\\1\\0\\0\\0\\1"), "no axial slice");
    refused(slice, with("1\\0\\0\\0\\1\\0", "1\\0\\0\\0\\1\\x"), "Image Orientation");
    refused(slice, with("0.45\\0.3", "0.45\\0.4"), "differs from slice_0000.dcm");
    refused(slice, good.substr(0, good.size() - 10), "slice_0005.dcm");
    refused(slice, good.substr(0, 200), "slice_0005.dcm");
    refused(slice, "text", "slice_0005.dcm");
    refused(slice, good + "more", "slice_0005.dcm");
    EXPECT_ERROR((void)openStoredVolume(slice), InputError, "open its folder");
    fs::remove(slice);
    EXPECT_ERROR((void)openStoredVolume(folder), InputError, "slices are missing");
    EXPECT_ERROR(
        (void)openSink({m_folder / "f.dcm", PixelType::float32, {}}, m_grid, SinkStart::fresh),
        InputError, "the voxel type is float32; in this format it must be uint16");
}

}  // namespace
}  // namespace gantry
