#include "ui/scene/legible_text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/scene/schematic/view_parts.h"

namespace gantry {

void paintLegible(QPainter& painter, QPointF baseline, const QString& text, const QColor& colour,
                  const QColor& rim) {
    // Whole pixels make letters sharp, and the same every time.
    const QPointF at(std::round(baseline.x()), std::round(baseline.y()));
    // The rim consists of the letters drawn around their place: stroking their outlines takes ten
    // times as long, which is noticed while a volume turns.
    constexpr double kRim = 2;
    constexpr double kDiagonal = 1.4;
    painter.setPen(rim);
    for (const QPointF away :
         {QPointF(kRim, 0), QPointF(-kRim, 0), QPointF(0, kRim), QPointF(0, -kRim),
          QPointF(kDiagonal, kDiagonal), QPointF(kDiagonal, -kDiagonal),
          QPointF(-kDiagonal, kDiagonal), QPointF(-kDiagonal, -kDiagonal)})
        painter.drawText(at + away, text);
    painter.setPen(colour);
    painter.drawText(at, text);
}

QRectF LabelPlaces::take(QPointF middle, QSizeF size) {
    constexpr int kFarthest = 10;  // max steps of half a line away from the wanted place
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
