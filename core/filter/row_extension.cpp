#include "core/filter/row_extension.h"

#include "core/geometry/vec3.h"

namespace gantry {

RowExtension binned(const RowExtension& extension, Index binning) {
    const auto columns = [=](Index fine) { return (fine + binning - 1) / binning; };
    return {columns(extension.before), columns(extension.after),
            extension.perColumn * static_cast<double>(binning), columns(extension.shownBefore),
            columns(extension.shownAfter)};
}

RowEdge edgeOf(std::span<const float> row, bool isEnd) {
    const auto columns = std::ssize(row);
    const Index n = std::min(kEdgeColumns, columns);
    // Least squares about the middle of these columns.
    const float middle = static_cast<float>(n - 1) / 2;
    float sum = 0;
    float moment = 0;
    float squares = 0;
    for (Index i = 0; i < n; ++i) {
        const float value = row[isEnd ? columns - 1 - i : i];
        const float place = static_cast<float>(i) - middle;
        sum += value * std::abs(value);
        moment += place * value * std::abs(value);
        squares += place * place;
    }
    const float fall = squares > 0 ? moment / squares : 0;
    return {sum / static_cast<float>(n) - fall * middle, fall, n};
}

namespace {

// The square of a cylinder's line integral at the distance d beyond the edge, in columns:
// level − fall·d − curve·d².
struct Shadow {
    double level;
    double fall;
    double curve;
};

// Takes the part of the curve out of the straight line through the squares of the outermost
// columns.
Shadow shadowOf(const RowEdge& edge, double perColumn) {
    const auto last = static_cast<double>(edge.columns - 1);
    const double curve = 4 * perColumn * perColumn;
    return {std::max(0.0, edge.square - curve * last * (last - 1) / 6),
            std::max(0.0, edge.fall + curve * last), curve};
}

double reachOf(const Shadow& shadow) {
    const double root = std::sqrt(shadow.fall * shadow.fall + 4 * shadow.curve * shadow.level);
    return root > 0 ? 2 * shadow.level / (shadow.fall + root) : 0;
}

}  // namespace

double reachOf(const RowEdge& edge, double perColumn) {
    return reachOf(shadowOf(edge, perColumn));
}

void extendRow(const RowEdge& edge, double perColumn, Index columns, float* nearest, Index step) {
    if (perColumn == 0) {
        const float level = std::sqrt(std::max(0.0F, edge.square));
        for (Index k = 1; k <= columns; ++k) {
            const double share = static_cast<double>(k) / static_cast<double>(columns + 1);
            nearest[(k - 1) * step] =
                level * 0.5F * (1 + static_cast<float>(std::cos(kPi * share)));
        }
        return;
    }
    const Shadow shadow = shadowOf(edge, perColumn);
    const double scale = std::max(1.0, reachOf(shadow) / static_cast<double>(columns));
    const auto level = static_cast<float>(shadow.level);
    const auto fall = static_cast<float>(scale * shadow.fall);
    const auto curve = static_cast<float>(scale * scale * shadow.curve);
    for (Index k = 1; k <= columns; ++k) {
        const auto d = static_cast<float>(k);
        nearest[(k - 1) * step] = std::sqrt(std::max(0.0F, level - d * (fall + curve * d)));
    }
}

}  // namespace gantry
