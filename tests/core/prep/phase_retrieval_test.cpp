#include "core/prep/phase_retrieval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/fft_length.h"
#include "core/geometry/vec3.h"
#include "core/prep/fast_exp.h"
#include "core/prep/mirrored_index.h"

namespace gantry {
namespace {

constexpr double kWaveMmAtOneKeV = 1.239841984e-6;  // CODATA 2018: h·c = 12.39841984 keV·Å

// How far the filter's kernel reaches, squared: z·δ/µ, mm².
double reachSquared(const PhaseSpec& spec) {
    return spec.distanceMm * spec.deltaOverBeta * kWaveMmAtOneKeV / spec.energyKeV / (4 * kPi);
}

std::vector<float> retrieved(const PhaseSpec& spec, std::array<double, 2> pitchMm, Index rows,
                             Index columns, std::vector<float> view) {
    PhaseRetriever(spec, pitchMm, rows, columns).apply({view.data(), 1, rows, columns});
    return view;
}

// What a transmission of 1 − depth·exp(−r²/(2·width²)), off the centre, becomes on its way by the
// transport of intensity of an object of one material: I = T − (z·δ/µ)·∇²T (Paganin et al. 2002,
// equation 8), the derivatives taken by hand.
TEST(PhaseRetrieval, UndoesThePropagationOfASmoothObject) {
    constexpr Index kRows = 61;
    constexpr Index kColumns = 83;
    constexpr std::array<double, 2> kPitchMm = {0.0013, 0.0009};
    constexpr double kDepth = 0.6;
    constexpr double kWidthMm = 0.006;
    const PhaseSpec spec = {.energyKeV = 20, .distanceMm = 15, .deltaOverBeta = 40};
    const double reach = reachSquared(spec);
    std::vector<float> view;
    std::vector<double> expected;
    double fringe = 0;
    for (Index v = 0; v < kRows; ++v)
        for (Index u = 0; u < kColumns; ++u) {
            const double x = (static_cast<double>(u) - 35) * kPitchMm[0];
            const double y = (static_cast<double>(v) - 33) * kPitchMm[1];
            const double square = (x * x + y * y) / (kWidthMm * kWidthMm);
            const double bell = kDepth * std::exp(-square / 2);
            const double laplacian = -bell * (square - 2) / (kWidthMm * kWidthMm);
            expected.push_back(-std::log(1 - bell));
            view.push_back(static_cast<float>(-std::log(1 - bell - reach * laplacian)));
            fringe = std::max(fringe, std::abs(static_cast<double>(view.back()) - expected.back()));
        }
    EXPECT_GT(fringe, 0.05);
    view = retrieved(spec, kPitchMm, kRows, kColumns, view);
    for (std::size_t i = 0; i < view.size(); ++i)
        // The bell is cut off at the upper and lower ends where it is 2e-6, and transmissions down
        // to 0.4 are sums of a few thousand floats.
        ASSERT_NEAR(view[i], expected[i], 1e-5) << i;
}

// The mean of a view's mirror images, of weights from the sum of the definition.
TEST(PhaseRetrieval, IsTheFilterOfItsMirroredView) {
    const PhaseSpec spec = {.energyKeV = 12, .distanceMm = 80, .deltaOverBeta = 300};
    constexpr std::array<double, 2> kPitchMm = {0.002, 0.003};
    for (const auto& [rows, columns] : {std::array<Index, 2>{5, 9}, {7, 11}, {1, 4}, {6, 1}}) {
        std::vector<float> view;
        for (Index i = 0; i < rows * columns; ++i)
            view.push_back(0.1f * static_cast<float>(i * 7 % 13));
        const Index nV = fftLength(rows);
        const Index nU = fftLength(columns);
        const auto weight = [&](double shiftV, double shiftU) {
            double sum = 0;
            for (Index j = 0; j < 2 * nV; ++j)
                for (Index i = 0; i < 2 * nU; ++i) {
                    const double fV = static_cast<double>(std::min(j, 2 * nV - j)) /
                                      (2 * static_cast<double>(nV) * kPitchMm[1]);
                    const double fU = static_cast<double>(std::min(i, 2 * nU - i)) /
                                      (2 * static_cast<double>(nU) * kPitchMm[0]);
                    const double gain =
                        1 / (1 + 4 * kPi * kPi * reachSquared(spec) * (fV * fV + fU * fU));
                    sum +=
                        gain *
                        std::cos(kPi * static_cast<double>(j) * shiftV / static_cast<double>(nV)) *
                        std::cos(kPi * static_cast<double>(i) * shiftU / static_cast<double>(nU));
                }
            return sum / static_cast<double>(4 * nV * nU);
        };
        std::vector<double> weights;  // [shift of v][shift of u]
        for (Index j = 0; j < 2 * nV; ++j)
            for (Index i = 0; i < 2 * nU; ++i)
                weights.push_back(weight(static_cast<double>(j), static_cast<double>(i)));
        const std::vector<float> found = retrieved(spec, kPitchMm, rows, columns, view);
        for (Index v = 0; v < rows; ++v)
            for (Index u = 0; u < columns; ++u) {
                double sum = 0;
                for (Index j = 0; j < 2 * nV; ++j)
                    for (Index i = 0; i < 2 * nU; ++i) {
                        // Mirrored at the padded view's ends, which is mirrored at the view's own.
                        const Index row = mirroredIndex(mirroredIndex(j, nV), rows);
                        const Index column = mirroredIndex(mirroredIndex(i, nU), columns);
                        const double value = static_cast<double>(
                            view[static_cast<std::size_t>(row * columns + column)]);
                        const Index shift =
                            (v - j + 2 * nV) % (2 * nV) * 2 * nU + (u - i + 2 * nU) % (2 * nU);
                        sum += weights[static_cast<std::size_t>(shift)] * std::exp(-value);
                    }
                // Transmissions of 0.3 and more, as sums of some ten floats.
                EXPECT_NEAR(found[static_cast<std::size_t>(v * columns + u)], -std::log(sum), 2e-6)
                    << rows << " × " << columns;
            }
    }
}

// Cosine transforms by their definition, in double, of a view that is mirrored at its ends.
std::vector<double> filteredByDefinition(const PhaseSpec& spec, std::array<double, 2> pitchMm,
                                         Index rows, Index columns,
                                         const std::vector<float>& view) {
    const Index nV = fftLength(rows);
    const Index nU = fftLength(columns);
    const auto cosine = [](Index k, Index i, Index n) {
        return std::cos(kPi * static_cast<double>(k * (2 * i + 1)) / static_cast<double>(2 * n));
    };
    const auto share = [](Index k, Index n) {
        return (k == 0 ? 1.0 : 2.0) / static_cast<double>(n);
    };
    const auto at = [](Index v, Index u, Index n) { return static_cast<std::size_t>(v * n + u); };
    std::vector<double> alongU(static_cast<std::size_t>(nV * nU));
    for (Index v = 0; v < nV; ++v)
        for (Index k = 0; k < nU; ++k)
            for (Index u = 0; u < nU; ++u)
                alongU[at(v, k, nU)] +=
                    cosine(k, u, nU) *
                    std::exp(-static_cast<double>(
                        view[at(mirroredIndex(v, rows), mirroredIndex(u, columns), columns)]));
    std::vector<double> backAlongV(static_cast<std::size_t>(rows * nU));
    for (Index j = 0; j < nV; ++j)
        for (Index k = 0; k < nU; ++k) {
            double sum = 0;
            for (Index v = 0; v < nV; ++v)
                sum += cosine(j, v, nV) * alongU[at(v, k, nU)];
            const double fU = static_cast<double>(k) / (2 * static_cast<double>(nU) * pitchMm[0]);
            const double fV = static_cast<double>(j) / (2 * static_cast<double>(nV) * pitchMm[1]);
            sum *= share(j, nV) * share(k, nU) /
                   (1 + 4 * kPi * kPi * reachSquared(spec) * (fU * fU + fV * fV));
            for (Index v = 0; v < rows; ++v)
                backAlongV[at(v, k, nU)] += sum * cosine(j, v, nV);
        }
    std::vector<double> result;
    for (Index v = 0; v < rows; ++v)
        for (Index u = 0; u < columns; ++u) {
            double sum = 0;
            for (Index k = 0; k < nU; ++k)
                sum += backAlongV[at(v, k, nU)] * cosine(k, u, nU);
            result.push_back(-std::log(sum));
        }
    return result;
}

TEST(PhaseRetrieval, IsTheSameInAllSimdLanes) {
    const PhaseSpec spec = {.energyKeV = 20, .distanceMm = 50, .deltaOverBeta = 200};
    constexpr std::array<double, 2> kPitchMm = {0.002, 0.003};
    std::mt19937 random(11);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (const auto& [rows, columns] :
         {std::array<Index, 2>{37, 41}, {5, 67}, {64, 3}, {33, 1}, {1, 1}, {7, 131}}) {
        std::vector<float> view(static_cast<std::size_t>(rows * columns));
        std::ranges::generate(view, [&] { return uniform(random); });
        const std::vector<double> expected =
            filteredByDefinition(spec, kPitchMm, rows, columns, view);
        for (const PrepLanes* lanes : supportedPrepLanes()) {
            PhaseRetriever retriever(*lanes, spec, kPitchMm, rows, columns);
            std::vector<float> found = view;
            retriever.apply({found.data(), 1, rows, columns});
            for (std::size_t i = 0; i < view.size(); ++i)
                // Transmissions of 0.4 and more, as sums of floats.
                ASSERT_NEAR(found[i], expected[i], 1e-6)
                    << lanes->name << ": " << rows << " × " << columns;
            // What came before leaves no trace.
            std::vector<float> again = view;
            retriever.apply({again.data(), 1, rows, columns});
            EXPECT_EQ(again, found);
        }
    }
}

TEST(PhaseRetrieval, ExponentialsAreThoseOfTheLibrary) {
    for (float x = -87; x < 88; x += 0.0371f)
        EXPECT_NEAR(fastExp(x) / std::exp(static_cast<double>(x)), 1, 2 * 6e-8) << x;
    EXPECT_EQ(fastExp(0), 1.0f);
    for (const float x : {-1e6f, -88.0f, 89.0f, 1e6f})
        EXPECT_TRUE(std::isnormal(fastExp(x))) << x;
}

TEST(PhaseRetrieval, AConstantViewStaysAndNothingIsInfinite) {
    const PhaseSpec spec = {.energyKeV = 30, .distanceMm = 500, .deltaOverBeta = 1000};
    for (const float value :
         retrieved(spec, {0.001, 0.001}, 13, 22, std::vector<float>(286, 1.25f)))
        // A transmission of 0.29 through transforms that each add a few roundings of 6e-8.
        EXPECT_NEAR(value, 1.25f, 2e-6f);
    std::vector<float> opaque(286, 0.0f);
    opaque[100] = 120;  // beyond the smallest float
    for (const float value : retrieved({.energyKeV = 30, .distanceMm = 0.1, .deltaOverBeta = 1},
                                       {0.001, 0.001}, 13, 22, opaque))
        EXPECT_LE(std::abs(value), 88);  // −ln of the smallest normal float is 87.3
}

}  // namespace
}  // namespace gantry
