#pragma once

#include <QWidget>
#include <memory>

#include "core/calibrate/calibrate.h"
#include "ui/workspace/background/background.h"

class QSlider;

namespace gantry {

class BallMarks;
class ImageView;

/// A scan's views as stored, one at a time, with the balls that a calibration found in them.
/// Tests: tests/ui/panels/calibration_window_test.cpp
class CalibrationView : public QWidget {
    Q_OBJECT

  public:
    explicit CalibrationView(QWidget* parent = nullptr);
    ~CalibrationView() override;

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
