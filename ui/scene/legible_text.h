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

/// Text with a rim, so that it can be read over whatever is below it: lines, bright matter.
/// `rim`: as far from the text's colour as the background is.
void paintLegible(QPainter& painter, QPointF baseline, const QString& text, const QColor& colour,
                  const QColor& rim);

/// Finds places for words that cover neither each other nor what is drawn.
/// Tests: tests/ui/scene/label_places_test.cpp
class LabelPlaces {
  public:
    explicit LabelPlaces(QRectF view) : m_view(view) {}
    /// Nothing will be put there.
    void keepFree(QRectF area) { m_taken.push_back(area); }
    /// Nor on these from now on, in place of others; they outlive this.
    void avoid(const ViewParts& parts) { m_parts = &parts; }
    [[nodiscard]] bool isFree(const QRectF& area) const;
    /// A place of that size in the view, about `middle` or as near beside it as is free; empty
    /// where all is taken.
    [[nodiscard]] QRectF take(QPointF middle, QSizeF size);

  private:
    QRectF m_view;
    std::vector<QRectF> m_taken;
    const ViewParts* m_parts = nullptr;
};

}  // namespace gantry
