#pragma once

#include <QWidget>
#include <vector>

#include "core/calibrate/calibrate.h"

namespace gantry {

class ImageView;

/// Balls marked over a view: a ring with its number about one that is used, a cross on any other.
/// Tests: tests/ui/panels/calibration_window_test.cpp
class BallMarks : public QWidget {
    Q_OBJECT

  public:
    /// A child of the view, as large as it.
    explicit BallMarks(ImageView& view);

    /// columnMm: a column's width, by which rings are as large as their balls
    void setBalls(std::vector<CalibratedImage> balls, double columnMm);
    [[nodiscard]] const std::vector<CalibratedImage>& balls() const { return m_balls; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    ImageView& m_view;
    std::vector<CalibratedImage> m_balls;
    double m_columnMm = 1;
};

}  // namespace gantry
