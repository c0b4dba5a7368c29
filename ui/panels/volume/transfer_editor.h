#pragma once

#include <QWidget>
#include <optional>

#include "ui/models/image/transfer_function.h"

namespace gantry {

/// A transfer function above the volume's histogram: points of opacity over attenuation, in 1/mm.
/// Drag moves a point, a double click adds one, or asks for the colour of the one under it. Keys:
/// arrows move the chosen point (Ctrl: in fine steps), Page up and down choose, Insert adds, Delete
/// removes, Enter asks for the colour. A line marks the attenuation of a surface that is shown: it
/// is dragged likewise, and chosen and moved by the same keys.
/// Tests: tests/ui/panels/transfer_editor_test.cpp
class TransferEditor : public QWidget {
    Q_OBJECT

  public:
    explicit TransferEditor(QWidget* parent = nullptr);

    void setHistogram(const Histogram& histogram, const QString& unit);
    void setTransfer(const TransferFunction& transfer);
    [[nodiscard]] const TransferFunction& transfer() const { return m_transfer; }
    [[nodiscard]] std::size_t chosen() const { return m_chosen; }
    /// Gives the chosen point other values, as far as its neighbours let it.
    void changeChosen(const TransferPoint& point, bool isFinal);
    /// Sets the attenuation of the surface, 1/mm; none: there is no line.
    void setLevel(std::optional<double> level);
    /// Where a point stands in the widget.
    [[nodiscard]] QPointF placeOf(const TransferPoint& point) const;

    [[nodiscard]] QSize sizeHint() const override { return {240, 150}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 110}; }

  signals:
    /// By the user. `isFinal` is false during a drag.
    void edited(const gantry::TransferFunction& transfer, bool isFinal);
    void levelEdited(double level, bool isFinal);
    void chosenChanged();
    void colourRequested();

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] QRectF plotArea() const;
    [[nodiscard]] double xOf(double value) const;
    [[nodiscard]] TransferPoint pointAt(QPointF place) const;
    [[nodiscard]] std::optional<std::size_t> hit(QPointF place) const;
    [[nodiscard]] double minApart() const { return 1e-4 * m_range.width(); }
    [[nodiscard]] bool isAtLevel(QPointF place) const;
    void moveLevel(double level, bool isFinal);
    void chooseNext(int direction);
    void showRange();
    void choose(std::size_t index);
    void add(const TransferPoint& point);
    void removeChosen();
    void moveChosen(QPointF pixels);
    void paintLevel(QPainter& painter, const QRectF& area) const;
    void paintCurve(QPainter& painter, const QRectF& area) const;

    Histogram m_histogram;
    QString m_unit;  // of the values
    TransferFunction m_transfer = windowTransfer({});
    GreyWindow m_range;  // from the left end to the right one
    std::optional<double> m_level;
    bool m_isLevelChosen = false;  ///< and not a point
    std::size_t m_chosen = 0;
    bool m_isDragging = false;
    bool m_hasMoved = false;
};

}  // namespace gantry
