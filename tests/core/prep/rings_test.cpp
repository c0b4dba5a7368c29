#include "core/prep/rings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/prep/mirrored_index.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

// Sinograms of a stack with several rows, of which one is looked at.
struct Stack {
    Index views;
    Index rows;
    Index columns;
    std::vector<float> values;

    Stack(Index s, Index v, Index u)
        : views(s), rows(v), columns(u), values(static_cast<std::size_t>(s * v * u)) {}
    [[nodiscard]] Span3<float> span() { return {values.data(), views, rows, columns}; }
};

struct Ellipse {
    double x, y, a, b, turnDeg, density;  // pixels and 1/pixel
};

// Line integrals of ellipses off the axis in a parallel beam over half a turn (Kak and Slaney,
// Principles of Computerized Tomographic Imaging, equation 3.3), their edges as wide as a pixel.
Stack ellipses(Index views, Index columns) {
    const std::vector<Ellipse> all = {{3, -5, 90, 70, 20, 0.010},
                                      {-30, 20, 25, 13, -35, 0.008},
                                      {41, 8, 9, 16, 70, -0.006},
                                      {10, -48, 6, 6, 0, 0.02}};
    constexpr int kSamples = 4;
    Stack stack(views, 3, columns);
    for (Index s = 0; s < views; ++s)
        for (Index u = 0; u < columns; ++u) {
            double sum = 0;
            for (const Ellipse& e : all)
                for (int i = 0; i < kSamples; ++i) {
                    const double angle = kPi * static_cast<double>(s) / static_cast<double>(views);
                    const double at = static_cast<double>(u) - static_cast<double>(columns) / 2 +
                                      (i + 0.5) / kSamples - e.x * std::cos(angle) -
                                      e.y * std::sin(angle);
                    const double turned = angle - radians(e.turnDeg);
                    const double square =
                        std::pow(e.a * std::cos(turned), 2) + std::pow(e.b * std::sin(turned), 2);
                    sum += 2 * e.density * e.a * e.b * std::sqrt(std::max(0.0, square - at * at)) /
                           square / kSamples;
                }
            stack.span()(s, 1, u) = static_cast<float>(sum);
        }
    return stack;
}

// What pixels that are off add to all views; one of them drifts.
Stack stripes(Index views, Index columns) {
    Stack stack(views, 3, columns);
    for (Index s = 0; s < views; ++s) {
        const float drift = 1 + 0.2f * static_cast<float>(s) / static_cast<float>(views);
        for (const Index u : {20, 90, 140, 171})
            stack.span()(s, 1, u) = 0.06f;
        stack.span()(s, 1, 110) = -0.05f * drift;
    }
    return stack;
}

Stack sum(Stack a, const Stack& b) {
    std::ranges::transform(a.values, b.values, a.values.begin(), std::plus());
    return a;
}

// Sum of squared differences.
double energy(const Stack& a, const Stack& b) {
    double all = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i)
        all += std::pow(static_cast<double>(a.values[i]) - static_cast<double>(b.values[i]), 2);
    return all;
}

Stack removed(Stack from, const RingSpec& spec) {
    RingRemover(spec, from.views, from.columns).apply(from.span(), 1);
    return from;
}

struct Case {
    RingSpec spec;
    double minFade;    // of the stripes' energy
    double maxChange;  // of the object, root mean square relative to the object's own
};

const std::vector<Case> kCases = {
    // Sorting leaves part of a stripe where the object's edge comes and goes, and edges alone; the
    // others take all but their blur of a stripe, and of the object what hardly changes over the
    // views.
    {{.method = RingMethod::sorting, .widthPx = 9}, 5, 0.006},
    {{.method = RingMethod::wavelets, .levels = 4}, 9, 0.03},
    {{.method = RingMethod::smoothedMean, .widthPx = 15}, 9, 0.015}};

TEST(Rings, FadeAndTheObjectStays) {
    constexpr Index kViews = 91;
    constexpr Index kColumns = 257;
    const Stack clean = ellipses(kViews, kColumns);
    const Stack bad = stripes(kViews, kColumns);
    const Stack nothing(kViews, 3, kColumns);
    for (const Case& one : kCases) {
        const Stack object = removed(clean, one.spec);
        const double fade =
            energy(bad, nothing) / energy(removed(sum(clean, bad), one.spec), object);
        const double change = std::sqrt(energy(object, clean) / energy(clean, nothing));
        EXPECT_GT(fade, one.minFade) << name(one.spec.method);
        EXPECT_LT(change, one.maxChange) << name(one.spec.method);
        for (Index s = 0; s < kViews; ++s)
            for (const Index row : {0, 2})
                EXPECT_EQ(Stack(object).span()(s, row, 5), 0.0f) << "a row beside it";
    }
}

TEST(Rings, AConstantSinogramStays) {
    for (const Case& one : kCases)
        for (const auto& [views, columns] : {std::pair<Index, Index>{37, 43}, {1, 5}, {40, 1}}) {
            Stack flat(views, 3, columns);
            std::ranges::fill(flat.values, 0.75f);
            for (const float value : removed(flat, one.spec).values)
                // Ten products, rounded, at each of four scales.
                EXPECT_NEAR(value, 0.75f, 40 * 0.75f * 6e-8f) << name(one.spec.method);
        }
}

// A sinogram with stripes and ties, as the numbers of the test below are made of.
Stack pattern(Index views, Index columns) {
    Stack stack(views, 3, columns);
    for (Index s = 0; s < views; ++s)
        for (Index u = 0; u < columns; ++u)
            stack.span()(s, 1, u) =
                static_cast<float>((s * 7 + u * 3) % 11 + (u % 5 == 2 ? 3 : 0)) * 0.125f;
    return stack;
}

TEST(Rings, WaveletsAreThoseOfAFullTransform) {
    // dwt2, fft of the vertical band and idwt2 of PyWavelets 1.8 and NumPy in double ("db5",
    // symmetric ends, two levels, sigma 1.5).
    struct Value {
        Index view, column;
        double expected;
    };
    const std::vector<Value> values = {{0, 0, 0.08804890063},   {0, 7, 1.20456089086},
                                       {11, 12, 0.45017514430}, {22, 28, 1.04833003281},
                                       {17, 2, 0.52866474842},  {5, 20, 0.99408313283}};
    Stack found =
        removed(pattern(23, 29), {.method = RingMethod::wavelets, .levels = 2, .dampCycles = 1.5});
    for (const Value& value : values)
        // Sums of about a hundred products of numbers around 1, rounded to float.
        EXPECT_NEAR(found.span()(value.view, 1, value.column), value.expected, 1e-5);
}

// Values of both signs, of which some are equal.
Stack randomStack(Index views, Index columns) {
    std::mt19937 random(static_cast<unsigned>(views * 100 + columns));
    std::uniform_int_distribution<int> steps(-40, 40);
    Stack stack(views, 3, columns);
    for (Index s = 0; s < views; ++s)
        for (Index u = 0; u < columns; ++u)
            stack.span()(s, 1, u) = 0.01f * static_cast<float>(steps(random));
    return stack;
}

// The definition, value by value.
Stack medianOfEqualRanks(Stack from, Index width) {
    std::vector<std::vector<Index>> order(static_cast<std::size_t>(from.columns));  // [u][rank]
    for (Index u = 0; u < from.columns; ++u) {
        auto& views = order[static_cast<std::size_t>(u)];
        views.resize(static_cast<std::size_t>(from.views));
        std::iota(views.begin(), views.end(), 0);
        std::ranges::stable_sort(views, {}, [&](Index s) { return from.span()(s, 1, u); });
    }
    Stack to = from;
    for (std::size_t rank = 0; std::ssize(order[0]) > static_cast<Index>(rank); ++rank)
        for (Index u = 0; u < from.columns; ++u) {
            std::vector<float> window;
            for (Index i = u - width / 2; i <= u + width / 2; ++i) {
                const Index column = mirroredIndex(i, from.columns);
                window.push_back(
                    from.span()(order[static_cast<std::size_t>(column)][rank], 1, column));
            }
            std::ranges::sort(window);
            to.span()(order[static_cast<std::size_t>(u)][rank], 1, u) =
                window[static_cast<std::size_t>(width / 2)];
        }
    return to;
}

TEST(Rings, SortingTakesTheMedianOfEqualRanks) {
    for (const PrepLanes* lanes : supportedPrepLanes())
        for (const auto& [views, columns, width] : {std::array<Index, 3>{23, 29, 7},
                                                    {12, 3, 7},
                                                    {1, 40, 5},
                                                    {45, 1, 3},
                                                    {2, 17, 1},
                                                    {67, 53, 21}}) {
            Stack from = randomStack(views, columns);
            const Stack expected = medianOfEqualRanks(from, width);
            RingRemover(*lanes, {.method = RingMethod::sorting, .widthPx = width}, views, columns)
                .apply(from.span(), 1);
            EXPECT_EQ(from.values, expected.values)
                << lanes->name << ": " << views << " views of " << columns << " columns";
        }
}

TEST(Rings, SmoothedMeanTakesTheSameOffAllViews) {
    Stack from = pattern(23, 29);
    Stack found = removed(from, {.method = RingMethod::smoothedMean, .widthPx = 5});
    const auto mean = [&](Index u) {
        double all = 0;
        for (Index s = 0; s < 23; ++s)
            all += static_cast<double>(from.span()(s, 1, mirroredIndex(u, 29)));
        return all / 23;
    };
    for (const Index u : {0, 1, 14, 28}) {
        const double smooth = (mean(u - 2) + mean(u - 1) + mean(u) + mean(u + 1) + mean(u + 2)) / 5;
        for (Index s = 0; s < 23; ++s)
            // One difference of floats around 1.
            EXPECT_NEAR(found.span()(s, 1, u),
                        static_cast<double>(from.span()(s, 1, u)) - mean(u) + smooth, 2e-7);
    }
}

TEST(Rings, MirrorsRepeatTheLastSample) {
    const std::vector<Index> expected = {1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0};
    for (Index i = -5; i <= 5; ++i)
        EXPECT_EQ(mirroredIndex(i, 3), expected[static_cast<std::size_t>(i + 5)]) << i;
    EXPECT_EQ(mirroredIndex(-7, 1), 0);
}

TEST(Rings, MethodsHaveNames) {
    EXPECT_EQ(name(RingMethod::none), "none");
    EXPECT_EQ(name(RingMethod::smoothedMean), "smoothed-mean");
}

}  // namespace
}  // namespace gantry
