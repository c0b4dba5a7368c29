#include "gpu/kernels/prepare/prepare_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/filter/row_extension.h"
#include "core/prep/line_integrals.h"

namespace gantry {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Prepared {
    std::vector<float> values;
    InvalidPixels invalidPixels;
};

void count(InvalidPixels& counts, gpu::InvalidKind kind) {
    if (kind == gpu::InvalidKind::bad) ++counts.bad;
    if (kind == gpu::InvalidKind::notFinite) ++counts.notFinite;
    if (kind == gpu::InvalidKind::saturated) ++counts.saturated;
    if (kind == gpu::InvalidKind::zero) ++counts.zero;
    if (kind == gpu::InvalidKind::negative) ++counts.negative;
}

// A row as the device prepares it, one pixel after the other.
template <gpu::Preparation preparation>
Prepared prepareRow(const gpu::StoredRow<float, preparation>& row, int columns) {
    const int words = gpu::wordsOf(columns);
    std::vector<std::uint32_t> good(static_cast<std::size_t>(words));
    Prepared result;
    result.invalidPixels.pixels = columns;
    bool isAnyGood = false;
    const auto mark = [&](int u) {
        good[static_cast<std::size_t>(u / 32)] |= std::uint32_t{1} << (u % 32);
    };
    for (int u = 0; u < columns; ++u) {
        const gpu::JudgedPixel pixel = row.judge(u);
        count(result.invalidPixels, pixel.invalid);
        if (pixel.isUsable) mark(u);
        isAnyGood |= pixel.isUsable;
    }
    for (int u = 0; u < columns && !isAnyGood; ++u)
        if (row.isOpaque(u)) mark(u);
    for (int u = 0; u < columns; ++u)
        result.values.push_back(gpu::filledValue(row, good.data(), words, u, !isAnyGood));
    return result;
}

void expectNear(const std::vector<float>& values, const std::vector<float>& expected, int columns) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        // Both logarithms are good to two units in the last place; the one of core/prep is that of
        // a sum of terms up to ln 2 times the exponent.
        const double tolerance = 5e-7 * std::max(1.0, std::abs(static_cast<double>(expected[i])));
        ASSERT_NEAR(values[i], expected[i], tolerance) << "column " << i << " of " << columns;
    }
}

struct Detector {
    DetectorCalibration calibration;
    std::vector<float> netSignal;  // as the engine makes it
};

// One row with dead, listed, dim and ordinary pixels.
Detector randomDetector(std::mt19937& random, Index columns, double badShare) {
    std::uniform_real_distribution<float> uniform(0, 1);
    Detector detector;
    DetectorCalibration& calibration = detector.calibration;
    calibration.rows = 1;
    calibration.columns = columns;
    calibration.dark = HostBuffer<float>(columns);
    calibration.flat = HostBuffer<float>(columns);
    for (Index u = 0; u < columns; ++u) {
        calibration.dark[u] = 90 + 20 * uniform(random);
        const bool isDim = uniform(random) < 0.1F;
        calibration.flat[u] = calibration.dark[u] + (isDim ? 0.5F : 20000) * (1 + uniform(random));
        if (static_cast<double>(uniform(random)) < badShare / 2) calibration.flat[u] = 50;
    }
    markDeadPixels(calibration);
    std::vector<unsigned char> listed(static_cast<std::size_t>(columns));
    for (unsigned char& pixel : listed)
        pixel = static_cast<double>(uniform(random)) < badShare / 2;
    mergeBadPixels(calibration, listed);
    calibration.saturation = 30000;
    for (Index u = 0; u < columns; ++u)
        detector.netSignal.push_back(
            calibration.bad[u] != 0 ? 0 : calibration.flat[u] - calibration.dark[u]);
    return detector;
}

// Counts of which a share is what no scan should have.
std::vector<float> randomCounts(std::mt19937& random, const Detector& detector, double oddShare) {
    std::uniform_real_distribution<double> uniform(0, 1);
    std::uniform_int_distribution<int> kind(0, 7);
    std::vector<float> counts;
    for (std::size_t u = 0; u < detector.netSignal.size(); ++u) {
        const float dark = detector.calibration.dark[static_cast<Index>(u)];
        const float odd[] = {kNan,      kInf, -kInf, dark,
                             dark - 20, 0,    40000, std::nextafter(dark, kInf)};
        counts.push_back(uniform(random) < oddShare
                             ? odd[kind(random)]
                             : static_cast<float>(101 + std::floor(29000 * uniform(random))));
    }
    return counts;
}

TEST(PrepareMath, CountsBecomeWhatTheCpuMakesOfThem) {
    std::mt19937 random(7);
    for (const double badShare : {0.0, 0.05, 0.7, 1.0}) {
        for (const double oddShare : {0.0, 0.02, 0.6, 1.0}) {
            for (const Index columns : {1, 2, 31, 32, 33, 64, 97, 515, 1237}) {
                const Detector detector = randomDetector(random, columns, badShare);
                std::vector<float> counts = randomCounts(random, detector, oddShare);
                const float offset = columns % 2 == 0 ? 0 : -0.7F;
                const gpu::StoredRow<float, gpu::Preparation::counts> row = {
                    counts.data(), detector.calibration.dark.data(), detector.netSignal.data(),
                    static_cast<float>(*detector.calibration.saturation), offset};
                const Prepared prepared = prepareRow(row, static_cast<int>(columns));
                const InvalidPixels invalid = toLineIntegrals(
                    detector.calibration, 0, {counts.data(), 1, 1, columns}, 0, {offset});
                EXPECT_EQ(prepared.invalidPixels, invalid);
                expectNear(prepared.values, counts, static_cast<int>(columns));
            }
        }
    }
}

TEST(PrepareMath, ARowWithoutAnySignalShowsTheLeastThatCanBeMeasured) {
    Detector detector;
    DetectorCalibration& calibration = detector.calibration;
    calibration.rows = 1;
    calibration.columns = 4;
    calibration.dark = HostBuffer<float>(4);
    calibration.flat = HostBuffer<float>(4);
    detector.netSignal = {1000, 0, 1.5F, 1000};
    for (Index u = 0; u < 4; ++u) {
        calibration.dark[u] = 100;
        calibration.flat[u] = 100 + detector.netSignal[static_cast<std::size_t>(u)];
    }
    markDeadPixels(calibration);
    std::vector<float> counts = {100, 400, 90, kNan};
    const gpu::StoredRow<float, gpu::Preparation::counts> row = {
        counts.data(), calibration.dark.data(), detector.netSignal.data(), kInf};
    const Prepared prepared = prepareRow(row, 4);
    EXPECT_NEAR(prepared.values[0], std::log(1000), 1e-6);
    EXPECT_NEAR(prepared.values[2], std::log(65536), 1e-6);
    EXPECT_NEAR(prepared.values[1], (std::log(1000) + std::log(65536)) / 2, 1e-6);
    EXPECT_EQ(prepared.invalidPixels, toLineIntegrals(calibration, 0, {counts.data(), 1, 1, 4}));
    expectNear(prepared.values, counts, 4);
}

TEST(PrepareMath, AttenuationIsCleanedAsTheCpuDoesIt) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal(1, 2);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (const bool isMasked : {false, true}) {
        for (const double oddShare : {0.0, 0.1, 1.0}) {
            for (const Index columns : {1, 32, 77, 530}) {
                DetectorCalibration calibration;
                calibration.rows = 1;
                calibration.columns = columns;
                std::vector<float> values;
                std::vector<unsigned char> listed;
                std::vector<float> netSignal;
                for (Index u = 0; u < columns; ++u) {
                    const bool isOdd = uniform(random) < oddShare;
                    values.push_back(!isOdd ? normal(random) : uniform(random) < 0.5 ? kNan : kInf);
                    listed.push_back(isMasked && uniform(random) < 0.2);
                    netSignal.push_back(listed.back() != 0 ? 0 : 1);
                }
                if (isMasked) mergeBadPixels(calibration, listed);
                const float offset = columns % 2 == 0 ? 0 : -0.7F;
                const gpu::StoredRow<float, gpu::Preparation::attenuation> row = {
                    values.data(), nullptr, isMasked ? netSignal.data() : nullptr, 0, offset};
                const Prepared prepared = prepareRow(row, static_cast<int>(columns));
                const InvalidPixels invalid =
                    cleanAttenuation(calibration, 0, {values.data(), 1, 1, columns}, {offset});
                EXPECT_EQ(prepared.invalidPixels, invalid);
                // Nothing but copies and the mean of two floats.
                EXPECT_EQ(prepared.values, values) << columns << " columns";
            }
        }
    }
}

// The edge as a warp sums it up, and what is estimated beyond.
TEST(PrepareMath, RowsGoOnBeyondTheirEdgesAsOnTheCpu) {
    std::mt19937 random(11);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (const Index columns : {1, 2, 7, 12, 200}) {
        for (const float slope : {-0.03F, 0.0F, 0.02F}) {
            std::vector<float> row;
            for (Index u = 0; u < columns; ++u)
                row.push_back(0.7F + slope * static_cast<float>(u) + 0.01F * uniform(random));
            const int n = static_cast<int>(std::min(kEdgeColumns, columns));
            float sum = 0;
            float moment = 0;
            for (int i = 0; i < n; ++i) {
                const float place = static_cast<float>(i) - static_cast<float>(n - 1) / 2;
                const float value = row[static_cast<std::size_t>(columns - 1 - i)];
                sum += value * std::abs(value);
                moment += place * value * std::abs(value);
            }
            const gpu::RowEdge edge = gpu::edgeOf(sum, moment, n);
            for (const double perColumn : {0.0, 0.003, 0.2}) {
                std::vector<float> expected(50);
                extendRow(edgeOf(row, true), perColumn, 50, expected.data(), 1);
                for (int k = 1; k <= 50; ++k)
                    // Rounding under the root, where the shadow ends.
                    EXPECT_NEAR(gpu::beyondEdge(edge, static_cast<float>(perColumn), 50, k),
                                expected[static_cast<std::size_t>(k - 1)], 1e-3);
            }
        }
    }
}

}  // namespace
}  // namespace gantry
