// The unit of a stored volume's values, told anew without its voxels.
#include "core/io/volume/rescale_volume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/record_path.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_format.h"
#include "core/io/volume/volume_levels.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::oddGrid;

struct RescaledFile {
    std::string name;
    PixelType type = PixelType::float32;
    bool isInFile = true;  ///< whether its header takes the scale

    friend std::ostream& operator<<(std::ostream& out, const RescaledFile& file) {
        return out << file.name << ' ' << static_cast<int>(file.type);
    }
};

class RescaledVolume : public testing::TestWithParam<RescaledFile> {
  protected:
    void write(const std::string& calibration = {}) {
        const auto sink =
            openSink({path(), GetParam().type, {}, calibration}, oddGrid(), SinkStart::fresh);
        test::writeSlices(*sink, m_voxels, oddGrid(), {0, oddGrid().voxels[2]});
        sink->finish();
    }
    [[nodiscard]] std::filesystem::path path() const { return m_folder / GetParam().name; }
    [[nodiscard]] std::vector<float> values() const {
        std::vector<float> values(m_voxels.size());
        openStoredVolume(path()).read(0, {values.data(), 11, 7, 13});
        return values;
    }

    test::TemporaryFolder m_folder;
    std::vector<float> m_voxels = test::randomVoxels(oddGrid(), 43);
};

INSTANTIATE_TEST_SUITE_P(
    AllFormats, RescaledVolume,
    testing::Values(RescaledFile{"v.mha"}, RescaledFile{"v.mha", PixelType::uint16},
                    RescaledFile{"v.mhd"}, RescaledFile{"v.raw", PixelType::uint8},
                    RescaledFile{"v.tif"}, RescaledFile{"v.ome.tif", PixelType::uint16},
                    RescaledFile{"v.vgi"}, RescaledFile{"v.nrrd"},
                    RescaledFile{"v.nhdr", PixelType::uint16}, RescaledFile{"v.nii"},
                    RescaledFile{"v.nii", PixelType::uint16},
                    RescaledFile{"slices", PixelType::float32, false},
                    RescaledFile{"v.h5", PixelType::float32, false},
                    RescaledFile{"v.ome.zarr", PixelType::uint16, false},
                    RescaledFile{"v.dcm", PixelType::uint16, false}));

TEST_P(RescaledVolume, HasHounsfieldUnitsAndAttenuationAgain) {
    write();
    const std::vector<float> before = values();
    const ValueScale scale{51234.5678901234, -1020.3, ValueUnit::hounsfield};
    EXPECT_EQ(rescaleVolume(path(), scale), GetParam().isInFile);
    EXPECT_EQ(openStoredVolume(path()).encoding.scale, scale);
    const std::vector<float> after = values();
    for (std::size_t i = 0; i < after.size(); ++i) {
        const double hu = 51234.5678901234 * static_cast<double>(before[i]) - 1020.3;
        // Floats of up to some 5000 HU; NIfTI's slope is one, too.
        ASSERT_NEAR(static_cast<double>(after[i]), hu, 2e-3) << i;
    }
    std::vector<float> seen(m_voxels.size());
    openVolumeLevels(path())->read(0, {{0, 13}, {0, 7}, {0, 11}}, {seen.data(), 11, 7, 13});
    EXPECT_EQ(seen, after) << "as viewers read it";
    const Volume attenuation = readVolume(path());
    for (std::size_t i = 0; i < before.size(); ++i)
        ASSERT_NEAR(attenuation.voxels.data()[i], before[i], 1e-7) << i;

    // The file by itself says so, where its header has the room.
    const StoredVolume bare = storedFormatOf(path()).read(path());
    EXPECT_EQ(bare.encoding.scale == scale, GetParam().isInFile);

    rescaleVolume(path(), {});
    // The slope of NIfTI is a float: two roundings of values up to 0.1.
    const double rounding = GetParam().name == "v.nii" ? 3e-8 : 0;
    const std::vector<float> again = values();
    for (std::size_t i = 0; i < before.size(); ++i)
        ASSERT_NEAR(again[i], before[i], rounding) << i;
    EXPECT_FALSE(pathExists(recordPath(path()))) << "nothing is left to record";
}

TEST_P(RescaledVolume, KeepsWhatElseTheRecordSaysAndIsForgottenByANewVolume) {
    write("air=0,water=0.02");
    writeFileAtomically(recordPath(path()), "{\"gantryProvenance\": 1, \"engine\": \"CPU\"}");
    const ValueScale scale{40000, -1000, ValueUnit::hounsfield};
    rescaleVolume(path(), scale);
    EXPECT_NE(readTextFile(recordPath(path())).find("\"engine\": \"CPU\""), std::string::npos);
    EXPECT_EQ(openStoredVolume(path()).encoding.scale, scale);
    write();
    EXPECT_EQ(openStoredVolume(path()).encoding.scale, ValueScale{});
    EXPECT_EQ(readTextFile(recordPath(path())).find("calibration"), std::string::npos);
}

TEST(RescaledVolumes, OfOtherProgramsKeepTheirFilesAndAWrongRecordIsNamed) {
    const test::TemporaryFolder folder;
    const std::string text =
        "ObjectType = Image\nNDims = 3\nDimSize = 2 1 1\nElementType = MET_SHORT\n"
        "ElementDataFile = LOCAL\n";
    writeFileAtomically(folder / "v.mha", text + std::string("\x10\0\x20\0", 4));
    EXPECT_FALSE(rescaleVolume(folder / "v.mha", {100, -1000, ValueUnit::hounsfield}));
    std::vector<float> values(2);
    openStoredVolume(folder / "v.mha").read(0, {values.data(), 1, 1, 2});
    EXPECT_EQ(values, (std::vector<float>{600, 2200}));
    EXPECT_TRUE(readTextFile(folder / "v.mha").starts_with(text));
    const auto record = recordPath(folder / "v.mha");
    writeFileAtomically(record, R"({"calibration": "HU 0 1"})");
    EXPECT_ERROR((void)openStoredVolume(folder / "v.mha"), InputError,
                 "v.mha.provenance.json: calibration");
    writeFileAtomically(record, "notes");
    EXPECT_EQ(openStoredVolume(folder / "v.mha").encoding.scale, ValueScale{});
    EXPECT_ERROR(rescaleVolume(folder / "v.mha", {100, 0, ValueUnit::hounsfield}), InputError,
                 "no record");
}

}  // namespace
}  // namespace gantry
