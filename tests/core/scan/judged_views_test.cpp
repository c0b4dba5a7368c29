#include "core/scan/judged_views.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <vector>

#include "core/scan/corrected_scan.h"
#include "core/scan/view_stages.h"
#include "tests/support/damaged_scan.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr Index kPixels = 33 * 21;

class JudgedViewsTest : public test::DamagedScan {
  protected:
    JudgedViewsTest() : DamagedScan(12) {}

    // Writes counts over pixels of a view, from the top row on; they follow a header of 8 bytes.
    void write(Index view, Index first, const std::vector<std::uint16_t>& counts) const {
        std::fstream image(file(view), std::ios::binary | std::ios::in | std::ios::out);
        image.seekp(8 + 2 * first);
        image.write(reinterpret_cast<const char*>(counts.data()),
                    static_cast<std::streamsize>(2 * counts.size()));
    }
    void fill(Index view, std::uint16_t count) const {
        write(view, 0, std::vector<std::uint16_t>(kPixels, count));
    }
    static void readRows(const OpenScan& scan, Index view, IndexRange rows) {
        HostBuffer<std::byte> pixels(rows.size() * scan.storedRowBytes());
        readStoredRows(scan, view, rows, pixels.span());
    }
};

TEST_F(JudgedViewsTest, AViewWithoutAnImageIsNamedWhicheverRowsAreRead) {
    fill(3, 0);
    fill(5, 20000);
    const OpenScan scan = openScan(m_scan);
    for (const IndexRange rows : {IndexRange{0, 21}, {0, 1}, {12, 20}}) {
        EXPECT_NO_THROW(readRows(scan, 2, rows));
        EXPECT_ERROR(readRows(scan, 3, rows), ViewError,
                     "View 3: proj_0003.tif holds no image: not one of its pixels is a number "
                     "above the dark field.");
        EXPECT_ERROR(readRows(scan, 5, rows), ViewError,
                     "View 5: proj_0005.tif holds no image: all its usable pixels are 20000.");
    }
    EXPECT_EQ(findBadViews(m_scan, 2, {}), (std::vector<Index>{3, 5}));
    // So do views that are corrected first, and those of another geometry.
    const OpenScan zingers = corrected(scan, {.zingers = {.ratio = 2}});
    EXPECT_ERROR(readRows(zingers, 3, {4, 6}), ViewError, "View 3: proj_0003.tif holds no image");
    EXPECT_ERROR(readRows(withGeometry(scan, m_scan.geometry, {1}), 2, {4, 6}), ViewError,
                 "View 3: proj_0003.tif holds no image");
}

// The tube was off: the dark field with its noise, and never more than that.
TEST_F(JudgedViewsTest, AViewWithoutABeamIsNoImage) {
    std::mt19937 random(3);
    std::normal_distribution<float> noise(100, 6);
    std::vector<std::uint16_t> counts(kPixels);
    for (std::uint16_t& count : counts)
        count = static_cast<std::uint16_t>(std::lround(noise(random)));
    write(7, 0, counts);
    const OpenScan scan = openScan(m_scan);
    EXPECT_ERROR(readRows(scan, 7, {3, 5}), ViewError,
                 "View 7: proj_0007.tif holds no image: nowhere in it more than 0.3 % of the flat "
                 "field's beam arrived.");
    EXPECT_NO_THROW(readRows(scan, 6, {3, 5}));
    // A few bright pixels beside an object that lets nothing through are a beam.
    for (Index v = 0; v < 21; ++v)
        for (Index u = 28; u < 33; ++u)
            counts[static_cast<std::size_t>(v * 33 + u)] = 30000;
    write(7, 0, counts);
    EXPECT_NO_THROW(readRows(openScan(m_scan), 7, {3, 5}));
}

TEST_F(JudgedViewsTest, RowsThatShowNothingAreNotAnEmptyView) {
    fill(4, 30000);
    write(4, 33, {29000});
    const OpenScan scan = openScan(m_scan);
    EXPECT_NO_THROW(readRows(scan, 4, {2, 9}));
    EXPECT_TRUE(scan.judged->isGood(4));
    EXPECT_TRUE(findBadViews(m_scan, 2, {}).empty());
}

TEST_F(JudgedViewsTest, DeadPixelsDoNotMakeAnImage) {
    fill(4, 30000);
    write(4, 0, {29000});
    OpenScan scan = openScan(m_scan);
    EXPECT_NO_THROW(readRows(scan, 4, {2, 9}));
    auto calibration = std::make_shared<DetectorCalibration>();
    calibration->rows = 21;
    calibration->columns = 33;
    calibration->dark = HostBuffer<float>(kPixels);
    calibration->flat = HostBuffer<float>(kPixels);
    calibration->bad = HostBuffer<unsigned char>(kPixels);
    for (Index i = 0; i < kPixels; ++i) {
        calibration->dark[i] = 100;
        calibration->flat[i] = 40000;
        calibration->bad[i] = i == 20 * 33 ? 1 : 0;  // the top row's first
    }
    scan.calibration = calibration;
    scan.judged = std::make_shared<JudgedViews>(12);
    EXPECT_ERROR(readRows(scan, 4, {2, 9}), ViewError, "all its usable pixels are 30000");
}

}  // namespace
}  // namespace gantry
