#include "core/scan/modules/steady_profiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/median.h"

namespace gantry {

namespace {

constexpr Index kBandsOfSide = 16;

Index bandOfLine(Index line, Index lines, Index bands) {
    return std::min(bands - 1, ((line + 1) * bands - 1) / lines);
}

}  // namespace

SteadyProfiles::SteadyProfiles(Index rows, Index columns, Index views,
                               std::span<const unsigned char> bad)
    : m_views(views) {
    for (const unsigned char pixel : bad)
        m_isBad.push_back(pixel != 0);
    m_sides = {Side{columns, rows, std::min(kBandsOfSide, rows), {}, {}},
               Side{rows, columns, std::min(kBandsOfSide, columns), {}, {}}};
    for (Side& side : m_sides) {
        side.means.resize(static_cast<std::size_t>(side.bands * views * side.places));
        side.good.resize(static_cast<std::size_t>(side.bands * side.places));
    }
    for (Index v = 0; v < rows; ++v)
        for (Index u = 0; u < columns; ++u) {
            if (!m_isBad.empty() && m_isBad[v * columns + u]) continue;
            Side& across = m_sides[0];
            Side& up = m_sides[1];
            ++across.good[bandOfLine(v, rows, across.bands) * columns + u];
            ++up.good[bandOfLine(u, columns, up.bands) * rows + v];
        }
}

void SteadyProfiles::add(Index i, Span3<const float> view) {
    const Index rows = view.size(1);
    const Index columns = view.size(2);
    std::array<std::vector<double>, 2> sums;
    for (const std::size_t side : {0, 1})
        sums[side].resize(static_cast<std::size_t>(m_sides[side].bands * m_sides[side].places));
    for (Index v = 0; v < rows; ++v) {
        const float* values = view.row(0, v);
        double* across = sums[0].data() + bandOfLine(v, rows, m_sides[0].bands) * columns;
        for (Index u = 0; u < columns; ++u) {
            const bool isUsed =
                (m_isBad.empty() || !m_isBad[v * columns + u]) && std::isfinite(values[u]);
            const double value = isUsed ? static_cast<double>(values[u]) : 0;
            across[u] += value;
            sums[1][bandOfLine(u, columns, m_sides[1].bands) * rows + v] += value;
        }
    }
    for (const std::size_t s : {0, 1}) {
        Side& side = m_sides[s];
        for (Index band = 0; band < side.bands; ++band)
            for (Index place = 0; place < side.places; ++place) {
                const Index at = band * side.places + place;
                side.means[(band * m_views + i) * side.places + place] = static_cast<float>(
                    sums[s][at] / static_cast<double>(std::max<Index>(1, side.good[at])));
            }
    }
}

IndexRange SteadyProfiles::linesOf(DetectorSide side, Index band) const {
    const Side& across = of(side);
    const auto begin = [&](Index i) { return i * across.lines / across.bands; };
    return {begin(band), begin(band + 1)};
}

Profile SteadyProfiles::profile(DetectorSide side, Index band, ViewsOf views) const {
    const Side& from = of(side);
    const Index middle = (m_views + 1) / 2;
    const IndexRange taken = {views == ViewsOf::secondHalf ? middle : 0,
                              views == ViewsOf::firstHalf ? middle : m_views};
    const Index lines = linesOf(side, band).size();
    Profile profile = {std::vector<double>(static_cast<std::size_t>(from.places)),
                       std::vector<bool>(static_cast<std::size_t>(from.places))};
    const float* means = from.means.data() + band * m_views * from.places;
    std::vector<float> changes;
    Index before = -1;
    for (Index place = 0; place < from.places; ++place) {
        // A place of few good lines is one of other lines than its neighbours.
        if (4 * from.good[band * from.places + place] <= 3 * lines || taken.empty()) continue;
        profile.usable[place] = true;
        if (before >= 0) {
            changes.clear();
            for (Index view = taken.begin; view < taken.end; ++view)
                changes.push_back(means[view * from.places + place] -
                                  means[view * from.places + before]);
            profile.values[place] = profile.values[before] + static_cast<double>(medianOf(changes));
        }
        before = place;
    }
    return profile;
}

}  // namespace gantry
