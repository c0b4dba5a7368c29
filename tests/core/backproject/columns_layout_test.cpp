#include "core/backproject/columns_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/backproject/simd_kernels.h"

namespace gantry {
namespace {

// Every pixel of the transposition as the layout is described: rows [begin, end) of half 0 are the
// detector's, those of half 1 its rows mirror − v, and all else is zero.
void expectTransposed(const ViewLayout& layout, Index firstRow, Index nV) {
    constexpr Index kViews = 2;
    constexpr Index kColumns = 19;  // no whole block of 16
    std::vector<float> views(static_cast<std::size_t>(kViews * nV * kColumns));
    for (std::size_t i = 0; i < views.size(); ++i)
        views[i] = static_cast<float>(i + 1);
    std::vector<float> out(static_cast<std::size_t>(kViews * layout.viewStride(kColumns)), -7);
    transposeViews({views.data(), kViews, nV, kColumns}, firstRow, layout, out.data(), 2, {});
    std::size_t at = 0;
    for (Index s = 0; s < kViews; ++s)
        for (Index u = -1; u <= kColumns; ++u)
            for (Index half = 0; half < layout.halves; ++half)
                for (Index i = 0; i < layout.halfRows(); ++i, ++at) {
                    const Index v = layout.begin + i - kPadRows;
                    const Index row = (half == 0 ? v : layout.mirror - v) - firstRow;
                    const bool isThere = u >= 0 && u < kColumns && v >= layout.begin &&
                                         v < layout.end && row >= 0 && row < nV;
                    const Index from = (s * nV + row) * kColumns + u;
                    ASSERT_EQ(out[at], isThere ? views[static_cast<std::size_t>(from)] : 0)
                        << "view " << s << ", column " << u << ", half " << half << ", row " << v;
                }
}

TEST(ColumnsLayout, HalvesHoldTheirRowsAndZerosAround) {
    expectTransposed({.begin = 4, .end = 11, .mirror = 16, .halves = 2}, 0, 20);
    expectTransposed({.begin = 4, .end = 11, .mirror = 13, .halves = 2}, 0, 20);
    expectTransposed({.begin = 4, .end = 11, .mirror = 16, .halves = 1}, 0, 20);
}

TEST(ColumnsLayout, RowsThatTheViewsLackAreZero) {
    expectTransposed({.begin = 4, .end = 11, .mirror = 16, .halves = 2}, 6, 5);
    expectTransposed({.begin = 0, .end = 15, .mirror = 17, .halves = 2}, 3, 9);
    expectTransposed({.begin = 4, .end = 9, .mirror = 30, .halves = 2}, 0, 12);
}

}  // namespace
}  // namespace gantry
