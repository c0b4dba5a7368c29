#pragma once

#include <QColor>
#include <QFontMetricsF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/legible_text.h"
#include "ui/scene/schematic/schematic_drag.h"
#include "ui/scene/schematic/schematic_scale.h"
#include "ui/scene/schematic/schematic_shape.h"
#include "ui/scene/schematic/view_parts.h"

namespace gantry {

/// All words of the schematic. The geometry and the grid are the true ones. Each text has several
/// forms, the longest first, for views of all sizes; a form has one line or more. Tests:
/// tests/ui/scene/schematic_scale_test.cpp, tests/ui/scene/schematic_words_test.cpp
struct SchematicWords {
    QStringList distances;
    QStringList notToScale;  ///< empty where the picture is to scale
    QStringList volume;
    QStringList view;
};
[[nodiscard]] SchematicWords schematicWords(const ScanGeometry& geometry, const VolumeGrid& grid,
                                            Index view, const SchematicScale& scale);

/// The value of a handle: "Offset u 12.5 mm (7.8 px)".
[[nodiscard]] QString handleValueText(const SchematicHandle& handle, const ScanGeometry& geometry,
                                      const VolumeGrid& grid);
/// Explains what dragging it does.
[[nodiscard]] QString handleHint(const SchematicHandle& handle);

/// A line of words and its position in the view.
struct PlacedWords {
    QString text;
    QRectF area;
    QColor colour;
};

/// Places the schematic's words so that they cover neither each other nor what is drawn. Without
/// enough room they are wrapped or shortened, and then left out, the least important first.
/// Tests: tests/ui/scene/schematic_words_test.cpp
class SchematicLabels {
  public:
    /// reach: everything the gantry covers while it turns. The words in the upper corner avoid it,
    /// and so do not move; the others do so if they can. parts: what is drawn now. Both outlive
    /// this.
    SchematicLabels(QRectF view, const QFontMetricsF& metrics, const ViewParts& reach,
                    const ViewParts& parts);

    /// Nothing will be placed there.
    void keepFree(const QRectF& area) { m_places.keepFree(area); }
    /// Whether that area is free; if so, it is reserved.
    bool take(const QRectF& area);
    /// Places in the upper left corner: name, distances, what is not to scale.
    void placeAbove(const QString& name, const SchematicWords& words, const QColor& colour);
    /// Places in the lower left corner: volume, view.
    void placeBelow(const SchematicWords& words, const QColor& colour);
    /// Places words beside a point of the picture.
    void placeAt(QPointF point, const QString& text, const QColor& colour);

    [[nodiscard]] const std::vector<PlacedWords>& placed() const { return m_placed; }

  private:
    enum class Edge { upper, lower };
    struct Item {
        QStringList forms;
        int rank;  // the highest rank is left out first
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

/// The areas in the upper left corner that words in these forms take, for each of them.
[[nodiscard]] std::vector<QRectF> roomsAbove(const QStringList& forms,
                                             const QFontMetricsF& metrics);

}  // namespace gantry
