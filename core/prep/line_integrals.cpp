#include "core/prep/line_integrals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/prep/fast_log.h"

namespace gantry {

namespace {

constexpr float kInvalid = std::numeric_limits<float>::quiet_NaN();
constexpr float kSmallest = std::numeric_limits<float>::min();
constexpr float kLargest = std::numeric_limits<float>::max();

// The detector's images along one row; `bad` is null where no mask is known.
struct RowCalibration {
    const float* dark;
    const float* flat;
    const unsigned char* bad;
    float saturation;
};

RowCalibration rowCalibration(const DetectorCalibration& calibration, Index row) {
    const Index at = row * calibration.columns;
    const bool masked = calibration.bad.count() > 0;
    const double saturation =
        calibration.saturation.value_or(std::numeric_limits<double>::infinity());
    return {calibration.dark.data() + at, calibration.flat.data() + at,
            masked ? calibration.bad.data() + at : nullptr, static_cast<float>(saturation)};
}

// Takes −ln of a stretch of pixels.
// @returns how many results cannot be used as they are, or come from saturated counts. One pass
// without branches, which is the whole cost of a clean row.
int takeLogs(const RowCalibration& row, const float* counts, Index n, float* out) {
    int odd = 0;
    for (Index i = 0; i < n; ++i) {
        const float netSignal = row.flat[i] - row.dark[i];
        const float ratio = (counts[i] - row.dark[i]) / netSignal;
        const int usable = static_cast<int>(netSignal > 0) & static_cast<int>(ratio >= kSmallest) &
                           static_cast<int>(ratio <= kLargest) &
                           static_cast<int>(counts[i] < row.saturation);
        odd += 1 - usable;
        out[i] = -fastLog(ratio);
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

// Counts a pixel under what is wrong with it. @returns whether its line integral can be used
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

// Replaces invalid pixels by the mean of the good ones on either side, or by the only one there is.
// @returns false when the row has no good pixel
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

// Fills a row without a good pixel: its live pixels are darker than they can measure.
void fillOpaque(const RowCalibration& calibration, float* row, Index n) {
    constexpr float kCountsOf16Bits = 65536;
    for (Index i = 0; i < n; ++i) {
        if (isBad(calibration, i)) continue;
        const float netSignal = calibration.flat[i] - calibration.dark[i];
        row[i] = std::log(netSignal >= 2 ? netSignal : kCountsOf16Bits);
    }
    if (!fillInvalid(row, n)) std::fill(row, row + n, 0.0f);
}

void convertRow(const RowCalibration& row, float* values, Index n, InvalidPixels& invalid) {
    constexpr Index kStretch = 512;
    float logs[kStretch];
    bool hasInvalid = false;
    for (Index begin = 0; begin < n; begin += kStretch) {
        const Index size = std::min(kStretch, n - begin);
        const RowCalibration here = {row.dark + begin, row.flat + begin,
                                     row.bad ? row.bad + begin : nullptr, row.saturation};
        const int odd = takeLogs(here, values + begin, size, logs);
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

void cleanRow(const unsigned char* bad, float* values, Index n, InvalidPixels& invalid) {
    bool hasInvalid = false;
    for (Index i = 0; i < n; ++i) {
        const bool isListed = bad && bad[i] != 0;
        if (!isListed && std::isfinite(values[i])) continue;
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
                              Span3<float> views) {
    checkSize(calibration, firstRow, views);
    InvalidPixels invalid;
    for (Index s = 0; s < views.size(0); ++s)
        for (Index v = 0; v < views.size(1); ++v)
            convertRow(rowCalibration(calibration, firstRow + v), views.row(s, v), views.size(2),
                       invalid);
    return invalid;
}

InvalidPixels cleanAttenuation(const DetectorCalibration& calibration, Index firstRow,
                               Span3<float> views) {
    checkSize(calibration, firstRow, views);
    const bool masked = calibration.bad.count() > 0;
    InvalidPixels invalid;
    for (Index s = 0; s < views.size(0); ++s) {
        for (Index v = 0; v < views.size(1); ++v) {
            const Index at = (firstRow + v) * calibration.columns;
            cleanRow(masked ? calibration.bad.data() + at : nullptr, views.row(s, v), views.size(2),
                     invalid);
        }
    }
    return invalid;
}

}  // namespace gantry
