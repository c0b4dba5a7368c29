#include "core/io/volume/calibration.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::oddGrid;

TEST(Calibration, airAndWaterBecomeTheirNumbers) {
    const ValueScale scale = readCalibration("air=0.0004, water=0.0204");
    EXPECT_EQ(scale.unit, ValueUnit::hounsfield);
    // Rounding of values of some thousand.
    EXPECT_NEAR(scale.slope * 0.0004 + scale.intercept, -1000, 1e-9);
    EXPECT_NEAR(scale.slope * 0.0204 + scale.intercept, 0, 1e-9);
    const ValueScale other = readCalibration("-1000=0.0004,350=0.0274");
    EXPECT_NEAR(other.slope * 0.0274 + other.intercept, 350, 1e-9);
    EXPECT_EQ(readCalibration(""), ValueScale{});
}

TEST(Calibration, whatIsNoneIsRefused) {
    for (const char* text :
         {"air=0.1", "air,water", "air=0.1,water=x", "air=0.1,water=0.1", "air=1,air=2",
          "air=1,water=nan", "air=1,bone=2", "air=0,water=0.02,350=0.03", "=,="})
        EXPECT_ERROR((void)readCalibration(text), InputError, "air=0.0001,water=0.0205");
}

TEST(Calibration, itsTextIsReadBack) {
    const ValueScale scale{51234.5678901234, -1020.3, ValueUnit::hounsfield};
    EXPECT_EQ(scaleOf(scaleText(scale)), scale);
    EXPECT_EQ(scaleOf(scaleText(ValueScale{})), ValueScale{});
    for (const char* text : {"", "HU", "HU 1", "HU 0 1", "HU 1 x", "HU 1 2 3", "1/cm"})
        EXPECT_EQ(scaleOf(text), std::nullopt) << text;
}

struct CalibratedFile {
    std::string name;
    PixelType type = PixelType::float32;
};

class CalibratedVolume : public testing::TestWithParam<CalibratedFile> {};

INSTANTIATE_TEST_SUITE_P(
    AllFormats, CalibratedVolume,
    testing::Values(CalibratedFile{"v.mha"}, CalibratedFile{"v.mha", PixelType::uint16},
                    CalibratedFile{"v.raw"}, CalibratedFile{"slices"}, CalibratedFile{"v.tif"},
                    CalibratedFile{"v.ome.tif", PixelType::uint16}, CalibratedFile{"v.h5"},
                    CalibratedFile{"v.ome.zarr"}, CalibratedFile{"v.vgi", PixelType::uint16},
                    CalibratedFile{"v.nrrd"}, CalibratedFile{"v.nii"},
                    CalibratedFile{"v.nii", PixelType::uint16},
                    CalibratedFile{"v.dcm", PixelType::uint16}));

// Values on disk are HU, the file says so, and attenuation is what was written.
TEST_P(CalibratedVolume, holdsHounsfieldUnitsAndHowTheyWereMade) {
    const test::TemporaryFolder folder;
    const std::vector<float> voxels = test::randomVoxels(oddGrid(), 41);
    for (const bool hasRange : {true, false}) {
        OutputFormat format{folder / GetParam().name, GetParam().type, {}, "air=0,water=0.02"};
        // Attenuations are 0 to 0.1: 0 to 0.1 / 0.02 · 1000 − 1000 HU.
        if (hasRange && format.type != PixelType::float32) format.range = {{-1000, 4000}};
        const auto sink = openSink(format, oddGrid(), SinkStart::fresh);
        test::writeSlices(*sink, voxels, oddGrid(), {0, oddGrid().voxels[2]});
        sink->finish();
        const StoredVolume stored = openStoredVolume(format.path);
        EXPECT_EQ(stored.encoding.scale.unit, ValueUnit::hounsfield);
        std::vector<float> values(voxels.size());
        stored.read(0, {values.data(), 11, 7, 13});
        // Half a step of 16 bits, and the rounding of some thousand HU to float.
        const double half = format.type == PixelType::float32 ? 0 : 5000.0 / 65535 / 2;
        for (std::size_t i = 0; i < voxels.size(); ++i)
            ASSERT_NEAR(values[i], static_cast<double>(voxels[i]) / 0.02 * 1000 - 1000,
                        half * 1.001 + 3e-4);
        const Volume attenuation = readVolume(format.path);
        for (std::size_t i = 0; i < voxels.size(); ++i)
            ASSERT_NEAR(attenuation.voxels.span()[i], voxels[i], (half * 1.001 + 4e-4) / 50000);
    }
}

}  // namespace
}  // namespace gantry
