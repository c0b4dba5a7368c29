#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "core/io/memory_source.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/open_scan.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

// Few pixels whose values are known: 5 rows of 7 columns.
class FewPixels : public testing::Test {
  protected:
    static constexpr Index kViews = 8;
    static constexpr Index kRows = 5;
    static constexpr Index kColumns = 7;

    void SetUp() override {
        m_geometry.trajectory =
            ParallelBeam{{.startDeg = 0, .arcDeg = 180, .views = kViews, .anglesDeg = {}}};
        m_geometry.detector = {.columns = kColumns, .rows = kRows, .pitchMm = {1, 1}};
        m_calibration->rows = kRows;
        m_calibration->columns = kColumns;
        m_calibration->dark = HostBuffer<float>(kRows * kColumns);
        m_calibration->flat = HostBuffer<float>(kRows * kColumns);
        m_calibration->bad = HostBuffer<unsigned char>(kRows * kColumns);
        std::ranges::fill(m_calibration->dark.span(), 100.0F);
        std::ranges::fill(m_calibration->flat.span(), 50100.0F);
        std::ranges::fill(m_calibration->bad.span(), static_cast<unsigned char>(0));
        for (Index s = 0; s < kViews; ++s)
            for (Index v = 0; v < kRows; ++v)
                for (Index u = 0; u < kColumns; ++u)
                    views()(s, v, u) = static_cast<float>(1000 + 100 * v + u);
    }
    Span3<float> views() { return {m_pixels.data(), kViews, kRows, kColumns}; }
    [[nodiscard]] OpenScan open(ProjectionKind kind = ProjectionKind::counts) {
        return openScan(m_geometry, std::make_shared<MemorySource>(views()), kind, m_calibration);
    }
    static std::vector<float> read(const OpenScan& scan, Index view) {
        std::vector<float> pixels(static_cast<std::size_t>(scan.stored.rows * scan.stored.columns));
        readView(*scan.source, view, pixels);
        return pixels;
    }
    void kill(Index v, Index u) {
        m_calibration->bad[v * kColumns + u] = 1;
        m_calibration->flat[v * kColumns + u] = kNoNumber;
    }

    HostBuffer<float> m_pixels{kViews * kRows * kColumns};
    ScanGeometry m_geometry;
    std::shared_ptr<DetectorCalibration> m_calibration = std::make_shared<DetectorCalibration>();
};

TEST_F(FewPixels, BecomeTheirMeans) {
    const OpenScan scan = selected(open(), {.bin = 2});
    EXPECT_EQ(read(scan, 0), (std::vector<float>{1050.5F, 1052.5F, 1054.5F,  //
                                                 1250.5F, 1252.5F, 1254.5F}));
    EXPECT_EQ(scan.description.geometry.detector.columns, 3);
    EXPECT_EQ(scan.calibration->flat[5], 50100);
    EXPECT_EQ(scan.stored.pixelType, PixelType::float32);
    // Once is enough, and 1 is none.
    EXPECT_EQ(selected(scan, {.bin = 2}).source, scan.source);
    const OpenScan stored = open();
    EXPECT_EQ(selected(stored, {.bin = 1}).source, stored.source);
    // Some of the rows.
    std::vector<float> row(3);
    scan.source->readRows(0, {1, 2}, std::as_writable_bytes(std::span(row)));
    EXPECT_EQ(row, (std::vector<float>{1250.5F, 1252.5F, 1254.5F}));
}

TEST_F(FewPixels, OfAPartAreThoseOfTheFiles) {
    kill(2, 4);
    const OpenScan scan = selected(open(), {.crop = {1, 1, 6, 5}});
    EXPECT_EQ(scan.stored.columns, 5);
    EXPECT_EQ(scan.stored.rows, 4);
    EXPECT_EQ(scan.description.geometry.detector.rows, 4);
    const std::vector<float> pixels = read(scan, 0);
    EXPECT_EQ(std::vector<float>(pixels.begin(), pixels.begin() + 5),
              (std::vector<float>{1101, 1102, 1103, 1104, 1105}));
    EXPECT_EQ(pixels[19], 1405);
    EXPECT_EQ(scan.calibration->bad[5 + 3], 1);
    EXPECT_EQ(scan.calibration->flat[5 + 2], 50100);
    // Some of the rows, and averages in the part, without the dead pixel.
    std::vector<float> row(5);
    scan.source->readRows(0, {2, 3}, std::as_writable_bytes(std::span(row)));
    EXPECT_EQ(row, (std::vector<float>{1301, 1302, 1303, 1304, 1305}));
    const std::vector<float> larger = read(selected(open(), {.crop = {1, 1, 6, 5}, .bin = 2}), 0);
    ASSERT_EQ(larger.size(), 4U);
    EXPECT_EQ(larger[0], 1151.5F);
    EXPECT_NEAR(larger[1], (1103 + 1104 + 1203) / 3.0, 1e-3);
    EXPECT_EQ(larger[3], 1353.5F);
}

TEST_F(FewPixels, ThatAreDeadDoNotCount) {
    kill(0, 0);
    for (const Index u : {4, 5}) {
        kill(2, u);
        kill(3, u);
    }
    views()(0, 0, 0) = 60000;
    const OpenScan scan = selected(open(), {.bin = 2});
    EXPECT_NEAR(read(scan, 0)[0], (1001 + 1100 + 1101) / 3.0, 1e-3);
    EXPECT_NEAR(scan.calibration->flat[0], 50100, 1e-2);
    EXPECT_EQ(
        std::vector<int>(scan.calibration->bad.span().begin(), scan.calibration->bad.span().end()),
        (std::vector<int>{0, 0, 0, 0, 0, 1}));
}

TEST_F(FewPixels, WithoutANumberDoNotCount) {
    views()(2, 1, 2) = kNoNumber;
    const OpenScan scan = selected(open(ProjectionKind::attenuation), {.bin = 2});
    EXPECT_NEAR(read(scan, 2)[1], (1002 + 1003 + 1103) / 3.0, 1e-3);
    EXPECT_EQ(read(scan, 3)[1], 1052.5F);
}

// A row of a view that was lost would otherwise halve the counts of the larger pixels.
TEST_F(FewPixels, OfALostRowComeFromTheViewsBesideIt) {
    for (Index u = 0; u < kColumns; ++u)
        views()(3, 1, u) = 0;
    const OpenScan scan = selected(open(), {.bin = 2});
    EXPECT_EQ(read(scan, 3), read(scan, 2));
    EXPECT_NE(scan.asInFiles().missing->note().find("View 3 has rows"), std::string::npos);
}

TEST_F(FewPixels, StayBinnedWithOtherRowsAndWithCorrections) {
    const OpenScan scan = withRows(selected(open(), {.bin = 2}), FilterRows::upright);
    EXPECT_EQ(scan.geometry.detector.columns, 3);
    EXPECT_EQ(read(scan, 0)[0], 1050.5F);
    Corrections zingers;
    zingers.zingers.ratio = 1.5;
    const OpenScan changed = corrected(scan, zingers);
    EXPECT_EQ(changed.source->info().columns, 3);
    EXPECT_EQ(changed.corrections.pixels.bin, 2);
    zingers.pixels.bin = 2;
    EXPECT_EQ(corrected(open(), zingers).source->info().columns, 3);
}

TEST_F(FewPixels, AreTheSameWhicheverThreadReadsThem) {
    const OpenScan scan = selected(open(), {.bin = 2});
    const std::vector<float> expected = read(scan, 5);
    std::vector<std::vector<float>> found(4);
    {
        std::vector<std::jthread> threads;
        for (std::vector<float>& pixels : found)
            threads.emplace_back([&] {
                for (int i = 0; i < 50; ++i)
                    pixels = read(scan, 5);
            });
    }
    for (const std::vector<float>& pixels : found)
        EXPECT_EQ(pixels, expected);
}

TEST_F(FewPixels, AreNotEnough) {
    EXPECT_ERROR((void)selected(open(), {.bin = 6}), InputError, "prep.bin is 6 pixels");
}

}  // namespace
}  // namespace gantry
