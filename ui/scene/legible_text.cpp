#include "ui/scene/legible_text.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "ui/scene/schematic/view_parts.h"

namespace gantry {

void paintLegible(QPainter& painter, QPointF baseline, const QString& text, const QColor& colour,
                  const QColor& rim) {
    // At whole pixels, where letters are sharp, and alike every time.
    const QPointF at(std::round(baseline.x()), std::round(baseline.y()));
    QPainterPath path;
    path.addText(at, painter.font(), text);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(rim, 4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
    painter.setPen(colour);
    painter.drawText(at, text);
}

QRectF LabelPlaces::take(QPointF middle, QSizeF size) {
    constexpr int kFarthest = 10;  // steps of half a line away from where it belongs
    const double step = size.height() / 2;
    QRectF area({}, size);
    for (int away = 0; away <= kFarthest; ++away)
        for (const QPointF way : {QPointF(0, -1), QPointF(0, 1), QPointF(1, 0), QPointF(-1, 0),
                                  QPointF(1, -1), QPointF(-1, -1), QPointF(1, 1), QPointF(-1, 1)}) {
            area.moveCenter(middle + away * step * way);
            if (!isFree(area)) continue;
            m_taken.push_back(area);
            return area;
        }
    return {};
}

bool LabelPlaces::isFree(const QRectF& area) const {
    return m_view.contains(area) &&
           std::ranges::none_of(m_taken,
                                [&](const QRectF& taken) { return taken.intersects(area); }) &&
           !(m_parts && m_parts->touches(area));
}

}  // namespace gantry
