#include "core/scan/stuck_pixels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/io/memory_source.h"
#include "tests/support/random_values.h"

namespace gantry {
namespace {

constexpr Index kStuckTestViews = 12;
constexpr Index kStuckTestRows = 40;
constexpr Index kStuckTestColumns = 64;

// A disc off the axis, in rows 8 to 32, over whose upper and lower edges there is air.
class StuckPixels : public testing::Test {
  protected:
    void SetUp() override {
        m_calibration.rows = kStuckTestRows;
        m_calibration.columns = kStuckTestColumns;
        m_calibration.dark = HostBuffer<float>(kStuckTestRows * kStuckTestColumns);
        m_calibration.flat = HostBuffer<float>(kStuckTestRows * kStuckTestColumns);
        std::ranges::fill(m_calibration.dark.span(), 100.0F);
    }
    // sd: of the noise, in counts
    void expose(float sd) {
        std::mt19937 random(7);
        test::NormalValues<float> noise;
        const auto counts = [&](Index v, Index u, double integral) {
            const double open = 20000 + 30 * static_cast<double>(u) - 20 * static_cast<double>(v);
            return std::round(static_cast<float>(100 + open * std::exp(-integral)) +
                              sd * noise(random));
        };
        for (Index v = 0; v < kStuckTestRows; ++v)
            for (Index u = 0; u < kStuckTestColumns; ++u)
                m_calibration.flat[v * kStuckTestColumns + u] = counts(v, u, 0);
        for (Index s = 0; s < kStuckTestViews; ++s)
            for (Index v = 0; v < kStuckTestRows; ++v)
                for (Index u = 0; u < kStuckTestColumns; ++u)
                    views()(s, v, u) = counts(v, u, integralOf(s, v, u));
    }
    [[nodiscard]] static double integralOf(Index s, Index v, Index u) {
        if (v < 8 || v >= 32) return 0;
        const double middle = 31.5 + 8 * std::sin(0.5 * static_cast<double>(s));
        const double off = static_cast<double>(u) - middle;
        return off * off >= 324 ? 0 : 0.05 * 2 * std::sqrt(324 - off * off);
    }
    Span3<float> views() {
        return {m_pixels.data(), kStuckTestViews, kStuckTestRows, kStuckTestColumns};
    }
    // One value in the flat field and in all views, or what the flat field has where it is 0.
    void stick(IndexRange columns, IndexRange rows, float value) {
        for (Index v = rows.begin; v < rows.end; ++v)
            for (Index u = columns.begin; u < columns.end; ++u) {
                float& flat = m_calibration.flat[v * kStuckTestColumns + u];
                if (value > 0) flat = value;
                for (Index s = 0; s < kStuckTestViews; ++s)
                    views()(s, v, u) = flat;
            }
    }
    std::string mark() {
        const Span3<const float> pixels(m_pixels.data(), kStuckTestViews, kStuckTestRows,
                                        kStuckTestColumns);
        return markStuckPixels(MemorySource(pixels), m_calibration);
    }
    [[nodiscard]] Index dead() const {
        return std::ranges::count(m_calibration.bad.span(), static_cast<unsigned char>(1));
    }

    std::vector<float> m_pixels = std::vector<float>(
        static_cast<std::size_t>(kStuckTestViews * kStuckTestRows * kStuckTestColumns));
    DetectorCalibration m_calibration;
};

TEST_F(StuckPixels, WholeRowsAndBlocksAtAnOrdinaryValueAreDead) {
    for (const float sd : {0.0F, 40.0F}) {
        SCOPED_TRACE(sd);
        SetUp();
        expose(sd);
        stick({0, kStuckTestColumns}, {18, 24}, 9000);
        stick({28, 34}, {10, 14}, 15000);
        EXPECT_EQ(mark(),
                  "408 detector pixels in columns 0 to 63 and rows 10 to 23 (from the bottom) have "
                  "one value in the flat field and in all views that were looked at: they are "
                  "taken for dead, and interpolated from the pixels around.");
        EXPECT_EQ(dead(), 6 * kStuckTestColumns + 24);
        m_calibration.bad = {};
    }
}

// Each pixel has its own value, which differs from its neighbours' by noise alone.
TEST_F(StuckPixels, RowsThatKeepTheirFlatFieldAreDeadWhereThereIsNoise) {
    expose(40);
    stick({0, kStuckTestColumns}, {18, 24}, 0);
    EXPECT_NE(mark(), "");
    EXPECT_EQ(dead(), 6 * kStuckTestColumns);
}

TEST_F(StuckPixels, OnePixelIsEnough) {
    expose(40);
    stick({30, 31}, {20, 21}, 12000);
    EXPECT_NE(mark().find("1 detector pixel in column 30 and row 20 (from the bottom) has one"),
              std::string::npos);
    EXPECT_EQ(dead(), 1);
}

TEST_F(StuckPixels, AirWithoutNoiseIsAlive) {
    expose(0);
    EXPECT_EQ(mark(), "");
    EXPECT_EQ(dead(), 0);
}

// Air between two objects, in all columns.
TEST_F(StuckPixels, AirBetweenObjectsIsAlive) {
    expose(0);
    stick({0, kStuckTestColumns}, {16, 24}, 0);
    EXPECT_EQ(mark(), "");
    EXPECT_EQ(dead(), 0);
}

TEST_F(StuckPixels, NoiseAloneLeavesNone) {
    expose(2);
    EXPECT_EQ(mark(), "");
    EXPECT_EQ(dead(), 0);
}

}  // namespace
}  // namespace gantry
