#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <array>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Curves over a common axis, each scaled to its own unit's axis (at most two units: left and
/// right), with numbers, units and a legend; a read-out under the pointer. The plot is our own
/// because Qt Charts and QCustomPlot are under the GPL.
/// Tests: tests/ui/widgets/profile_plot_test.cpp
class ProfilePlot : public QWidget {
    Q_OBJECT

  public:
    struct Curve {
        QString name;
        QString unit;
        QColor colour;
        std::vector<double> values;  ///< at x = 0, 1, 2, … in steps of the axis
    };
    /// The x axis: by default a count from 0 on, as for a detector's columns.
    struct XAxis {
        QString title = {};
        QString unit = {};  ///< empty: a count, whose ticks are whole numbers
        double first = 0;
        double step = 1;  ///< above 0
    };

    /// A dot at a notable point, on the left axis.
    struct Mark {
        double x = 0;  ///< in units of the x axis
        double value = 0;
        QColor colour = {};
        QString text = {};  ///< beside it, with lines to both axes; empty: only a dot
    };

    explicit ProfilePlot(QWidget* parent = nullptr);
    /// The title names the quantity of x: "detector column".
    void setCurves(std::vector<Curve> curves, const QString& xTitle);
    void setCurves(std::vector<Curve> curves, const XAxis& x);
    /// Shown until other curves are set.
    void setMarks(std::vector<Mark> marks);
    [[nodiscard]] const std::vector<Mark>& marks() const { return m_marks; }
    /// The text shown if there are no curves.
    void setEmptyText(const QString& text);
    /// The read-out under the pointer, a line each; empty: the pointer is elsewhere.
    [[nodiscard]] QString readOut() const;

    [[nodiscard]] QSize sizeHint() const override { return {400, 140}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 96}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// The values of one unit, on the left or on the right.
    struct Axis {
        QString unit;
        double low = 0;
        double high = 1;
        std::vector<double> ticks;
        bool isUsed = false;
    };
    void fitAxes();
    [[nodiscard]] const Axis& axisOf(const Curve& curve) const;
    /// Measures texts, so it is called once a picture, not once a point.
    [[nodiscard]] QRectF plotArea() const;
    [[nodiscard]] double xOf(const QRectF& area, double index) const;
    [[nodiscard]] static double yOf(const QRectF& area, const Axis& axis, double value);
    [[nodiscard]] Index indexUnderPointer() const;
    void paintAxes(QPainter& painter) const;
    void paintXAxis(QPainter& painter) const;
    void paintCurve(QPainter& painter, const Curve& curve) const;
    void paintMark(QPainter& painter, const Mark& mark) const;
    void paintLegend(QPainter& painter) const;
    void paintReadOut(QPainter& painter) const;

    std::vector<Curve> m_curves;
    std::array<Axis, 2> m_axes;  ///< left, right
    Index m_length = 0;          ///< of the longest curve
    std::vector<Mark> m_marks;
    XAxis m_x;
    QString m_emptyText;
    double m_pointerX = -1;
};

}  // namespace gantry
