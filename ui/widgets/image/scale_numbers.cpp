#include "ui/widgets/image/scale_numbers.h"

#include <QPainter>
#include <algorithm>

#include "ui/models/axis_ticks.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

void paintScaleNumbers(QPainter& painter, const QRectF& line, const GreyWindow& range,
                       const QString& unit) {
    constexpr int kPixelsATick = 70;
    const QFontMetrics metrics = painter.fontMetrics();
    painter.drawText(line, Qt::AlignRight, unit);
    const double unitLeft = line.right() - metrics.horizontalAdvance(unit) - kSpacing;
    const auto ticks = niceTicks(range.black, range.white,
                                 std::max(2, static_cast<int>(line.width()) / kPixelsATick));
    for (const double tick : ticks) {
        const QString text = tickText(tick, ticks);
        const double half = metrics.horizontalAdvance(text) / 2.0 + 1;
        const double share = (tick - range.black) / range.width();
        // The outermost ones may extend into the margin.
        const double x =
            std::clamp(line.left() + share * line.width(), line.left() - kSpacing + half,
                       std::max(line.left() - kSpacing + half, line.right() + kSpacing - half));
        if (unit.isEmpty() || x + half < unitLeft)
            painter.drawText(QRectF(x - half, line.top(), 2 * half, line.height()),
                             Qt::AlignHCenter, text);
    }
}

}  // namespace gantry
