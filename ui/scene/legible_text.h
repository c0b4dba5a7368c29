#pragma once

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <vector>

class QPainter;

namespace gantry {

class ViewParts;

/// Paints text with a rim, so that it can be read over lines and bright matter. `rim`: with as much
/// contrast to the text's colour as the background
void paintLegible(QPainter& painter, QPointF baseline, const QString& text, const QColor& colour,
                  const QColor& rim);

/// Finds places for words that cover neither each other nor what is drawn.
/// Tests: tests/ui/scene/label_places_test.cpp
class LabelPlaces {
  public:
    explicit LabelPlaces(QRectF view) : m_view(view) {}
    /// Nothing will be placed there.
    void keepFree(QRectF area) { m_taken.push_back(area); }
    /// From now on words are placed on none of these, which replace earlier ones and outlive this.
    void avoid(const ViewParts& parts) { m_parts = &parts; }
    [[nodiscard]] bool isFree(const QRectF& area) const;
    /// Reserves an area of that size in the view, about `middle` or as near beside it as possible;
    /// empty if there is no room.
    [[nodiscard]] QRectF take(QPointF middle, QSizeF size);

  private:
    QRectF m_view;
    std::vector<QRectF> m_taken;
    const ViewParts* m_parts = nullptr;
};

}  // namespace gantry
