#include "core/prep/zingers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace gantry {
namespace {

// A view whose every value is a little off a slope, as of an object's edge with noise.
std::vector<float> noisyView(Index rows, Index columns, double noise) {
    std::mt19937 random(5);
    std::normal_distribution<double> deviation(0, noise);
    std::vector<float> view;
    for (Index v = 0; v < rows; ++v)
        for (Index u = 0; u < columns; ++u)
            view.push_back(static_cast<float>(0.03 * static_cast<double>(u) +
                                              0.01 * static_cast<double>(v) + deviation(random)));
    return view;
}

// The definition, pixel by pixel: every neighbour looked up, its place mirrored at the ends.
std::vector<float> expectedView(const std::vector<float>& view, Index rows, Index columns,
                                const ZingerSpec& spec) {
    const auto mirrored = [](Index i, Index n) {
        while (i < 0 || i >= n)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        return i;
    };
    std::vector<float> out = view;
    for (Index v = 0; v < rows; ++v)
        for (Index u = 0; u < columns; ++u) {
            std::vector<float> square;
            for (Index j = v - spec.widthPx / 2; j <= v + spec.widthPx / 2; ++j)
                for (Index i = u - spec.widthPx / 2; i <= u + spec.widthPx / 2; ++i)
                    square.push_back(view[static_cast<std::size_t>(mirrored(j, rows) * columns +
                                                                   mirrored(i, columns))]);
            std::ranges::sort(square);
            float& own = out[static_cast<std::size_t>(v * columns + u)];
            const float median = square[square.size() / 2];
            if (median - own > static_cast<float>(std::log(spec.ratio))) own = median;
        }
    return out;
}

Index replacedBy(ZingerRemover& remover, Span3<float> view) {
    Index all = 0;
    remover.apply(view, [&](Index, Index replaced) { all += replaced; });
    return all;
}

TEST(Zingers, AreReplacedByTheMedianAroundThem) {
    for (const auto& [rows, columns, width] :
         {std::array<Index, 3>{11, 17, 3}, {2, 9, 3}, {1, 7, 3}, {9, 2, 5}, {13, 8, 7}}) {
        const ZingerSpec spec = {.ratio = 1.05, .widthPx = width};
        // The view is as noisy as the threshold, so that pixels lie on either side of it.
        const std::vector<float> view = noisyView(rows, columns, 0.05);
        const std::vector<float> expected = expectedView(view, rows, columns, spec);
        std::vector<float> found = view;
        ZingerRemover remover(spec, columns);
        const Index replaced = replacedBy(remover, {found.data(), 1, rows, columns});
        EXPECT_EQ(found, expected) << rows << " × " << columns;
        Index changed = 0;
        for (std::size_t i = 0; i < view.size(); ++i)
            changed += view[i] != expected[i] ? 1 : 0;
        EXPECT_EQ(replaced, changed);
        EXPECT_GT(changed, 0);
        // What came before leaves no trace.
        std::vector<float> again = view;
        remover.apply({again.data(), 1, rows, columns});
        EXPECT_EQ(again, expected);
    }
}

TEST(Zingers, OnlyBrightPixelsAreZingers) {
    constexpr Index kRows = 15;
    constexpr Index kColumns = 21;
    const std::vector<float> clean = noisyView(kRows, kColumns, 0.005);
    std::vector<float> view = clean;
    const std::size_t bright = 7 * kColumns + 10;
    const std::size_t corner = kRows * kColumns - 1;
    const std::size_t dark = 3 * kColumns + 4;
    view[bright] -= 0.5f;
    view[bright + 1] -= 0.4f;  // a hit of two pixels
    view[corner] -= 2.0f;
    view[dark] += 0.5f;
    ZingerRemover remover({.ratio = 1.2}, kColumns);
    EXPECT_EQ(replacedBy(remover, {view.data(), 1, kRows, kColumns}), 3);
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (i == dark)
            EXPECT_EQ(view[i], clean[i] + 0.5f);
        else if (i == bright || i == bright + 1 || i == corner)
            // The slope over one pixel and three deviations of the noise, twice.
            EXPECT_NEAR(view[i], clean[i], 0.04 + 6 * 0.005);
        else
            EXPECT_EQ(view[i], clean[i]);
    }
    EXPECT_EQ(replacedBy(remover, {view.data(), 1, kRows, kColumns}), 0);
}

}  // namespace
}  // namespace gantry
