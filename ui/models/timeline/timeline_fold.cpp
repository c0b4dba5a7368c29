#include "ui/models/timeline/timeline_fold.h"

#include <QColor>
#include <algorithm>
#include <cmath>

#include "ui/models/timeline/stage_colours.h"

namespace gantry {

std::vector<StageShares> fold(const SpanRow& row, const TimeAxis& axis, int columns) {
    std::vector<StageShares> result(std::max(columns, 0));
    StageTimes before = row.busyBefore(axis.nsAt(0));
    std::int64_t beginNs = axis.nsAt(0);
    for (std::size_t x = 0; x < result.size(); ++x) {
        const std::int64_t endNs = axis.nsAt(static_cast<double>(x + 1));
        const StageTimes busy = row.busyBefore(endNs);
        const auto length = static_cast<float>(std::max<std::int64_t>(endNs - beginNs, 1));
        for (std::size_t i = 0; i < busy.size(); ++i)
            result[x][i] = static_cast<float>(busy[i] - before[i]) / length;
        before = busy;
        beginNs = endNs;
    }
    return result;
}

WideSpans wideSpans(const SpanRow& row, const TimeAxis& axis, int columns, double minPixels) {
    WideSpans result;
    const double width = columns;
    double x = 0;
    const auto addIfWide = [&](std::vector<WideSpan>& list, Index index, double beginX,
                               double endX) {
        const WideSpan cut{index, std::max(beginX, 0.0), std::min(endX, width)};
        if (cut.endX - cut.beginX >= minPixels) list.push_back(cut);
    };
    Index lastIndex = -1;
    while (x < width) {
        const Index i = row.firstEndingAfter(axis.nsAt(x));
        const double gapBegin = i > 0 ? axis.xOf(row[i - 1].endNs) : 0;
        if (i == row.size()) {
            if (i > 0) addIfWide(result.gaps, i - 1, gapBegin, width);
            break;
        }
        if (i == lastIndex) {
            ++x;
            continue;
        }
        lastIndex = i;
        addIfWide(result.gaps, i - 1, gapBegin, axis.xOf(row[i].beginNs));
        addIfWide(result.spans, i, axis.xOf(row[i].beginNs), axis.xOf(row[i].endNs));
        // Skips the rest of a span that is wider than a pixel.
        x = std::max(x + 1, std::ceil(axis.xOf(row[i].endNs)));
    }
    return result;
}

std::vector<QRgb> colours(const std::vector<StageShares>& shares) {
    constexpr float kMax = 255;
    std::array<std::array<float, 4>, kStageCount> palette{};
    for (std::size_t i = 0; i < palette.size(); ++i) {
        const QColor colour = stageColour(static_cast<Stage>(i));
        palette[i] = {static_cast<float>(colour.red()), static_cast<float>(colour.green()),
                      static_cast<float>(colour.blue()), kMax};
    }
    std::vector<QRgb> line;
    line.reserve(shares.size());
    for (const StageShares& column : shares) {
        std::array<float, 4> mixed{};
        for (std::size_t i = 0; i < column.size(); ++i)
            for (std::size_t c = 0; c < mixed.size(); ++c)
                mixed[c] += column[i] * palette[i][c];
        std::array<int, 4> rgba{};
        for (std::size_t c = 0; c < mixed.size(); ++c)
            rgba[c] = static_cast<int>(std::lround(std::min(mixed[c], kMax)));
        line.push_back(qRgba(rgba[0], rgba[1], rgba[2], rgba[3]));
    }
    return line;
}

}  // namespace gantry
