#include "core/phantom/photon_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

struct Frame {
    Index rows;
    Index columns;
    std::vector<float> lineIntegrals, dark, flat;
    std::vector<std::uint16_t> counts;

    Frame(Index nV, Index nU, float p, float darkCounts, float flatCounts) : rows(nV), columns(nU) {
        const auto n = static_cast<std::size_t>(nV * nU);
        lineIntegrals.assign(n, p);
        dark.assign(n, darkCounts);
        flat.assign(n, flatCounts);
        counts.assign(n, 0);
    }

    Index expose(const CountModel& model, Index view) {
        return toCounts(model, view, 0, columns, lineIntegrals, dark, flat, counts);
    }
};

TEST(PhotonNoise, WithoutNoiseCountsAreTheRoundedMean) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> p(-0.1F, 8);
    std::uniform_real_distribution<float> dark(0, 300);
    std::uniform_real_distribution<float> flat(20000, 60000);
    Frame frame(11, 13, 0, 0, 0);
    for (std::size_t i = 0; i < frame.counts.size(); ++i) {
        frame.lineIntegrals[i] = p(random);
        frame.dark[i] = dark(random);
        frame.flat[i] = flat(random);
    }
    EXPECT_EQ(frame.expose({}, 4), 0);
    for (std::size_t i = 0; i < frame.counts.size(); ++i) {
        const double d = static_cast<double>(frame.dark[i]);
        const double mean = d + (static_cast<double>(frame.flat[i]) - d) *
                                    std::exp(-static_cast<double>(frame.lineIntegrals[i]));
        ASSERT_EQ(frame.counts[i], std::lround(mean));
    }
}

TEST(PhotonNoise, ClipsAtSixteenBitsAndSaysHowOften) {
    Frame frame(1, 4, 0, 100, 50000);
    frame.lineIntegrals = {-1, 0, -0.2F, std::numeric_limits<float>::infinity()};
    frame.flat[2] = 65535;
    EXPECT_EQ(frame.expose({}, 0), 2);
    EXPECT_EQ(frame.counts, (std::vector<std::uint16_t>{65535, 50000, 65535, 100}));
}

TEST(PhotonNoise, NoiseDoesNotDependOnHowRowsAreCut) {
    CountModel model;
    model.photonNoise = true;
    model.readoutNoise = 3;
    model.seed = 99;
    Frame whole(9, 17, 0.7F, 100, 30000);
    whole.expose(model, 5);
    Frame part(4, 17, 0.7F, 100, 30000);
    toCounts(model, 5, 3, 17, part.lineIntegrals, part.dark, part.flat, part.counts);
    for (std::size_t i = 0; i < part.counts.size(); ++i)
        EXPECT_EQ(part.counts[i], whole.counts[3 * 17 + i]);
}

TEST(PhotonNoise, ViewsRowsAndSeedsHaveTheirOwnNoise) {
    CountModel model;
    model.photonNoise = true;
    const auto draw = [&](Index view) {
        Frame frame(2, 400, 0, 0, 10000);
        frame.expose(model, view);
        return frame.counts;
    };
    const auto correlation = [](auto a, auto b) {
        double sum = 0;
        for (; a.first != a.second; ++a.first, ++b.first)
            sum += (*a.first - 10000.0) * (*b.first - 10000.0);
        return sum / (400 * 10000.0);
    };
    const auto row = [](const auto& counts, int v) {
        return std::pair(counts.begin() + 400 * v, counts.begin() + 400 * (v + 1));
    };
    const auto first = draw(0);
    const auto second = draw(1);
    model.seed = 2;
    const auto other = draw(0);
    // The correlation of 400 independent pairs has a standard deviation of 1/20; the limit is five.
    EXPECT_NEAR(correlation(row(first, 0), row(first, 1)), 0, 0.25);
    EXPECT_NEAR(correlation(row(first, 0), row(second, 0)), 0, 0.25);
    EXPECT_NEAR(correlation(row(first, 0), row(other, 0)), 0, 0.25);
    EXPECT_NEAR(correlation(row(first, 0), row(first, 0)), 1, 0.4);  // √(2/400) = 0.07, five
}

TEST(PhotonNoise, VarianceFollowsThePhotonsBehindACount) {
    for (const double photonsPerCount : {0.25, 1.0, 8.0}) {
        CountModel model;
        model.photonNoise = true;
        model.photonsPerCount = photonsPerCount;
        model.readoutNoise = 5;
        Frame frame(100, 400, 1, 200, 20000);
        frame.expose(model, 0);
        const double signal = 19800 * std::exp(-1.0);
        double sum = 0, squares = 0;
        for (const auto count : frame.counts) {
            sum += count - 200 - signal;
            squares += (count - 200 - signal) * (count - 200 - signal);
        }
        const double n = 40000;
        const double variance = signal / photonsPerCount + 25 + 1.0 / 12;  // rounding to counts
        EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(variance / n));
        EXPECT_NEAR(squares / n / variance, 1, 5 * std::sqrt(2 / n));
    }
}

// Pearson's χ² of draws against the exact law, cells of fewer than 10 expected draws merged.
double chiSquarePerCell(double mean, int draws) {
    RandomStream random(7, 1, 2);
    const auto top = static_cast<std::size_t>(mean + 12 * std::sqrt(mean) + 12);
    std::vector<int> seen(top + 1);
    for (int i = 0; i < draws; ++i)
        ++seen[std::min(static_cast<std::size_t>(random.poisson(mean)), top)];
    double chi = 0, expected = 0, found = 0;
    int cells = 0;
    for (std::size_t k = 0; k <= top; ++k) {
        const auto count = static_cast<double>(k);
        expected += draws * std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
        found += seen[k];
        if (expected < 10) continue;
        chi += (found - expected) * (found - expected) / expected;
        ++cells;
        expected = found = 0;
    }
    return (chi - cells) / std::sqrt(2.0 * cells);
}

TEST(RandomStream, IsTheSameOnEveryMachine) {
    // The upper 52 bits of each draw, from a Python port of the authors' splitmix64.c and
    // xoshiro256starstar.c that reproduces their published sequences.
    RandomStream random(7, 1, 2);
    for (const double upper : {4388200483154122.0, 1766566895592243.0, 2952510972219224.0,
                               2545358669485853.0, 3363923047342350.0})
        EXPECT_EQ(random.uniform(), std::ldexp(upper + 0.5, -52));
}

TEST(RandomStream, PoissonFollowsItsLawAtEveryMean) {
    // χ² is within five standard deviations of its cells' number.
    for (const double mean : {0.3, 4.0, 9.99, 10.0, 37.5, 400.0, 3000.0})
        EXPECT_NEAR(chiSquarePerCell(mean, 200000), 0, 5) << mean;
}

TEST(RandomStream, PoissonOfNothingIsNothing) {
    RandomStream random(1, 0, 0);
    EXPECT_EQ(random.poisson(0), 0);
    EXPECT_EQ(random.poisson(-3), 0);
    EXPECT_EQ(random.poisson(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(RandomStream, NormalHasUnitVarianceAndTails) {
    RandomStream random(3, 4, 5);
    constexpr int kDraws = 200000;
    double sum = 0, squares = 0;
    int beyondTwo = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double x = random.normal();
        sum += x;
        squares += x * x;
        beyondTwo += std::abs(x) > 2;
    }
    // Five standard deviations of each figure.
    EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));
    EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
    EXPECT_NEAR(beyondTwo / static_cast<double>(kDraws), 0.0455, 5 * std::sqrt(0.0455 / kDraws));
}

TEST(PhotonNoise, RefusesImpossibleDetectors) {
    Frame frame(1, 4, 0, 0, 100);
    CountModel model;
    model.photonsPerCount = 0;
    EXPECT_ERROR(frame.expose(model, 0), InputError, "photons per count are 0");
    model.photonsPerCount = 1;
    model.readoutNoise = -1;
    EXPECT_ERROR(frame.expose(model, 0), InputError, "readout noise is -1");
    model.readoutNoise = 0;
    frame.flat.pop_back();
    EXPECT_ERROR(frame.expose(model, 0), InternalError, "differ in size");
}

}  // namespace
}  // namespace gantry
