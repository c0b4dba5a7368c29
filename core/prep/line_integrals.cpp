#include "core/prep/line_integrals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/prep/fast_log.h"

namespace gantry {

namespace {

constexpr float kInvalid = std::numeric_limits<float>::quiet_NaN();
constexpr float kSmallest = std::numeric_limits<float>::min();
constexpr float kLargest = std::numeric_limits<float>::max();

constexpr Index kStretch = 512;

// The detector's images along a part of one row. `bad` is null if there is no mask of bad pixels.
struct RowCalibration {
    const float* dark;
    const float* flat;
    const unsigned char* bad;
    float saturation;
};

// What is added along a row.
struct RowOffset {
    float level;   // in column 0
    float alongU;  // from one column to the next

    RowOffset(const BeamOffset& view, Index row)
        : level(view.level + view.alongV * static_cast<float>(row)), alongU(view.alongU) {}
    [[nodiscard]] float at(Index column) const {
        return level + alongU * static_cast<float>(column);
    }
};

// The detector's images along one row of one view.
class RowOfView {
  public:
    RowOfView(const DetectorCalibration& calibration, Index row, Index view,
              const BeamOffset& offset)
        : m_calibration(calibration),
          m_first(row * calibration.columns),
          m_view(view),
          m_changes(calibration.changes()),
          m_offset(offset, row) {}

    // What is added to its line integrals.
    [[nodiscard]] const RowOffset& offset() const { return m_offset; }

    // At most kStretch pixels from `begin` on; valid until the next call.
    RowCalibration part(Index begin, Index n) {
        const Index at = m_first + begin;
        const bool masked = m_calibration.bad.count() > 0;
        const double saturation =
            m_calibration.saturation.value_or(std::numeric_limits<double>::infinity());
        if (m_changes) mix(at, n);
        return {m_changes ? m_dark.data() : m_calibration.dark.data() + at,
                m_changes ? m_flat.data() : m_calibration.flat.data() + at,
                masked ? m_calibration.bad.data() + at : nullptr, static_cast<float>(saturation)};
    }

  private:
    void mix(Index at, Index n) {
        const auto count = static_cast<std::size_t>(n);
        fieldsAt(m_calibration, static_cast<double>(m_view), at, {m_dark.data(), count},
                 {m_flat.data(), count});
    }

    const DetectorCalibration& m_calibration;
    Index m_first;
    Index m_view;
    bool m_changes;
    RowOffset m_offset;
    std::array<float, kStretch> m_dark;
    std::array<float, kStretch> m_flat;
};

// Converts the counts of consecutive pixels to line integrals, without checking for invalid ones.
// It has no branches, because it is the only work on a row without invalid pixels, and counts by
// int, which compilers turn into floats many at a time; an Index they do one by one.
// @returns how many results are invalid or come from saturated counts
int takeLogs(const RowCalibration& row, const float* counts, Index n, float offset, float alongU,
             float* out) {
    int odd = 0;
    const auto count = static_cast<int>(n);
    for (int i = 0; i < count; ++i) {
        const float netSignal = row.flat[i] - row.dark[i];
        const float ratio = (counts[i] - row.dark[i]) / netSignal;
        const int usable = static_cast<int>(netSignal > 0) & static_cast<int>(ratio >= kSmallest) &
                           static_cast<int>(ratio <= kLargest) &
                           static_cast<int>(counts[i] < row.saturation);
        odd += 1 - usable;
        out[i] = offset + alongU * static_cast<float>(i) - fastLog(ratio);
    }
    return odd;
}

bool anyBad(const unsigned char* bad, Index n) {
    unsigned any = 0;
    for (Index i = 0; i < n; ++i)
        any |= bad[i];
    return any != 0;
}

bool isBad(const RowCalibration& row, Index i) {
    const float netSignal = row.flat[i] - row.dark[i];
    return (row.bad && row.bad[i] != 0) || !(netSignal > 0 && netSignal <= kLargest);
}

// Counts an invalid or saturated pixel by its kind. @returns whether its line integral is valid
bool classify(const RowCalibration& row, Index i, float counts, InvalidPixels& invalid) {
    if (isBad(row, i)) {
        ++invalid.bad;
        return false;
    }
    const float ratio = (counts - row.dark[i]) / (row.flat[i] - row.dark[i]);
    if (!(std::abs(ratio) <= kLargest)) {
        ++invalid.notFinite;
        return false;
    }
    const bool usable = ratio >= kSmallest;
    if (counts >= row.saturation)
        ++invalid.saturated;
    else if (!usable)
        ++(counts < row.dark[i] ? invalid.negative : invalid.zero);
    return usable;
}

// Replaces NaNs by the mean of the nearest valid pixels on both sides, or by the one on a single
// side at the row's ends. @returns false if the row has no valid pixel
bool fillInvalid(float* row, Index n) {
    Index i = 0;
    while (i < n) {
        if (!std::isnan(row[i])) {
            ++i;
            continue;
        }
        Index end = i;
        while (end < n && std::isnan(row[end]))
            ++end;
        if (i == 0 && end == n) return false;
        const float left = i > 0 ? row[i - 1] : row[end];
        const float right = end < n ? row[end] : row[i - 1];
        std::fill(row + i, row + end, 0.5f * left + 0.5f * right);
        i = end;
    }
    return true;
}

// Fills a row without a valid pixel, as behind something opaque. Pixels that are not bad get the
// largest line integral that they can measure, that of a single count; where the open beam has less
// than two counts, as in normalised images, that of 1/65536 of it.
void fillOpaque(RowOfView& calibration, float* row, Index n) {
    constexpr float kCountsOf16Bits = 65536;
    for (Index begin = 0; begin < n; begin += kStretch) {
        const Index size = std::min(kStretch, n - begin);
        const RowCalibration here = calibration.part(begin, size);
        for (Index i = 0; i < size; ++i) {
            if (isBad(here, i)) continue;
            const float netSignal = here.flat[i] - here.dark[i];
            row[begin + i] = calibration.offset().at(begin + i) +
                             std::log(netSignal >= 2 ? netSignal : kCountsOf16Bits);
        }
    }
    if (!fillInvalid(row, n)) std::fill(row, row + n, 0.0f);
}

void convertRow(RowOfView& row, float* values, Index n, InvalidPixels& invalid) {
    float logs[kStretch];
    bool hasInvalid = false;
    for (Index begin = 0; begin < n; begin += kStretch) {
        const Index size = std::min(kStretch, n - begin);
        const RowCalibration here = row.part(begin, size);
        const int odd =
            takeLogs(here, values + begin, size, row.offset().at(begin), row.offset().alongU, logs);
        if (odd > 0 || (here.bad && anyBad(here.bad, size))) {
            for (Index i = 0; i < size; ++i) {
                if (classify(here, i, values[begin + i], invalid)) continue;
                logs[i] = kInvalid;
                hasInvalid = true;
            }
        }
        std::copy(logs, logs + size, values + begin);
    }
    invalid.pixels += n;
    if (hasInvalid && !fillInvalid(values, n)) fillOpaque(row, values, n);
}

void cleanRow(const unsigned char* bad, float* values, Index n, const RowOffset& offset,
              InvalidPixels& invalid) {
    bool hasInvalid = false;
    for (Index i = 0; i < n; ++i) {
        const bool isListed = bad && bad[i] != 0;
        if (!isListed && std::isfinite(values[i])) {
            values[i] += offset.at(i);
            continue;
        }
        ++(isListed ? invalid.bad : invalid.notFinite);
        values[i] = kInvalid;
        hasInvalid = true;
    }
    invalid.pixels += n;
    if (hasInvalid && !fillInvalid(values, n)) std::fill(values, values + n, 0.0f);
}

void checkSize(const DetectorCalibration& calibration, Index firstRow, Span3<float> views) {
    require(views.size(2) == calibration.columns && firstRow >= 0 &&
                firstRow + views.size(1) <= calibration.rows,
            "detector rows do not fit the calibration images");
}

}  // namespace

InvalidPixels& InvalidPixels::operator+=(const InvalidPixels& other) {
    pixels += other.pixels;
    zero += other.zero;
    negative += other.negative;
    saturated += other.saturated;
    notFinite += other.notFinite;
    bad += other.bad;
    zingers += other.zingers;
    return *this;
}

InvalidPixels toLineIntegrals(const DetectorCalibration& calibration, Index firstRow,
                              Span3<float> views, Index firstView, const BeamOffset& offset) {
    checkSize(calibration, firstRow, views);
    InvalidPixels invalid;
    for (Index s = 0; s < views.size(0); ++s)
        for (Index v = 0; v < views.size(1); ++v) {
            RowOfView row(calibration, firstRow + v, firstView + s, offset);
            convertRow(row, views.row(s, v), views.size(2), invalid);
        }
    return invalid;
}

InvalidPixels cleanAttenuation(const DetectorCalibration& calibration, Index firstRow,
                               Span3<float> views, const BeamOffset& offset) {
    checkSize(calibration, firstRow, views);
    const bool masked = calibration.bad.count() > 0;
    InvalidPixels invalid;
    for (Index s = 0; s < views.size(0); ++s) {
        for (Index v = 0; v < views.size(1); ++v) {
            const Index at = (firstRow + v) * calibration.columns;
            cleanRow(masked ? calibration.bad.data() + at : nullptr, views.row(s, v), views.size(2),
                     RowOffset(offset, firstRow + v), invalid);
        }
    }
    return invalid;
}

}  // namespace gantry
