#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/calibrate/calibrate.h"
#include "ui/workspace/background/background.h"

class QSlider;

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

/// A scan's views as stored, one at a time, with the balls that a calibration found in them.
/// Tests: tests/ui/panels/calibration_window_test.cpp
class CalibrationView : public QWidget {
    Q_OBJECT

  public:
    explicit CalibrationView(QWidget* parent = nullptr);

    /// Null: none.
    void setScan(std::shared_ptr<const OpenScan> scan);
    /// Null: none are marked.
    void setFound(std::shared_ptr<const BallCalibration> found);

  private:
    void showView();
    void read();

    std::shared_ptr<const OpenScan> m_scan;
    std::shared_ptr<const BallCalibration> m_found;
    ImageView* m_image = nullptr;
    BallMarks* m_marks = nullptr;
    QSlider* m_slider = nullptr;
    Background m_reading;
};

}  // namespace gantry
