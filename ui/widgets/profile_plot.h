#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace gantry {

/// Curves over a common axis, each scaled to its own unit's axis (at most two units: left and
/// right), with numbers, units and a legend; a read-out under the pointer.
/// Tests: tests/ui/widgets/profile_plot_test.cpp
class ProfilePlot : public QWidget {
    Q_OBJECT

  public:
    struct Curve {
        QString name;
        QString unit;
        QColor colour;
        std::vector<double> values;  ///< at x = 0, 1, 2, …
    };

    explicit ProfilePlot(QWidget* parent = nullptr);
    void setCurves(std::vector<Curve> curves, const QString& xTitle);

    [[nodiscard]] QSize sizeHint() const override { return {400, 140}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    std::vector<Curve> m_curves;
    QString m_xTitle;
    double m_pointerX = -1;
};

}  // namespace gantry
