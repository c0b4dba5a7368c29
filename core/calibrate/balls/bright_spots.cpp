#include "core/calibrate/balls/bright_spots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/median.h"
#include "core/base/types.h"

namespace gantry {

namespace {

// Sums over rectangles from four lookups.
class Sums {
  public:
    explicit Sums(Span3<const float> view)
        : m_columns(view.size(2) + 1),
          m_sums(static_cast<std::size_t>((view.size(1) + 1) * m_columns)) {
        for (Index v = 0; v < view.size(1); ++v) {
            double row = 0;
            for (Index u = 0; u < view.size(2); ++u) {
                row += view(0, v, u);
                at(u + 1, v + 1) = at(u + 1, v) + row;
            }
        }
    }

    // Mean of the pixels at most `half` from (u, v).
    [[nodiscard]] double mean(Index u, Index v, const std::array<Index, 2>& half) const {
        const Index u0 = u - half[0], u1 = u + half[0] + 1;
        const Index v0 = v - half[1], v1 = v + half[1] + 1;
        return (at(u1, v1) - at(u0, v1) - at(u1, v0) + at(u0, v0)) /
               static_cast<double>((u1 - u0) * (v1 - v0));
    }

  private:
    [[nodiscard]] double at(Index u, Index v) const { return m_sums[v * m_columns + u]; }
    double& at(Index u, Index v) { return m_sums[v * m_columns + u]; }

    Index m_columns;
    std::vector<double> m_sums;
};

// Strengths on a grid of places, some pixels apart.
struct StrengthGrid {
    Index columns = 0;
    Index rows = 0;
    std::array<Index, 2> first = {0, 0};
    std::array<Index, 2> step = {1, 1};
    std::vector<float> strengths;  // [v][u]

    [[nodiscard]] float at(Index u, Index v) const { return strengths[v * columns + u]; }
};

StrengthGrid strengthsOf(Span3<const float> view, std::array<double, 2> pitchMm, double radiusMm) {
    std::array<Index, 2> half{}, away{};
    StrengthGrid grid;
    for (std::size_t i = 0; i < 2; ++i) {
        const double radius = radiusMm / pitchMm[i];
        half[i] = std::max<Index>(0, std::lround(0.5 * radius - 0.25));
        away[i] = static_cast<Index>(std::ceil(radius + 0.5)) + half[i] + 1;
        grid.step[i] = std::max<Index>(1, half[i] / 2);
        grid.first[i] = away[i] + half[i];
    }
    grid.columns = std::max<Index>(0, (view.size(2) - 2 * grid.first[0] - 1) / grid.step[0] + 1);
    grid.rows = std::max<Index>(0, (view.size(1) - 2 * grid.first[1] - 1) / grid.step[1] + 1);
    if (view.size(2) <= 2 * grid.first[0] || view.size(1) <= 2 * grid.first[1]) return {};
    grid.strengths.resize(grid.columns * grid.rows);
    const Sums sums(view);
    // The places about it lie on a circle.
    const std::array<Index, 2> oblique = {std::lround(0.75 * static_cast<double>(away[0])),
                                          std::lround(0.75 * static_cast<double>(away[1]))};
    for (Index j = 0; j < grid.rows; ++j)
        for (Index i = 0; i < grid.columns; ++i) {
            const Index u = grid.first[0] + i * grid.step[0];
            const Index v = grid.first[1] + j * grid.step[1];
            double about =
                std::max(sums.mean(u - away[0], v, half), sums.mean(u + away[0], v, half));
            about =
                std::max({about, sums.mean(u, v - away[1], half), sums.mean(u, v + away[1], half)});
            for (const Index side : {Index{-1}, Index{1}})
                for (const Index up : {Index{-1}, Index{1}})
                    about = std::max(about,
                                     sums.mean(u + side * oblique[0], v + up * oblique[1], half));
            grid.strengths[j * grid.columns + i] =
                static_cast<float>(sums.mean(u, v, half) - about);
        }
    return grid;
}

// From the median absolute deviation, to which balls and edges add little.
double noiseOf(const StrengthGrid& grid) {
    constexpr double kOfNormal = 1.4826;
    std::vector<float> values = grid.strengths;
    if (values.empty()) return 0;
    const float median = medianOf(values);
    for (float& value : values)
        value = std::abs(value - median);
    return kOfNormal * medianOf(std::move(values));
}

}  // namespace

Spots brightSpots(Span3<const float> view, std::array<double, 2> pitchMm, double radiusMm) {
    const StrengthGrid grid = strengthsOf(view, pitchMm, radiusMm);
    Spots spots;
    spots.noise = noiseOf(grid);
    std::array<Index, 2> reach{};
    for (std::size_t i = 0; i < 2; ++i)
        reach[i] = std::max<Index>(
            1, std::lround(radiusMm / pitchMm[i] / static_cast<double>(grid.step[i])));
    for (Index j = 0; j < grid.rows; ++j)
        for (Index i = 0; i < grid.columns; ++i) {
            const float strength = grid.at(i, j);
            if (!(strength > 3 * spots.noise)) continue;
            bool isTop = true;
            for (Index y = std::max<Index>(0, j - reach[1]);
                 isTop && y <= std::min(grid.rows - 1, j + reach[1]); ++y)
                for (Index x = std::max<Index>(0, i - reach[0]);
                     isTop && x <= std::min(grid.columns - 1, i + reach[0]); ++x)
                    // The first of equal ones counts.
                    isTop = grid.at(x, y) < strength ||
                            (grid.at(x, y) == strength && (y > j || (y == j && x >= i)));
            if (isTop)
                spots.places.push_back({static_cast<double>(grid.first[0] + i * grid.step[0]),
                                        static_cast<double>(grid.first[1] + j * grid.step[1]),
                                        strength});
        }
    std::ranges::stable_sort(spots.places,
                             [](const Spot& a, const Spot& b) { return a.strength > b.strength; });
    return spots;
}

}  // namespace gantry
