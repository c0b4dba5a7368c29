#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

#include "core/base/error.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::namesIn;
using test::oddGrid;
using test::randomVoxels;
using test::writeSlices;

Volume stored(const OutputFormat& format, const std::vector<float>& voxels) {
    const auto sink = openSink(format, oddGrid(), SinkStart::fresh);
    writeSlices(*sink, voxels, oddGrid(), {0, oddGrid().voxels[2]});
    sink->finish();
    return readVolume(format.path);
}

// Its parameter is the file to write.
class ScaledSink : public testing::TestWithParam<const char*> {
  protected:
    [[nodiscard]] OutputFormat format(PixelType type) const {
        return {m_folder / GetParam(), type, {}};
    }
    test::TemporaryFolder m_folder;
    std::vector<float> m_voxels = randomVoxels(oddGrid(), 21);
};

INSTANTIATE_TEST_SUITE_P(AllFormats, ScaledSink,
                         testing::Values("v.mha", "v.mhd", "v.raw", "v.tif", "slices", "v.zarr",
                                         "v.vgi", "v.nrrd", "v.nii"),
                         [](const auto& which) {
                             std::string label = which.param;
                             std::replace(label.begin(), label.end(), '.', '_');
                             return label;
                         });

TEST_P(ScaledSink, spreadsTheVolumesOwnRangeOverTheType) {
    const auto [min, max] = std::minmax_element(m_voxels.begin(), m_voxels.end());
    const double range = static_cast<double>(*max) - static_cast<double>(*min);
    for (const PixelType type : {PixelType::uint8, PixelType::uint16}) {
        const Volume found = stored(format(type), m_voxels);
        const double step = range / (type == PixelType::uint8 ? 255 : 65535);
        for (std::size_t i = 0; i < m_voxels.size(); ++i)
            // Half a step, and the rounding of attenuations below 0.1 to float.
            ASSERT_NEAR(found.voxels.span()[i], m_voxels[i], step / 2 + 0.1 * 6e-8);
        // Both ends are used: the smallest and largest voxels come back exactly.
        EXPECT_FLOAT_EQ(found.voxels.span()[static_cast<std::size_t>(min - m_voxels.begin())],
                        *min);
        EXPECT_FLOAT_EQ(found.voxels.span()[static_cast<std::size_t>(max - m_voxels.begin())],
                        *max);
    }
}

TEST_P(ScaledSink, leavesNoSpoolBehind) {
    (void)stored(format(PixelType::uint16), m_voxels);
    for (const std::string& name : namesIn(m_folder.path()))
        EXPECT_EQ(name.find("spool"), std::string::npos) << name;
}

TEST_P(ScaledSink, resumesFromItsSpoolWithTheRangeOfAllSlices) {
    // The extremes lie in the part that was written before the interruption.
    m_voxels[0] = -1;
    m_voxels[1] = 2;
    const Volume whole = stored(format(PixelType::uint16), m_voxels);
    {
        const auto killed = openSink(format(PixelType::uint16), oddGrid(), SinkStart::fresh);
        writeSlices(*killed, m_voxels, oddGrid(), {0, 5});
        killed->flush();
    }
    const auto resumed = openSink(format(PixelType::uint16), oddGrid(), SinkStart::resumed);
    writeSlices(*resumed, m_voxels, oddGrid(), {5, oddGrid().voxels[2]});
    resumed->finish();
    const Volume found = readVolume(format(PixelType::uint16).path);
    EXPECT_TRUE(std::ranges::equal(found.voxels.span(), whole.voxels.span()));
}

TEST_P(ScaledSink, stopsAtItsEndAndGoesOnLater) {
    const Volume whole = stored(format(PixelType::uint16), m_voxels);
    fs::remove_all(format(PixelType::uint16).path);
    {
        const auto stopped = openSink(format(PixelType::uint16), oddGrid(), SinkStart::fresh);
        writeSlices(*stopped, m_voxels, oddGrid(), {0, oddGrid().voxels[2]});
        std::stop_source stop;
        stop.request_stop();
        EXPECT_THROW(stopped->finish(2, stop.get_token()), Cancelled);
        EXPECT_FALSE(fs::exists(format(PixelType::uint16).path));
    }
    const auto resumed = openSink(format(PixelType::uint16), oddGrid(), SinkStart::resumed);
    resumed->finish(2);
    const Volume found = readVolume(format(PixelType::uint16).path);
    EXPECT_TRUE(std::ranges::equal(found.voxels.span(), whole.voxels.span()));
}

TEST_P(ScaledSink, keepsAConstantVolume) {
    std::fill(m_voxels.begin(), m_voxels.end(), 0.0217F);
    const Volume found = stored(format(PixelType::uint8), m_voxels);
    for (const float voxel : found.voxels.span())
        ASSERT_EQ(voxel, 0.0217F);
}

TEST_P(ScaledSink, survivesVoxelsThatAreNotFinite) {
    m_voxels[3] = std::numeric_limits<float>::quiet_NaN();
    m_voxels[4] = std::numeric_limits<float>::infinity();
    m_voxels[5] = -std::numeric_limits<float>::infinity();
    const Volume found = stored(format(PixelType::uint8), m_voxels);
    for (std::size_t i = 0; i < m_voxels.size(); ++i) {
        ASSERT_TRUE(std::isfinite(found.voxels.span()[i]));
        // Half of a step of 0.1/255.
        if (i < 3 || i > 5) {
            ASSERT_NEAR(found.voxels.span()[i], m_voxels[i], 0.0002);
        }
    }
    EXPECT_FLOAT_EQ(found.voxels.span()[4],
                    *std::max_element(found.voxels.data(), found.voxels.data() + 100));
}

TEST_P(ScaledSink, discardLeavesNothing) {
    const auto sink = openSink(format(PixelType::uint8), oddGrid(), SinkStart::fresh);
    writeSlices(*sink, m_voxels, oddGrid(), {0, 3});
    sink->discard();
    EXPECT_TRUE(namesIn(m_folder.path()).empty());
}

TEST_P(ScaledSink, clampsToAGivenRange) {
    OutputFormat narrow = format(PixelType::uint16);
    narrow.range = {{0.02, 0.08}};
    const Volume found = stored(narrow, m_voxels);
    for (std::size_t i = 0; i < m_voxels.size(); ++i)
        // Half of a step of 0.06/65535, and the rounding to float.
        ASSERT_NEAR(found.voxels.span()[i], std::clamp(m_voxels[i], 0.02F, 0.08F), 4.7e-7);
}

}  // namespace
}  // namespace gantry
