#pragma once

#include <QPainterPath>
#include <QRectF>
#include <QString>
#include <QWidget>
#include <functional>

#include "ui/models/image/grey_image.h"

class QPainter;

namespace gantry {

/// Round numbers below an axis that goes from `range.black` at the line's left end to `range.white`
/// at its right one, and the unit, if any, at the right. In the painter's font and colour.
/// Tests: tests/ui/widgets/histogram_view_test.cpp
void paintScaleNumbers(QPainter& painter, const QRectF& line, const GreyWindow& range,
                       const QString& unit);

/// A histogram as an area to be filled: the square root of the counts, at the x positions given by
/// `xOf`; empty without counts. The highest bins, usually air, are cut off.
/// Tests: tests/ui/widgets/histogram_view_test.cpp
[[nodiscard]] QPainterPath histogramOutline(const Histogram& histogram, const QRectF& area,
                                            const std::function<double(double value)>& xOf);

/// A histogram (square root of the counts) over a grey bar with numbers and unit. The window's ends
/// are lines that are dragged; between them drags both; double click is automatic. Keys: left and
/// right move the window, up and down widen and narrow it, Enter is automatic.
/// Tests: tests/ui/widgets/histogram_view_test.cpp
class HistogramView : public QWidget {
    Q_OBJECT

  public:
    explicit HistogramView(QWidget* parent = nullptr);
    void setHistogram(const Histogram& histogram, const QString& unit);
    [[nodiscard]] const Histogram& histogram() const { return m_histogram; }
    void setWindow(const GreyWindow& window);

    [[nodiscard]] QSize sizeHint() const override { return {260, 110}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 72}; }

  signals:
    void windowEdited(const gantry::GreyWindow& window);
    void automaticRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    enum class Grip { none, black, white, both };
    [[nodiscard]] QRectF plotArea() const;
    [[nodiscard]] double valueAt(double x) const;
    [[nodiscard]] double xOf(double value) const;
    [[nodiscard]] Grip gripAt(double x) const;
    void showWholeRange();
    void edit(const GreyWindow& window);
    void paintBins(QPainter& painter, const QRectF& area) const;
    void paintScale(QPainter& painter, const QRectF& area) const;

    Histogram m_histogram;
    QString m_unit;
    GreyWindow m_window;
    double m_low = 0;  ///< ends of the axis, which contains histogram and window
    double m_high = 1;
    Grip m_grip = Grip::none;
    GreyWindow m_gripWindow;
    double m_gripX = 0;
};

}  // namespace gantry
