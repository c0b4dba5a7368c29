#pragma once

#include <QColor>
#include <QFontMetricsF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <vector>

#include "ui/scene/legible_text.h"
#include "ui/scene/schematic/schematic_shape.h"
#include "ui/scene/schematic/schematic_words.h"
#include "ui/scene/schematic/view_parts.h"

namespace gantry {

/// A line of words, where it stands in the view.
struct PlacedWords {
    QString text;
    QRectF area;
    QColor colour;
};

/// Places the schematic's words off each other and off what is drawn. Where there is no room they
/// are wrapped or shortened, and then left out, the least important first.
/// Tests: tests/ui/scene/schematic_words_test.cpp
class SchematicLabels {
  public:
    /// reach: all that the gantry covers while it turns. The words in the upper corner keep off it,
    /// and so stay where they are; the others do where they can. parts: what is drawn now. Both
    /// outlive this.
    SchematicLabels(QRectF view, const QFontMetricsF& metrics, const ViewParts& reach,
                    const ViewParts& parts);

    /// Nothing will be put there.
    void keepFree(const QRectF& area) { m_places.keepFree(area); }
    /// Whether that area is free; it is taken then.
    bool take(const QRectF& area);
    /// In the upper left corner: name, distances, what is not to scale.
    void placeAbove(const QString& name, const SchematicWords& words, const QColor& colour);
    /// In the lower left corner: volume, view.
    void placeBelow(const SchematicWords& words, const QColor& colour);
    /// Beside a point of the picture.
    void placeAt(QPointF point, const QString& text, const QColor& colour);

    [[nodiscard]] const std::vector<PlacedWords>& placed() const { return m_placed; }

  private:
    enum class Edge { upper, lower };
    struct Item {
        QStringList forms;
        int rank;  // what has the highest one is left out first
    };
    void placeStack(const std::vector<Item>& items, Edge edge, const QColor& colour);
    bool placeLines(const QStringList& lines, Edge edge, const QColor& colour);
    [[nodiscard]] QStringList formsOfName(const QString& name) const;

    QRectF m_view;
    QFontMetricsF m_metrics;
    LabelPlaces m_places;
    const ViewParts& m_reach;
    const ViewParts& m_parts;
    std::vector<PlacedWords> m_placed;
};

/// The room that one form of these words takes in the upper left corner, for each of them.
[[nodiscard]] std::vector<QRectF> roomsAbove(const QStringList& forms,
                                             const QFontMetricsF& metrics);

}  // namespace gantry
