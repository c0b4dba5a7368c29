#include "core/prep/pixel_repair.h"

#include <algorithm>
#include <array>

namespace gantry {

namespace {

constexpr std::int32_t kNone = -1;

// How far an interpolation between sources at these distances may be wrong, relative to another. A
// curved profile leaves it by the product of the distances; from one side alone the slope is not
// known either.
double errorOf(Index before, Index after) {
    constexpr double kOneSided = 8;
    if (before > 0 && after > 0) return static_cast<double>(before) * static_cast<double>(after);
    return kOneSided * static_cast<double>(std::max(before, after));
}

// The weights of the sources on both sides, which add up to `sum`; a distance of 0 stands for none.
std::array<float, 2> sharesOf(Index before, Index after, double sum) {
    if (before == 0 && after == 0) return {0, 0};
    if (after == 0) return {static_cast<float>(sum), 0};
    if (before == 0) return {0, static_cast<float>(sum)};
    const double ofAfter = static_cast<double>(before) / static_cast<double>(before + after);
    return {static_cast<float>(sum * (1 - ofAfter)), static_cast<float>(sum * ofAfter)};
}

// The part that the row takes in a pixel's value, if its column takes the rest. Parts that hardly
// count are left out, so that no row is read for them.
double partOfRow(Index left, Index right, Index below, Index above) {
    constexpr double kNegligible = 0.02;
    if (left == 0 && right == 0) return 0;
    if (below == 0 && above == 0) return 1;
    const double row = errorOf(left, right);
    const double column = errorOf(below, above);
    const double part = column * column / (row * row + column * column);
    if (part < kNegligible) return 0;
    return part > 1 - kNegligible ? 1 : part;
}

// The nearest good pixels of a row or column on both sides of each place; kNone: there is none.
class Nearest {
  public:
    explicit Nearest(Index count)
        : m_before(static_cast<std::size_t>(count)), m_after(static_cast<std::size_t>(count)) {}

    // isBad: of a place
    template <class IsBad>
    void find(const IsBad& isBad) {
        const Index count = std::ssize(m_before);
        std::int32_t last = kNone;
        for (Index i = 0; i < count; ++i) {
            m_before[i] = last;
            if (!isBad(i)) last = static_cast<std::int32_t>(i);
        }
        last = kNone;
        for (Index i = count - 1; i >= 0; --i) {
            m_after[i] = last;
            if (!isBad(i)) last = static_cast<std::int32_t>(i);
        }
    }
    [[nodiscard]] std::int32_t before(Index i) const { return m_before[i]; }
    [[nodiscard]] std::int32_t after(Index i) const { return m_after[i]; }

  private:
    std::vector<std::int32_t> m_before;
    std::vector<std::int32_t> m_after;
};

// The nearest good rows of all columns, row by row: below by counting up, above by looking up at
// most as far as a column is searched.
class ColumnSearch {
  public:
    explicit ColumnSearch(const DetectorCalibration& calibration)
        : m_calibration(calibration),
          m_below(static_cast<std::size_t>(calibration.columns), kNone) {}

    [[nodiscard]] std::int32_t below(Index row, Index column) const {
        const std::int32_t found = m_below[column];
        return found != kNone && row - found <= PixelRepair::kReachRows ? found : kNone;
    }
    [[nodiscard]] std::int32_t above(Index row, Index column) const {
        const Index end = std::min(m_calibration.rows, row + PixelRepair::kReachRows + 1);
        for (Index other = row + 1; other < end; ++other)
            if (m_calibration.bad[other * m_calibration.columns + column] == 0)
                return static_cast<std::int32_t>(other);
        return kNone;
    }
    void pass(Index row) {
        const unsigned char* bad = m_calibration.bad.data() + row * m_calibration.columns;
        for (Index u = 0; u < m_calibration.columns; ++u)
            if (bad[u] == 0) m_below[u] = static_cast<std::int32_t>(row);
    }

  private:
    const DetectorCalibration& m_calibration;
    std::vector<std::int32_t> m_below;
};

Index distance(std::int32_t source, Index place) {
    return source == kNone ? 0 : std::abs(source - place);
}

bool isDeadRow(const DetectorCalibration& calibration, Index row) {
    const unsigned char* bad = calibration.bad.data() + row * calibration.columns;
    return std::all_of(bad, bad + calibration.columns, [](unsigned char b) { return b != 0; });
}

}  // namespace

PixelRepair::PixelRepair(Index rows)
    : m_firstPixel(static_cast<std::size_t>(rows) + 1), m_needed(static_cast<std::size_t>(rows)) {}

std::shared_ptr<const PixelRepair> PixelRepair::of(const DetectorCalibration& calibration) {
    const auto bad = calibration.bad.span();
    if (std::ranges::all_of(bad, [](unsigned char b) { return b == 0; })) return nullptr;
    auto repair = std::shared_ptr<PixelRepair>(new PixelRepair(calibration.rows));
    repair->plan(calibration);
    if (repair->m_pixels.empty()) return nullptr;
    return repair;
}

void PixelRepair::plan(const DetectorCalibration& calibration) {
    const Index columns = calibration.columns;
    Nearest inRow(columns);
    ColumnSearch inColumn(calibration);
    for (Index v = 0; v < calibration.rows; ++v) {
        const auto row = static_cast<std::size_t>(v);
        m_firstPixel[row] = std::ssize(m_pixels);
        m_needed[row] = {v, v + 1};
        const unsigned char* bad = calibration.bad.data() + v * columns;
        inRow.find([bad](Index u) { return bad[u] != 0; });
        for (Index u = 0; u < columns; ++u) {
            if (bad[u] == 0) continue;
            Pixel pixel = {static_cast<std::int32_t>(u), inRow.before(u),      inRow.after(u),
                           inColumn.below(v, u),         inColumn.above(v, u), {}};
            const Index left = distance(pixel.left, u);
            const Index right = distance(pixel.right, u);
            const Index below = distance(pixel.below, v);
            const Index above = distance(pixel.above, v);
            if (left <= 1 && right <= 1 && left + right > 0) continue;
            const double part = partOfRow(left, right, below, above);
            if (part == 1 && (left == 0 || right == 0)) continue;
            if (below == 0 && above == 0 && left == 0 && right == 0) continue;
            const std::array<float, 2> ofRow = sharesOf(left, right, part);
            const std::array<float, 2> ofColumn = sharesOf(below, above, 1 - part);
            std::copy_n(ofRow.data(), 2, pixel.weights);
            std::copy_n(ofColumn.data(), 2, pixel.weights + 2);
            if (ofColumn[0] > 0)
                m_needed[row].begin = std::min<Index>(m_needed[row].begin, pixel.below);
            if (ofColumn[1] > 0)
                m_needed[row].end = std::max<Index>(m_needed[row].end, pixel.above + 1);
            m_pixels.push_back(pixel);
        }
        inColumn.pass(v);
    }
    m_firstPixel.back() = std::ssize(m_pixels);
}

IndexRange PixelRepair::rowsFor(IndexRange rows) const {
    IndexRange all = rows;
    for (Index v = std::max<Index>(0, rows.begin); v < std::min(rows.end, std::ssize(m_needed));
         ++v)
        all = hullOf(all, m_needed[v]);
    return all;
}

void PixelRepair::apply(Index firstRow, Span3<float> view) const {
    const Index rows = view.size(1);
    for (Index v = 0; v < rows; ++v) {
        const auto row = static_cast<std::size_t>(firstRow + v);
        float* values = view.row(0, v);
        for (Index i = m_firstPixel[row]; i < m_firstPixel[row + 1]; ++i) {
            const Pixel& pixel = m_pixels[i];
            float sum = 0;
            float weights = 0;
            const auto add = [&](float weight, const float* source) {
                sum += weight * *source;
                weights += weight;
            };
            if (pixel.weights[0] > 0) add(pixel.weights[0], values + pixel.left);
            if (pixel.weights[1] > 0) add(pixel.weights[1], values + pixel.right);
            const Index below = pixel.below - firstRow;
            const Index above = pixel.above - firstRow;
            if (pixel.weights[2] > 0 && below >= 0)
                add(pixel.weights[2], view.row(0, below) + pixel.column);
            if (pixel.weights[3] > 0 && above < rows)
                add(pixel.weights[3], view.row(0, above) + pixel.column);
            if (weights > 0) values[pixel.column] = sum / weights;
        }
    }
}

Index PixelRepair::sizeBytes() const {
    return std::ssize(m_pixels) * Index{sizeof(Pixel)} +
           std::ssize(m_firstPixel) * Index{sizeof(Index)} +
           std::ssize(m_needed) * Index{sizeof(IndexRange)};
}

std::vector<DeadRows> deadRowsOf(const DetectorCalibration& calibration) {
    std::vector<DeadRows> found;
    if (calibration.bad.count() == 0) return found;
    Index v = 0;
    while (v < calibration.rows) {
        if (!isDeadRow(calibration, v)) {
            ++v;
            continue;
        }
        Index end = v + 1;
        while (end < calibration.rows && isDeadRow(calibration, end))
            ++end;
        const bool isBetween = v > 0 && end < calibration.rows;
        found.push_back({{v, end}, isBetween && end - v <= PixelRepair::kReachRows});
        v = end;
    }
    return found;
}

}  // namespace gantry
