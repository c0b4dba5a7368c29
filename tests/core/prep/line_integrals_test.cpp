#include "core/prep/line_integrals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/prep/fast_log.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
constexpr float kEndless = std::numeric_limits<float>::infinity();

DetectorCalibration uniform(Index rows, Index columns, float dark = 100, float flat = 1100) {
    DetectorCalibration calibration;
    calibration.rows = rows;
    calibration.columns = columns;
    calibration.dark = HostBuffer<float>(rows * columns);
    calibration.flat = HostBuffer<float>(rows * columns);
    std::ranges::fill(calibration.dark.span(), dark);
    std::ranges::fill(calibration.flat.span(), flat);
    markDeadPixels(calibration);
    return calibration;
}

// What a row of counts becomes on that detector.
std::vector<float> converted(const DetectorCalibration& calibration, std::vector<float> counts,
                             InvalidPixels* invalid = nullptr) {
    const auto columns = static_cast<Index>(counts.size());
    const InvalidPixels found = toLineIntegrals(calibration, 0, {counts.data(), 1, 1, columns});
    if (invalid) *invalid = found;
    return counts;
}

TEST(FastLog, IsTheLogarithmOverTheWholeRange) {
    double worst = 0;
    // Every 997th float from the smallest normal one to the largest.
    for (std::uint32_t bits = 0x00800000; bits < 0x7f800000; bits += 997) {
        const auto x = std::bit_cast<float>(bits);
        const double expected = std::log(static_cast<double>(x));
        const double ulp =
            std::abs(static_cast<double>(std::nextafter(static_cast<float>(expected), kEndless)) -
                     static_cast<double>(static_cast<float>(expected)));
        worst = std::max(worst, std::abs(static_cast<double>(fastLog(x)) - expected) / ulp);
    }
    EXPECT_LT(worst, 2);
    EXPECT_EQ(fastLog(1), 0);
}

TEST(LineIntegrals, AreTheLogarithmOfTheTransmission) {
    std::mt19937 random(1);
    constexpr Index kRows = 3;
    constexpr Index kColumns = 1237;  // odd, and more than one stretch of the inner loop
    DetectorCalibration calibration = uniform(5, kColumns);
    std::uniform_real_distribution<float> dark(90, 110);
    std::uniform_real_distribution<float> flat(50000, 60000);
    for (Index i = 0; i < 5 * kColumns; ++i) {
        calibration.dark[i] = dark(random);
        calibration.flat[i] = flat(random);
    }
    std::uniform_int_distribution<int> counts(150, 62000);
    std::vector<float> views(2 * kRows * kColumns);
    for (float& value : views)
        value = static_cast<float>(counts(random));
    const std::vector<float> input = views;
    const InvalidPixels invalid =
        toLineIntegrals(calibration, 2, {views.data(), 2, kRows, kColumns});
    EXPECT_EQ(invalid, (InvalidPixels{.pixels = 2 * kRows * kColumns}));
    for (std::size_t i = 0; i < views.size(); ++i) {
        const Index at = static_cast<Index>(i) % (kRows * kColumns) + 2 * kColumns;
        const double d = static_cast<double>(calibration.dark[at]);
        const double expected = -std::log((static_cast<double>(input[i]) - d) /
                                          (static_cast<double>(calibration.flat[at]) - d));
        // Two differences and a quotient, each rounded to float, move the logarithm by 3·2^-24
        // (more where counts nearly equal the dark: 50 of 150 counts), its own rounding by 2^-22.
        EXPECT_NEAR(static_cast<double>(views[i]), expected, 1e-6);
    }
}

TEST(LineIntegrals, InvalidPixelsTakeTheMeanOfTheirNearestGoodNeighbours) {
    const DetectorCalibration calibration = uniform(1, 11);
    InvalidPixels invalid;
    const auto row = converted(
        calibration, {100, 600, 50, kNoValue, 100, 350, 1100, kEndless, 1100, -kEndless, 20},
        &invalid);
    EXPECT_EQ(invalid, (InvalidPixels{.pixels = 11, .zero = 2, .negative = 2, .notFinite = 3}));
    const float half = -std::log(0.5f);
    const float quarter = -std::log(0.25f);
    const float between = (half + quarter) / 2;
    const std::vector<float> expected = {half, half, between, between, between, quarter,
                                         0,    0,    0,       0,       0};
    for (std::size_t i = 0; i < row.size(); ++i)
        EXPECT_NEAR(row[i], expected[i], 1e-6) << i;
}

TEST(LineIntegrals, BadPixelsAreReplacedWhateverTheyShow) {
    DetectorCalibration calibration = uniform(1, 5);
    calibration.flat[0] = 100;  // no net signal
    calibration.flat[4] = 50;   // less than dark: the quotient of two negative differences
    const std::vector<unsigned char> mask = {0, 0, 1, 0, 0};
    mergeBadPixels(calibration, mask);
    InvalidPixels invalid;
    const auto row = converted(calibration, {70, 600, 1e6f, 350, 70}, &invalid);
    EXPECT_EQ(invalid, (InvalidPixels{.pixels = 5, .bad = 3}));
    EXPECT_EQ(row[0], row[1]);
    EXPECT_NEAR(row[2], (row[1] + row[3]) / 2, 1e-6);
    EXPECT_EQ(row[4], row[3]);
}

TEST(LineIntegrals, SaturatedPixelsAreCountedAndKept) {
    DetectorCalibration calibration = uniform(1, 4);
    calibration.saturation = 1000;
    InvalidPixels invalid;
    const auto row = converted(calibration, {999, 1000, 1200, 600}, &invalid);
    EXPECT_EQ(invalid, (InvalidPixels{.pixels = 4, .saturated = 2}));
    EXPECT_NEAR(row[1], -std::log(0.9f), 1e-6);
    EXPECT_NEAR(row[2], -std::log(1.1f), 1e-6);
}

TEST(LineIntegrals, OpaqueRowTakesTheSmallestCount) {
    const DetectorCalibration calibration = uniform(1, 3);
    for (const float value : converted(calibration, {100, 40, kNoValue}))
        EXPECT_NEAR(value, std::log(1000.0f), 1e-5);
    // Transmissions instead of counts: one count would mean no attenuation at all.
    for (const float value : converted(uniform(1, 3, 0, 1), {0, -0.1f, 0}))
        EXPECT_NEAR(value, std::log(65536.0f), 1e-5);
    // Each pixel by its own net signal of 1000, 2000 and 4000.
    DetectorCalibration uneven = uniform(1, 3);
    uneven.flat[1] = 2100;
    uneven.flat[2] = 4100;
    const auto row = converted(uneven, {100, 40, 100});
    EXPECT_NEAR(row[0], std::log(1000.0f), 1e-5);
    EXPECT_NEAR(row[1], std::log(2000.0f), 1e-5);
    EXPECT_NEAR(row[2], std::log(4000.0f), 1e-5);
}

TEST(LineIntegrals, NeverGiveNanOrInf) {
    // A whole bad detector, whole bad rows, and pixels of every kind anywhere.
    std::mt19937 random(4);
    const float tiny = std::numeric_limits<float>::denorm_min();
    const float huge = std::numeric_limits<float>::max();
    const std::vector<float> kinds = {0,        100,       100.001f, 500,   -500, kNoValue,
                                      kEndless, -kEndless, huge,     -huge, tiny, 1e-30f};
    std::uniform_int_distribution<std::size_t> kind(0, kinds.size() - 1);
    for (int round = 0; round < 200; ++round) {
        constexpr Index kColumns = 7;
        DetectorCalibration calibration = uniform(4, kColumns);
        for (Index i = 0; round % 3 > 0 && i < 4 * kColumns; ++i) {
            calibration.dark[i] = kinds[kind(random)];
            calibration.flat[i] = kinds[kind(random)];
        }
        if (round % 2 > 0) markDeadPixels(calibration);
        std::vector<float> view(4 * kColumns);
        for (float& value : view)
            value = kinds[kind(random)];
        std::vector<float> attenuation = view;
        const InvalidPixels invalid =
            toLineIntegrals(calibration, 0, {view.data(), 1, 4, kColumns});
        EXPECT_EQ(invalid.pixels, 4 * kColumns);
        cleanAttenuation(calibration, 0, {attenuation.data(), 1, 4, kColumns});
        for (std::size_t i = 0; i < view.size(); ++i) {
            EXPECT_TRUE(std::isfinite(view[i])) << "round " << round << ", pixel " << i;
            EXPECT_TRUE(std::isfinite(attenuation[i])) << "round " << round << ", pixel " << i;
        }
    }
    DetectorCalibration dead = uniform(1, 3, 100, 100);
    InvalidPixels invalid;
    for (const float value : converted(dead, {500, 600, 700}, &invalid))
        EXPECT_EQ(value, 0);
    EXPECT_EQ(invalid, (InvalidPixels{.pixels = 3, .bad = 3}));
}

TEST(LineIntegrals, AttenuationIsKeptButForHoles) {
    DetectorCalibration calibration;  // a scan without dark and flat images
    calibration.rows = 3;
    calibration.columns = 4;
    std::vector<float> view = {1, kNoValue, 3,        -0.5f,    kEndless, 2,
                               0, kNoValue, kNoValue, kNoValue, kNoValue, kNoValue};
    InvalidPixels invalid = cleanAttenuation(calibration, 0, {view.data(), 1, 3, 4});
    EXPECT_EQ(view, (std::vector<float>{1, 2, 3, -0.5f, 2, 2, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(invalid, (InvalidPixels{.pixels = 12, .notFinite = 7}));

    const std::vector<unsigned char> mask = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    mergeBadPixels(calibration, mask);
    std::vector<float> row = {1, 50, 3, kNoValue};
    invalid = cleanAttenuation(calibration, 0, {row.data(), 1, 1, 4});
    EXPECT_EQ(row, (std::vector<float>{1, 2, 3, 3}));
    EXPECT_EQ(invalid, (InvalidPixels{.pixels = 4, .notFinite = 1, .bad = 1}));
}

TEST(LineIntegrals, RefuseRowsTheCalibrationLacks) {
    const DetectorCalibration calibration = uniform(2, 4);
    std::vector<float> view(12, 500);
    EXPECT_ERROR(toLineIntegrals(calibration, 0, {view.data(), 1, 3, 4}), InternalError,
                 "do not fit");
    EXPECT_ERROR(toLineIntegrals(calibration, 0, {view.data(), 1, 2, 5}), InternalError,
                 "do not fit");
}

TEST(LineIntegrals, FieldsThatChangeOverTheScanAreThoseOfTheView) {
    constexpr Index kColumns = 1237;  // more than one stretch of the inner loop
    std::mt19937 random(9);
    DetectorCalibration changing = uniform(2, kColumns);
    const auto later = [&](double view, float level) {
        LaterField field{view, HostBuffer<float>(2 * kColumns)};
        for (float& value : field.image.span())
            value = level + 50 * static_cast<float>(random() % 100) / 100;
        return field;
    };
    changing.darkView = 2;
    changing.laterDarks.push_back(later(8, 120));
    changing.flatView = 0;
    changing.laterFlats.push_back(later(4, 2000));
    changing.laterFlats.push_back(later(10, 1500));
    ASSERT_TRUE(changing.changes());
    std::vector<float> counts(12 * 2 * kColumns);
    for (float& count : counts)
        count = 200 + static_cast<float>(random() % 300);
    std::vector<float> together = counts;
    (void)toLineIntegrals(changing, 0, {together.data(), 12, 2, kColumns});

    const auto mixed = [](float early, float late, double share) {
        return static_cast<double>(early) +
               share * (static_cast<double>(late) - static_cast<double>(early));
    };
    for (Index view = 0; view < 12; ++view) {
        const auto place = static_cast<double>(view);
        for (Index i = 0; i < 2 * kColumns; ++i) {
            const double dark = mixed(changing.dark[i], changing.laterDarks[0].image[i],
                                      std::clamp((place - 2) / 6, 0.0, 1.0));
            const float middle = changing.laterFlats[0].image[i];
            const double flat = view < 4 ? mixed(changing.flat[i], middle, place / 4)
                                         : mixed(middle, changing.laterFlats[1].image[i],
                                                 std::clamp((place - 4) / 6, 0.0, 1.0));
            const auto at = static_cast<std::size_t>(view * 2 * kColumns + i);
            const double expected =
                -std::log((static_cast<double>(counts[at]) - dark) / (flat - dark));
            ASSERT_NEAR(static_cast<double>(together[at]), expected, 1e-5) << view << " " << i;
        }
        // View by view it is the same.
        std::vector<float> alone(counts.begin() + view * 2 * kColumns,
                                 counts.begin() + (view + 1) * 2 * kColumns);
        (void)toLineIntegrals(changing, 0, {alone.data(), 1, 2, kColumns}, view);
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + view * 2 * kColumns));
    }
}

TEST(LineIntegrals, APlaneIsAddedAsItStandsOverTheDetector) {
    constexpr Index kColumns = 700;  // more than are converted together
    DetectorCalibration calibration = uniform(5, kColumns);
    const BeamOffset plane = {-0.3F, 1e-3F, -0.02F};
    std::vector<float> counts(2 * kColumns, 300.0F);
    (void)toLineIntegrals(calibration, 0, {counts.data(), 1, 2, kColumns});
    std::vector<float> tilted(2 * kColumns, 300.0F);
    (void)toLineIntegrals(calibration, 3, {tilted.data(), 1, 2, kColumns}, 0, plane);
    std::vector<float> attenuation = counts;
    (void)cleanAttenuation(calibration, 3, {attenuation.data(), 1, 2, kColumns}, plane);
    for (Index i = 0; i < 2 * kColumns; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double expected = counts[at] + plane.at(static_cast<double>(i % kColumns),
                                                      3.0 + static_cast<double>(i / kColumns));
        EXPECT_NEAR(tilted[at], expected, 2e-6);
        EXPECT_NEAR(attenuation[at], expected, 2e-6);
    }
}

TEST(LineIntegrals, AnOffsetIsAddedWhereverAPixelMeasuresAnything) {
    const float offset = std::log(0.5F);  // a beam of half the flat field's
    const auto converted = [](bool areCounts, std::vector<float> row, float added) {
        DetectorCalibration calibration = uniform(1, 4);
        calibration.bad = HostBuffer<unsigned char>(4);
        for (Index u = 0; u < 4; ++u)
            calibration.bad[u] = row[static_cast<std::size_t>(u)] == -1 ? 1 : 0;
        const Span3<float> view = {row.data(), 1, 1, 4};
        if (areCounts)
            (void)toLineIntegrals(calibration, 0, view, 0, {added});
        else
            (void)cleanAttenuation(calibration, 0, view, {added});
        return row;
    };
    for (const bool areCounts : {true, false})
        for (const std::vector<float>& row :
             {std::vector<float>{300, 0, -1, 400}, {0, -1, 50, 0}, {-1, -1, -1, -1}}) {
            const bool isDead = row[0] == -1;
            const std::vector<float> plain = converted(areCounts, row, 0);
            const std::vector<float> added = converted(areCounts, row, offset);
            for (std::size_t u = 0; u < 4; ++u)
                EXPECT_NEAR(added[u], plain[u] + (isDead ? 0 : offset), 5e-6) << u;
        }
}

}  // namespace
}  // namespace gantry
