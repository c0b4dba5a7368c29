#include "core/scan/missing_pixels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/io/memory_source.h"
#include "core/scan/view_stages.h"

namespace gantry {
namespace {

constexpr Index kMissingViews = 8;
constexpr Index kMissingRows = 5;
constexpr Index kMissingColumns = 40;
constexpr float kLost = std::numeric_limits<float>::quiet_NaN();

// A pixel's value grows by 10 from view to view, so that it is known what its neighbours give.
float missingValue(Index s, Index v, Index u) {
    return static_cast<float>(1000 + 10 * s + 100 * v + u);
}

class MissingPixelsTest : public testing::Test {
  protected:
    void SetUp() override {
        for (Index s = 0; s < kMissingViews; ++s)
            for (Index v = 0; v < kMissingRows; ++v)
                for (Index u = 0; u < kMissingColumns; ++u)
                    views()(s, v, u) = missingValue(s, v, u);
        m_geometry.trajectory =
            ParallelBeam{{.startDeg = 3, .arcDeg = 180, .views = kMissingViews, .anglesDeg = {}}};
        m_geometry.detector = {.columns = kMissingColumns, .rows = kMissingRows, .pitchMm = {1, 1}};
    }
    Span3<float> views() { return {m_pixels.data(), kMissingViews, kMissingRows, kMissingColumns}; }
    void open() { m_scan.emplace(openScan(m_geometry, std::make_shared<MemorySource>(views()))); }
    // Rows of a view as they are read.
    std::vector<float> read(Index view, IndexRange rows) {
        std::vector<float> values(static_cast<std::size_t>(rows.size() * kMissingColumns));
        readStoredRows(*m_scan, view, rows, std::as_writable_bytes(std::span(values)));
        return values;
    }

    HostBuffer<float> m_pixels{kMissingViews * kMissingRows * kMissingColumns};
    ScanGeometry m_geometry;
    std::optional<OpenScan> m_scan;
};

TEST_F(MissingPixelsTest, OfOneViewComeFromTheViewsBesideIt) {
    for (Index u = 0; u < kMissingColumns; ++u)
        views()(3, 2, u) = kLost;  // a row
    for (Index u = 10; u < 20; ++u)
        views()(5, 1, u) = kLost;  // a part of one
    open();
    EXPECT_EQ(m_scan->missing->note(), "");
    const std::vector<float> all = read(3, {0, kMissingRows});
    for (Index v = 0; v < kMissingRows; ++v)
        for (Index u = 0; u < kMissingColumns; ++u)
            EXPECT_EQ(all[static_cast<std::size_t>(v * kMissingColumns + u)],
                      missingValue(3, v, u));
    EXPECT_EQ(m_scan->missing->note(),
              "View 3 has rows or blocks without usable pixels, which were interpolated from the "
              "views beside it.");
    // Whichever rows are read.
    EXPECT_EQ(read(3, {2, 3})[7], missingValue(3, 2, 7));
    EXPECT_EQ(read(5, {1, 2})[15], missingValue(5, 1, 15));
    EXPECT_EQ(m_scan->missing->note().substr(0, 17), "Views 3, 5 have r");
}

// Two views on: 40 · 2/3 + …, by the distances; at the end of the arc from one side alone.
TEST_F(MissingPixelsTest, AreTakenFromFartherWhereTheNextViewLacksThemToo) {
    for (const Index view : {3, 4, 7})
        for (Index u = 0; u < kMissingColumns; ++u)
            views()(view, 2, u) = kLost;
    open();
    EXPECT_NEAR(read(3, {2, 3})[5], missingValue(3, 2, 5), 1e-3);
    EXPECT_NEAR(read(4, {2, 3})[5], missingValue(4, 2, 5), 1e-3);
    EXPECT_EQ(read(7, {2, 3})[5], missingValue(6, 2, 5));
}

TEST_F(MissingPixelsTest, OfAListInAnyOrderAreTakenByAngle) {
    for (const Index s : {0, 5, 2, 7, 4, 1, 6, 3})
        m_geometry.angles().anglesDeg.push_back(20 * static_cast<double>(s));
    for (Index s = 0; s < kMissingViews; ++s)
        views()(s, 2, 0) = static_cast<float>(5 * m_geometry.angleDeg(s));
    for (Index u = 0; u < 4; ++u)
        views()(4, 2, u) = kLost;  // at 80°
    open();
    EXPECT_EQ(read(4, {2, 3})[0], 400);
}

TEST_F(MissingPixelsTest, OfAllViewsAndSinglePixelsStayForTheViewItself) {
    for (Index s = 0; s < kMissingViews; ++s)
        for (Index u = 0; u < 6; ++u)
            views()(s, 2, u) = kLost;
    views()(3, 4, 30) = kLost;
    open();
    const std::vector<float> all = read(3, {0, kMissingRows});
    for (Index u = 0; u < 6; ++u)
        EXPECT_TRUE(std::isnan(all[static_cast<std::size_t>(2 * kMissingColumns + u)]));
    EXPECT_TRUE(std::isnan(all[4 * kMissingColumns + 30]));
    EXPECT_EQ(m_scan->missing->note(), "");
}

// A row of counts that are all those of the dark field was lost, if the views beside have it.
TEST_F(MissingPixelsTest, ARowOfDarkCountsIsMissing) {
    for (Index u = 0; u < kMissingColumns; ++u)
        views()(3, 2, u) = 100;
    for (Index s = 0; s < kMissingViews; ++s)
        for (Index u = 0; u < kMissingColumns; ++u)
            views()(s, 0, u) = 90;  // opaque in all views
    auto calibration = std::make_shared<DetectorCalibration>();
    calibration->rows = kMissingRows;
    calibration->columns = kMissingColumns;
    calibration->dark = HostBuffer<float>(kMissingRows * kMissingColumns);
    calibration->flat = HostBuffer<float>(kMissingRows * kMissingColumns);
    std::ranges::fill(calibration->dark.span(), 100.0F);
    std::ranges::fill(calibration->flat.span(), 5000.0F);
    m_scan.emplace(openScan(m_geometry, std::make_shared<MemorySource>(views()),
                            ProjectionKind::counts, calibration));
    EXPECT_EQ(read(3, {2, 3})[5], missingValue(3, 2, 5));
    EXPECT_EQ(read(3, {0, 1})[5], 90);
}

TEST_F(MissingPixelsTest, ThatAllViewsLackAreMarkedAsDead) {
    for (Index s = 0; s < kMissingViews; ++s) {
        for (Index v = 1; v < 3; ++v)
            for (Index u = 6; u < 9; ++u)
                views()(s, v, u) = kLost;
        views()(s, 4, 30) = kLost;
    }
    views()(3, 0, 12) = kLost;  // of one view alone
    DetectorCalibration calibration;
    calibration.rows = kMissingRows;
    calibration.columns = kMissingColumns;
    const MemorySource source(views());
    EXPECT_EQ(markMissingInAllViews(source, ProjectionKind::attenuation, calibration),
              "7 detector pixels in columns 6 to 30 and rows 1 to 4 (from the bottom) are missing "
              "in all views that were looked at, as no number: they are taken for dead, and "
              "interpolated from the pixels around.");
    ASSERT_EQ(calibration.bad.count(), kMissingRows * kMissingColumns);
    for (Index v = 0; v < kMissingRows; ++v)
        for (Index u = 0; u < kMissingColumns; ++u) {
            const bool isBad = (v >= 1 && v < 3 && u >= 6 && u < 9) || (v == 4 && u == 30);
            EXPECT_EQ(calibration.bad[v * kMissingColumns + u], isBad ? 1 : 0) << u << ", " << v;
        }
    EXPECT_EQ(markMissingInAllViews(source, ProjectionKind::attenuation, calibration), "");
}

TEST_F(MissingPixelsTest, ARowThatGotNoBeamInAnyViewIsDead) {
    DetectorCalibration calibration;
    calibration.rows = kMissingRows;
    calibration.columns = kMissingColumns;
    calibration.dark = HostBuffer<float>(kMissingRows * kMissingColumns);
    calibration.flat = HostBuffer<float>(kMissingRows * kMissingColumns);
    std::ranges::fill(calibration.dark.span(), 100.0F);
    std::ranges::fill(calibration.flat.span(), 5000.0F);
    for (Index s = 0; s < kMissingViews; ++s)
        for (Index u = 0; u < kMissingColumns; ++u) {
            views()(s, 3, u) = 98;
            if (u < 30) views()(s, 1, u) = 100;  // opaque but for its right end
        }
    const MemorySource source(views());
    EXPECT_NE(markMissingInAllViews(source, ProjectionKind::counts, calibration), "");
    for (Index v = 0; v < kMissingRows; ++v)
        EXPECT_EQ(calibration.bad[v * kMissingColumns + 5], v == 3 ? 1 : 0) << v;
}

}  // namespace
}  // namespace gantry
