#pragma once

#include <QRgb>
#include <array>
#include <vector>

#include "core/pipeline/span_row.h"
#include "ui/models/timeline/timeline_axis.h"

namespace gantry {

/// How much of a pixel column's time each stage takes, 0 to 1; what is left is idle.
using StageShares = std::array<float, kStageCount>;

/// The shares of every column of a row. The work is by columns, however many spans there are.
/// Tests: tests/ui/models/timeline_fold_test.cpp
[[nodiscard]] std::vector<StageShares> fold(const SpanRow& row, const TimeAxis& axis, int columns);

/// A stretch of pixels that one span takes, or one gap.
struct WideSpan {
    Index index;  ///< of the span in its row; of a gap, that of the span before it, or -1
    double beginX;
    double endX;  ///< both are cut at the edges of the view
};

/// The spans of a row that are at least so many pixels wide, from left to right; and the gaps. At
/// most one a pixel is looked at.
struct WideSpans {
    std::vector<WideSpan> spans;
    std::vector<WideSpan> gaps;
};
[[nodiscard]] WideSpans wideSpans(const SpanRow& row, const TimeAxis& axis, int columns,
                                  double leastPixels);

/// One line of pixels, alpha premultiplied: the stages' colours mixed by their shares, transparent
/// where idle.
[[nodiscard]] std::vector<QRgb> colours(const std::vector<StageShares>& shares);

}  // namespace gantry
