#include "core/filter/row_extension.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "core/filter/cpu_filter.h"

namespace gantry {
namespace {

// The shadow of a cylinder, columns from its axis.
float shadow(double fromAxis, double radius, double perColumn) {
    const double square = radius * radius - fromAxis * fromAxis;
    return square > 0 ? static_cast<float>(2 * perColumn * std::sqrt(square)) : 0.0F;
}

std::vector<float> beyond(const RowEdge& edge, double perColumn, Index columns) {
    std::vector<float> values(static_cast<std::size_t>(columns));
    extendRow(edge, perColumn, columns, values.data(), 1);
    return values;
}

// A row of a cylinder about its middle goes on as the cylinder does, on both sides.
TEST(RowExtension, GoesOnAsTheCylinderThatIsCutOff) {
    constexpr double kRadius = 260;
    constexpr double kPerColumn = 0.0031;
    constexpr Index kColumns = 201;
    std::vector<float> row;
    for (Index u = 0; u < kColumns; ++u)
        row.push_back(shadow(static_cast<double>(u) - 100, kRadius, kPerColumn));
    for (const bool isEnd : {false, true}) {
        const RowEdge edge = edgeOf(row, isEnd);
        EXPECT_NEAR(reachOf(edge, kPerColumn), kRadius - 100, 0.05);
        const std::vector<float> values = beyond(edge, kPerColumn, 190);
        for (std::size_t k = 0; k < values.size(); ++k)
            EXPECT_NEAR(values[k], shadow(101 + static_cast<double>(k), kRadius, kPerColumn),
                        k < 155 ? 1e-3 : 0.03)
                << k;
    }
}

TEST(RowExtension, EndsWithTheColumnsThatThereAre) {
    const RowEdge edge = {2.25F, 0.001F, 12};
    ASSERT_GT(reachOf(edge, 0.002), 300);
    const std::vector<float> values = beyond(edge, 0.002, 40);
    EXPECT_GT(values[0], 1.45F);
    EXPECT_LT(values[39], 1e-3F);
    for (std::size_t k = 1; k < values.size(); ++k)
        EXPECT_LE(values[k], values[k - 1]);
}

TEST(RowExtension, FallsLikeACosineWithoutAnAttenuation) {
    const std::vector<float> values = beyond({0.64F, 0.3F, 12}, 0, 3);
    EXPECT_NEAR(values[0], 0.4 * (1 + std::sqrt(0.5)), 1e-6);
    EXPECT_NEAR(values[1], 0.4, 1e-6);
    EXPECT_NEAR(values[2], 0.4 * (1 - std::sqrt(0.5)), 1e-6);
}

// Air is not negative, and what rises towards the edge does not go on rising.
TEST(RowExtension, NeitherRisesNorIsNegative) {
    std::vector<float> row(30);
    for (std::size_t u = 0; u < row.size(); ++u)
        row[u] = 0.02F * static_cast<float>(u);
    const std::vector<float> values = beyond(edgeOf(row, true), 0.01, 20);
    EXPECT_NEAR(values[0], row.back(), 0.03 * row.back());
    for (std::size_t k = 1; k < values.size(); ++k)
        EXPECT_LE(values[k], values[k - 1]);
    for (float& value : row)
        value = -0.01F;
    for (const float value : beyond(edgeOf(row, false), 0.01, 5))
        EXPECT_EQ(value, 0);
    const std::vector<float> single = {0.7F};
    EXPECT_FLOAT_EQ(edgeOf(single, true).square, 0.49F);
}

TEST(RowExtension, BinnedCoversTheSameWidth) {
    EXPECT_EQ(binned({100, 0, 0.002}, 4), (RowExtension{25, 0, 0.008}));
    EXPECT_EQ(binned({101, 7, 0}, 2), (RowExtension{51, 4, 0}));
}

ScanGeometry scanOf(Index columns, double offsetMm) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 450;
    geometry.cone().arcDeg = 360;
    geometry.cone().views = 12;
    geometry.detector = {
        .columns = columns, .rows = 19, .pitchMm = {0.8, 0.8}, .offsetMm = {offsetMm, 0}};
    return geometry;
}

// Filters random rows that go on beyond the edges, and the same rows of a detector that is so wide
// that it measures what is estimated. shown: of the estimated columns, those that are kept
void expectAsOnAWideDetector(double arcDeg, std::array<Index, 2> shown) {
    constexpr Index kColumns = 61;
    const RowExtension extension = {35, 22, 0.004, shown[0], shown[1]};
    const Index kept = shown[0] + kColumns + shown[1];
    constexpr Index kWide = 35 + kColumns + 22;
    ScanGeometry narrow = scanOf(kColumns, 0);
    ScanGeometry wide = scanOf(kWide, (22.0 - 35.0) / 2 * 0.8);
    narrow.cone().arcDeg = wide.cone().arcDeg = arcDeg;
    const RedundancyPlan plan = planRedundancy(narrow, {}, extension);
    RedundancyPlan ofWide = planRedundancy(narrow, {}, extension);
    ofWide.extension = {};

    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(0.4F, 1);
    const Index rows = narrow.detector.rows;
    std::vector<float> measured(static_cast<std::size_t>(12 * rows * kept));
    std::vector<float> all(static_cast<std::size_t>(12 * rows * kWide));
    for (Index i = 0; i < 12 * rows; ++i) {
        float* row = measured.data() + i * kept + shown[0];
        float* wideRow = all.data() + i * kWide;
        for (Index u = 0; u < kColumns; ++u)
            row[u] = uniform(random);
        std::copy_n(row, kColumns, wideRow + 35);
        const std::span<const float> span = {row, static_cast<std::size_t>(kColumns)};
        extendRow(edgeOf(span, false), extension.perColumn, 35, wideRow + 34, -1);
        extendRow(edgeOf(span, true), extension.perColumn, 22, wideRow + 35 + kColumns, 1);
    }
    CpuFilter(alignedViews(narrow, plan), {}, plan, 2)
        .apply({measured.data(), 12, rows, kept}, 0, 0, {});
    // A detector with these columns is not offset, whatever its middle is.
    ofWide.padBefore = ofWide.padAfter = 0;
    CpuFilter(alignedViews(wide, ofWide), {}, ofWide, 2)
        .apply({all.data(), 12, rows, kWide}, 0, 0, {});
    for (Index i = 0; i < 12 * rows; ++i)
        for (Index u = 0; u < kept; ++u)
            ASSERT_EQ(measured[static_cast<std::size_t>(i * kept + u)],
                      all[static_cast<std::size_t>(i * kWide + 35 - shown[0] + u)])
                << i << ", " << u;
}

TEST(RowExtension, IsFilteredAsIfItWereMeasured) {
    expectAsOnAWideDetector(360, {0, 0});
    expectAsOnAWideDetector(220, {0, 0});
    expectAsOnAWideDetector(360, {11, 0});
    expectAsOnAWideDetector(220, {35, 9});
}

// The other side of the turn measures what is beyond the nearer edge of an offset detector.
TEST(RowExtension, LeavesTheNearerEdgeOfAnOffsetDetector) {
    const RowExtension both = {20, 20, 0.004};
    EXPECT_EQ(planRedundancy(scanOf(61, 12), {}, both).extension, (RowExtension{0, 20, 0.004}));
    EXPECT_EQ(planRedundancy(scanOf(61, -12), {}, both).extension, (RowExtension{20, 0, 0.004}));
    EXPECT_EQ(planRedundancy(scanOf(61, 0), {}, both).extension, both);
}

}  // namespace
}  // namespace gantry
