#include "ui/scene/legible_text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/scene/schematic/view_parts.h"

namespace gantry {

void paintLegible(QPainter& painter, QPointF baseline, const QString& text, const QColor& colour,
                  const QColor& rim) {
    // At whole pixels, where letters are sharp, and alike every time.
    const QPointF at(std::round(baseline.x()), std::round(baseline.y()));
    // The letters around their place are their rim: their outlines, stroked, take ten times as
    // long, which is felt while a volume turns.
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
