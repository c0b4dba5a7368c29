#pragma once

#include <QRgb>
#include <array>
#include <vector>

#include "core/pipeline/span_row.h"
#include "ui/models/timeline/timeline_axis.h"

namespace gantry {

/// The part of a pixel column's time that each stage takes, 0 to 1; the rest is idle.
using StageShares = std::array<float, kStageCount>;

/// The shares of every column of a row. The time depends on the columns, not on the number of
/// spans.
/// Tests: tests/ui/models/timeline_fold_test.cpp
[[nodiscard]] std::vector<StageShares> fold(const SpanRow& row, const TimeAxis& axis, int columns);

/// A range of pixels that one span or one gap takes.
struct WideSpan {
    Index index;  ///< of the span in its row; for a gap, of the span before it, or -1
    double beginX;
    double endX;  ///< both are cut at the edges of the view
};

/// The spans of a row, and the gaps, that are at least so many pixels wide, from left to right. At
/// most one a pixel is considered.
struct WideSpans {
    std::vector<WideSpan> spans;
    std::vector<WideSpan> gaps;
};
[[nodiscard]] WideSpans wideSpans(const SpanRow& row, const TimeAxis& axis, int columns,
                                  double minPixels);

/// One line of pixels, alpha premultiplied: the stages' colours mixed by their shares, transparent
/// where idle.
[[nodiscard]] std::vector<QRgb> colours(const std::vector<StageShares>& shares);

}  // namespace gantry
