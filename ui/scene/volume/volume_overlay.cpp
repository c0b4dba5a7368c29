#include "ui/scene/volume/volume_overlay.h"

#include <QLinearGradient>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/axis_ticks.h"
#include "ui/scene/box_outline.h"
#include "ui/scene/legible_text.h"

namespace gantry {

namespace {

constexpr double kBarWidth = 12;
constexpr double kPixelsANumber = 36;
constexpr double kLeastBar = 60;
// Matter is drawn by rays that go through much of it: what it is in the picture is far less clear
// than a hundredth of the diagonal of it.
constexpr double kLayers = 12;

// From the bar's upper end, the largest value, to its lower one.
QLinearGradient coloursOf(const RayCastRequest& request, const QRectF& bar,
                          const GreyWindow& ends) {
    QLinearGradient colours(bar.topLeft(), bar.bottomLeft());
    if (request.isMaximum) {
        colours.setColorAt(0, Qt::white);
        colours.setColorAt(1, Qt::black);
        return colours;
    }
    constexpr int kStops = 64;
    for (int i = 0; i <= kStops; ++i) {
        const double share = static_cast<double>(i) / kStops;
        const TransferPoint point = request.transfer.at(ends.white - share * ends.width());
        QColor colour(point.colour);
        colour.setAlphaF(static_cast<float>(1 - std::pow(1 - point.opacity, kLayers)));
        colours.setColorAt(share, colour);
    }
    return colours;
}

}  // namespace

void paintBox(QPainter& painter, const BoxView& box, bool isFront) {
    painter.setPen(QPen(isFront ? box.theme.muted : box.theme.line, 1));
    for (const BoxEdge& edge : boxEdges(box.grid, box.camera.eyeMm()))
        if (edge.isFront == isFront)
            painter.drawLine(box.camera.viewPoint(edge.fromMm, box.view),
                             box.camera.viewPoint(edge.toMm, box.view));
}

void paintColourBar(QPainter& painter, const QRectF& area, const RayCastRequest& request,
                    const Theme& theme) {
    const QFontMetricsF metrics(painter.font());
    const QRectF bar(area.right() - kBarWidth, area.top() + 1.5 * metrics.height(), kBarWidth,
                     area.height() - 1.5 * metrics.height());
    const GreyWindow ends = request.isMaximum ? request.window : request.transfer.extent();
    if (bar.height() < kLeastBar || !(ends.width() > 0)) return;
    painter.fillRect(bar, theme.background);
    painter.fillRect(bar, coloursOf(request, bar, ends));
    painter.setPen(QPen(theme.muted, 1));
    painter.drawRect(bar);
    const auto atRight = [&](double right, double baseline, const QString& text) {
        const QPointF at(right - metrics.horizontalAdvance(text), baseline);
        paintLegible(painter, at, text, theme.text, theme.background);
    };
    atRight(area.right(), area.top() + metrics.ascent(), QStringLiteral("/mm"));
    const int most = std::max(2, static_cast<int>(bar.height() / kPixelsANumber));
    const std::vector<double> ticks = niceTicks(ends.black, ends.white, most);
    for (const double tick : ticks) {
        const double y = bar.bottom() - (tick - ends.black) / ends.width() * bar.height();
        painter.drawLine(QPointF(bar.left() - 4, y), QPointF(bar.left(), y));
        atRight(bar.left() - 6, y + metrics.capHeight() / 2, tickText(tick, ticks));
    }
}

}  // namespace gantry
