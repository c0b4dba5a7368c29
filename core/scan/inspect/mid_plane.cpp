#include "core/scan/inspect/mid_plane.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kMiddleRows = 8;
// Columns that rows are averaged to, above twice as many.
constexpr Index kMaxColumns = 1024;

// Without noise, as in a simulation, views beside the object are nothing but even air.
bool showsAnything(Span3<const float> view) {
    constexpr float kEven = 0.001F;  // a line integral, less than the noise of any detector
    const auto [low, high] = std::minmax_element(view.data(), view.data() + view.count());
    return *high - *low > kEven;
}

// The mean of the rows; pixels that are no numbers count as air.
void takeMeanRow(Span3<const float> view, Index binning, float* row) {
    const Index columns = view.size(2) / binning;
    std::fill(row, row + columns, 0.0F);
    for (Index v = 0; v < view.size(1); ++v) {
        const float* pixels = view.row(0, v);
        for (Index u = 0; u < columns; ++u)
            for (Index i = u * binning; i < (u + 1) * binning; ++i)
                row[u] += pixels[i] - pixels[i] == 0 ? pixels[i] : 0;
    }
    const auto count = static_cast<float>(view.size(1) * binning);
    for (Index u = 0; u < columns; ++u)
        row[u] /= count;
}

Sinogram sinogramOf(const std::vector<PictureFacts>& facts, double stepDeg) {
    std::vector<double> anglesDeg;
    std::vector<float> values;
    anglesDeg.reserve(facts.size());
    for (const PictureFacts& fact : facts) {
        anglesDeg.push_back(fact.angleDeg);
        for (const double value : fact.middleRows)
            values.push_back(static_cast<float>(value));
    }
    const Sinogram all(anglesDeg, std::move(values), 1, stepDeg);
    const Index binning = std::max<Index>(1, all.columns() / kMaxColumns);
    return binning > 1 ? all.binned(binning) : all;
}

}  // namespace

MidPlane readMidPlane(const OpenScan& scan, const std::vector<PictureFacts>& facts, int threads,
                      const std::stop_token& stop) {
    constexpr Index kMaxBytes = Index{512} << 20;
    const ScanGeometry& geometry = scan.description.geometry;
    const SourceInfo& info = scan.source->info();
    const double stepDeg = scan.redundancy.cover.stepDeg();
    if (!info.readsRowsAlone && info.views * info.rows * scan.storedRowBytes() > kMaxBytes)
        return {{}, sinogramOf(facts, stepDeg)};
    std::vector<Index> all(info.views);
    std::iota(all.begin(), all.end(), Index{0});
    const Index rows = std::min(kMiddleRows, info.rows);
    const auto from = static_cast<Index>(
        std::clamp(std::ceil(geometry.midplaneRow() - static_cast<double>(kMiddleRows) / 2), 0.0,
                   static_cast<double>(info.rows - rows)));
    const Index binning = std::max<Index>(1, info.columns / kMaxColumns);
    const Index columns = info.columns / binning;
    std::vector<std::optional<std::uint64_t>> hashes(all.size());
    std::vector<float> values(info.views * columns);
    visitViews(
        scan, all, {from, from + rows}, threads,
        [&](std::size_t i, Span3<const float> view) {
            if (showsAnything(view)) hashes[i] = hashOf(view);
            takeMeanRow(view, binning, &values[i * static_cast<std::size_t>(columns)]);
        },
        [](double) {}, stop);
    std::vector<double> anglesDeg;
    anglesDeg.reserve(all.size());
    for (const Index view : all)
        anglesDeg.push_back(geometry.angleDeg(scan.numberOf(view)));
    return {std::move(hashes), Sinogram(anglesDeg, std::move(values), binning, stepDeg)};
}

}  // namespace gantry
