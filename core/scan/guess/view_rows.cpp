#include "core/scan/guess/view_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/host_buffer.h"

namespace gantry {

namespace {

constexpr Index kMaxRows = 16;
constexpr Index kMaxFrames = 3;  // of a field: enough to be less noisy than a view

// Mean square of a[u] − b(mirrored or not) over a row's common columns, without its mean.
class RowDifference {
  public:
    void add(double difference) {
        m_sum += difference;
        m_squares += difference * difference;
        ++m_count;
    }
    [[nodiscard]] double meanSquare() const {
        if (m_count == 0) return std::numeric_limits<double>::infinity();
        const auto count = static_cast<double>(m_count);
        return std::max(0.0, m_squares / count - m_sum / count * (m_sum / count));
    }

  private:
    double m_sum = 0;
    double m_squares = 0;
    Index m_count = 0;
};

// The distance of a to b mirrored about column `sum` / 2; columns between pixels are interpolated.
double mirroredDistance(const RowStrip& a, const RowStrip& b, double sum) {
    double total = 0;
    const auto whole = static_cast<Index>(std::floor(sum));
    const auto share = static_cast<float>(sum - std::floor(sum));
    const Index first = std::max<Index>(0, whole - b.columns + 2);
    const Index last = std::min(a.columns - 1, whole);
    for (Index v = 0; v < a.rows; ++v) {
        const float* rowA = a.values.data() + v * a.columns;
        const float* rowB = b.values.data() + v * b.columns;
        RowDifference difference;
        for (Index u = first; u <= last; ++u) {
            const Index low = whole - u;
            const float mirrored =
                low + 1 < b.columns ? rowB[low] + share * (rowB[low + 1] - rowB[low]) : rowB[low];
            difference.add(static_cast<double>(rowA[u]) - static_cast<double>(mirrored));
        }
        total += difference.meanSquare();
    }
    return total / static_cast<double>(a.rows);
}

RowStrip binned(const RowStrip& strip, Index bin) {
    RowStrip coarse;
    coarse.rows = strip.rows;
    coarse.columns = strip.columns / bin;
    for (Index v = 0; v < strip.rows; ++v)
        for (Index u = 0; u < coarse.columns; ++u) {
            const float* from = strip.values.data() + v * strip.columns + u * bin;
            float sum = 0;
            for (Index i = 0; i < bin; ++i)
                sum += from[i];
            coarse.values.push_back(sum / static_cast<float>(bin));
        }
    return coarse;
}

// Binomial weights: otherwise sharp edges between pixels would make differences if one strip is
// shifted by part of a pixel, and noise would if it is not.
void smooth(RowStrip& strip) {
    constexpr std::array<float, 5> kWeights = {1 / 16.0F, 4 / 16.0F, 6 / 16.0F, 4 / 16.0F,
                                               1 / 16.0F};
    const std::vector<float> from = strip.values;
    for (Index v = 0; v < strip.rows; ++v)
        for (Index u = 0; u < strip.columns; ++u) {
            float sum = 0;
            for (Index k = 0; k < 5; ++k) {
                const Index at = std::clamp<Index>(u + k - 2, 0, strip.columns - 1);
                sum += kWeights[k] * from[v * strip.columns + at];
            }
            strip.values[v * strip.columns + u] = sum;
        }
}

struct BestSum {
    double sum = 0;
    double distance = std::numeric_limits<double>::infinity();
};

// Tries mirror columns sum / 2 from `low` to `high`.
BestSum search(const RowStrip& a, const RowStrip& b, double low, double high, double step) {
    BestSum best;
    for (double sum = low; sum <= high; sum += step) {
        const double here = mirroredDistance(a, b, sum);
        if (here < best.distance) best = {sum, here};
    }
    return best;
}

}  // namespace

StripReader::StripReader(const ProjectionSource& projections, const ProjectionSource* dark,
                         const ProjectionSource* flat, bool isAttenuation)
    : m_projections(projections), m_isAttenuation(isAttenuation) {
    const Index rows = projections.info().rows;
    const Index begin = std::max<Index>(0, (rows - kMaxRows) / 2);
    m_rows = {begin, std::min(rows, begin + kMaxRows)};
    if (isAttenuation) return;
    m_dark = meanOf(dark);
    m_flat = meanOf(flat);
}

std::vector<float> StripReader::counts(const ProjectionSource& source, Index view) const {
    const SourceInfo& info = source.info();
    const Index count = m_rows.size() * info.columns;
    HostBuffer<std::byte> stored(count * sizeBytes(info.pixelType));
    source.readRows(view, m_rows, stored.span());
    std::vector<float> values(count);
    toFloat(info.pixelType, stored.span(), values);
    return values;
}

std::vector<float> StripReader::meanOf(const ProjectionSource* source) const {
    if (!source) return {};
    const Index frames = std::min(kMaxFrames, source->info().views);
    std::vector<float> mean;
    for (Index frame = 0; frame < frames; ++frame) {
        std::vector<float> values = counts(*source, frame);
        if (mean.empty()) mean.resize(values.size());
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] += values[i] / static_cast<float>(frames);
    }
    return mean;
}

RowStrip StripReader::read(Index view) const {
    RowStrip strip{m_rows.size(), m_projections.info().columns, counts(m_projections, view)};
    std::vector<float>& values = strip.values;
    const auto darkAt = [&](std::size_t i) { return m_dark.empty() ? 0.0F : m_dark[i]; };
    const float brightest = values.empty() ? 0 : *std::ranges::max_element(values);
    float before = 0;  // replaces a pixel without a value
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!m_isAttenuation) {
            const float beam = (m_flat.empty() ? brightest : m_flat[i]) - darkAt(i);
            values[i] = -std::log((values[i] - darkAt(i)) / beam);
        }
        if (!std::isfinite(values[i])) values[i] = before;
        before = values[i];
    }
    smooth(strip);
    return strip;
}

double distance(const RowStrip& a, const RowStrip& b) {
    double total = 0;
    for (Index v = 0; v < a.rows; ++v) {
        RowDifference difference;
        for (Index u = 0; u < a.columns; ++u) {
            const auto i = static_cast<std::size_t>(v * a.columns + u);
            difference.add(static_cast<double>(a.values[i]) - static_cast<double>(b.values[i]));
        }
        total += difference.meanSquare();
    }
    return total / static_cast<double>(a.rows);
}

double mirroredMismatch(const RowStrip& a, const RowStrip& b, double column) {
    constexpr Index kMinColumns = 6;
    const auto sum = static_cast<Index>(std::lround(2 * column));
    const Index first = std::max<Index>(0, sum - b.columns + 1);
    const Index last = std::min(a.columns - 1, sum);
    double total = 0;
    for (Index v = 0; v < a.rows && last - first + 1 >= kMinColumns; ++v) {
        RowDifference varies;
        for (Index u = first; u <= last; ++u)
            varies.add(static_cast<double>(a.values[v * a.columns + u]));
        total += varies.meanSquare();
    }
    if (!(total > 0)) return std::numeric_limits<double>::infinity();
    return mirroredDistance(a, b, 2 * column) * static_cast<double>(a.rows) / total;
}

MirrorMatch mirrorMatch(const RowStrip& a, const RowStrip& b) {
    constexpr Index kCoarseColumns = 256;
    const Index bin = std::max<Index>(1, a.columns / kCoarseColumns);
    const RowStrip coarseA = binned(a, bin);
    const RowStrip coarseB = binned(b, bin);
    const auto columns = static_cast<double>(coarseA.columns);
    const double coarse = search(coarseA, coarseB, columns / 2, 1.5 * columns, 1).sum;
    // Bin k covers the columns from k·bin on.
    const auto width = static_cast<double>(bin);
    const double middle = coarse * width + width - 1;
    const double sum = search(a, b, middle - 2 * width, middle + 2 * width, 1).sum;
    const BestSum fine = search(a, b, sum - 1, sum + 1, 0.1);
    return {fine.sum / 2, fine.distance};
}

}  // namespace gantry
