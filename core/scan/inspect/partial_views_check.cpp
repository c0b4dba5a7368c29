#include "core/scan/inspect/pixel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/median.h"

namespace gantry {

namespace {

// Rows of a view that are looked at, from the lowest to the uppermost.
constexpr Index kSampleRows = 16;

Index sampleRow(Index i, Index rows) {
    return (2 * i + 1) * rows / (2 * kSampleRows);
}

// How many of the rows that are looked at hold one value alone, from either edge on.
struct BlankRows {
    Index below = 0;
    Index above = 0;
};

// A pixel that nothing was written to: no number, of counts as dark as without a beam, of line
// integrals 0. Where a program has clipped the air it has one value, too.
bool isEmpty(const OpenScan& scan, Index pixel, float value) {
    constexpr float kMinBeam = 0.003F;
    if (!std::isfinite(value)) return true;
    if (scan.kind != ProjectionKind::counts) return value == 0;
    const DetectorCalibration& fields = *scan.calibration;
    return value - fields.dark[pixel] <= kMinBeam * (fields.flat[pixel] - fields.dark[pixel]);
}

// Reads rows of a view as they are stored.
class BlankFinder {
  public:
    explicit BlankFinder(const OpenScan& scan)
        : m_scan(&scan),
          m_stored(scan.source->info().columns * sizeBytes(scan.source->info().pixelType)),
          m_row(scan.source->info().columns) {}

    [[nodiscard]] BlankRows find(Index view) {
        BlankRows blank;
        while (blank.below < kSampleRows && isBlank(view, blank.below))
            ++blank.below;
        while (blank.above < kSampleRows - blank.below &&
               isBlank(view, kSampleRows - 1 - blank.above))
            ++blank.above;
        return blank;
    }

  private:
    // Pixels that are dead in all views tell nothing.
    [[nodiscard]] bool isBlank(Index view, Index sample) {
        const SourceInfo& info = m_scan->source->info();
        const HostBuffer<unsigned char>& dead = m_scan->calibration->bad;
        const Index v = sampleRow(sample, info.rows);
        m_scan->source->readRows(view, {v, v + 1}, m_stored.span());
        toFloat(info.pixelType, m_stored.span(), m_row.span());
        std::optional<float> value;
        for (Index u = 0; u < info.columns; ++u) {
            if (dead.count() > 0 && dead[v * info.columns + u] != 0) continue;
            const float pixel = m_row.data()[u];
            if (!value) value = pixel;
            if (!isEmpty(*m_scan, v * info.columns + u, pixel)) return false;
            if (pixel != *value && !(std::isnan(pixel) && std::isnan(*value))) return false;
        }
        return value.has_value();
    }

    const OpenScan* m_scan;
    HostBuffer<std::byte> m_stored;
    HostBuffer<float> m_row;
};

// Every view where a row costs its own bytes alone: the outermost rows of a view that is whole.
std::vector<Index> viewsToRead(const SourceInfo& info, const std::vector<Index>& chosen) {
    if (!info.readsRowsAlone) return chosen;
    std::vector<Index> all(static_cast<std::size_t>(info.views));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
}

// The line integrals of a row in most views.
double usualLevel(const std::vector<PictureFacts>& facts, Index row) {
    std::vector<double> levels;
    levels.reserve(facts.size());
    for (const PictureFacts& fact : facts)
        levels.push_back(fact.alongV[row]);
    return medianOf(std::move(levels));
}

// Whether one of these rows usually shows much of the object. Without noise, air has one value, and
// an object that sways leaves some of it where it is thin.
bool isObjectThere(const std::vector<PictureFacts>& facts, IndexRange samples) {
    constexpr double kMuch = 0.3;
    const auto rows = std::ssize(facts.front().alongV);
    double largest = 0;
    for (Index i = 0; i < kSampleRows; ++i)
        largest = std::max(largest, usualLevel(facts, sampleRow(i, rows)));
    for (Index i = samples.begin; i < samples.end; ++i)
        if (usualLevel(facts, sampleRow(i, rows)) > kMuch * largest) return true;
    return false;
}

}  // namespace

std::optional<Problem> checkPartialViews(const OpenScan& scan, const std::vector<Index>& chosen,
                                         const std::vector<PictureFacts>& facts,
                                         const std::stop_token& stop) {
    constexpr Index kMinSamples = 2;
    if (std::ssize(facts.front().alongV) < kSampleRows) return std::nullopt;
    const std::vector<Index> views = viewsToRead(scan.source->info(), chosen);
    std::vector<BlankRows> blank;
    blank.reserve(views.size());
    BlankFinder finder(scan);
    for (const Index view : views) {
        if (stop.stop_requested()) throw Cancelled();
        blank.push_back(finder.find(view));
    }
    // Without noise the air above and below an object has one value, too, in every view.
    const Index below = std::ranges::min(blank, {}, &BlankRows::below).below;
    const Index above = std::ranges::min(blank, {}, &BlankRows::above).above;
    std::vector<std::size_t> partial;
    Index most = 0;
    bool isBelow = false;
    for (std::size_t i = 0; i < blank.size(); ++i) {
        const Index more = std::max(blank[i].below - below, blank[i].above - above);
        const bool fromBelow = blank[i].below - below == more;
        const IndexRange samples =
            fromBelow ? IndexRange{below, blank[i].below}
                      : IndexRange{kSampleRows - blank[i].above, kSampleRows - above};
        if (more < kMinSamples || !isObjectThere(facts, samples)) continue;
        partial.push_back(i);
        if (more <= most) continue;
        most = more;
        isBelow = fromBelow;
    }
    if (partial.empty()) return std::nullopt;
    const bool isOne = partial.size() == 1;
    const auto nameOf = [&](std::size_t i) { return scan.numberOf(views[i]); };
    return Problem{
        Problem::Severity::warning, "projections.files",
        fmt::format(
            "{} of the {} views that were looked at, {} {}, {} one value alone in up to "
            "{:.0f} % of the rows from the {} edge on, where others show the object: {} "
            "written in part. Copy or convert {} again, or leave {} out with skipViews",
            partial.size(), views.size(), isOne ? "view" : "from view",
            isOne ? fmt::format("{}", nameOf(partial.front()))
                  : fmt::format("{} to view {}", nameOf(partial.front()), nameOf(partial.back())),
            isOne ? "has" : "have",
            100 * static_cast<double>(most + (isBelow ? below : above)) / kSampleRows,
            isBelow ? "lower" : "upper", isOne ? "it was" : "they were", isOne ? "it" : "them",
            isOne ? "it" : "them")};
}

}  // namespace gantry
