#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>

#include "core/geometry/scan_geometry.h"

class QComboBox;
class QLabel;
class QSlider;
class QSpinBox;
class QToolButton;

namespace gantry {

/// Chooses a view of a scan: by a slider, by number, or by playing them all.
/// Tests: tests/ui/panels/projections_panel_test.cpp
class ProjectionsScrubber : public QWidget {
    Q_OBJECT

  public:
    explicit ProjectionsScrubber(QWidget* parent = nullptr);

    void setScan(const ScanGeometry& geometry);
    void setView(Index view);
    [[nodiscard]] Index view() const { return m_view; }
    /// Playing waits for a view while this returns false.
    void setReadyCheck(std::function<bool()> isReady) { m_isReady = std::move(isReady); }
    void setPlaying(bool isPlaying);
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    /// Steps forward or back, stopping at the ends.
    void step(int views);

  signals:
    void viewChosen(gantry::Index view);

  protected:
    void hideEvent(QHideEvent* event) override;

  private:
    void playOn();
    void showAngle();

    ScanGeometry m_geometry;
    Index m_view = 0;
    std::function<bool()> m_isReady;
    QTimer m_timer;
    QToolButton* m_play = nullptr;
    QSlider* m_slider = nullptr;
    QSpinBox* m_number = nullptr;
    QLabel* m_angle = nullptr;
    QComboBox* m_speed = nullptr;
};

}  // namespace gantry
