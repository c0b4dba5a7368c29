#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/calibrate/calibrate.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/background/background_progress.h"

namespace gantry {

/// What the user knows about a phantom with balls.
struct BallQuestion {
    std::filesystem::path balls;        ///< a file of their positions; empty: none
    std::optional<KnownLength> length;  ///< used if there is no file
    bool posePerView = false;
};

/// Calibrates a scan by its balls off the GUI thread. One search at a time: a new one replaces the
/// current one, which is asked to stop and reports nothing more. GUI thread only, as are all
/// signals; nothing blocks. Tests: tests/ui/panels/calibration_window_test.cpp
class CalibrationSearch : public QObject {
    Q_OBJECT

  public:
    explicit CalibrationSearch(QObject* parent = nullptr);
    ~CalibrationSearch() override;

    /// finished() or failed() follows, unless it is cancelled.
    void start(std::shared_ptr<const OpenScan> scan, const BallQuestion& question);
    void cancel();

  signals:
    /// The current step, and the part of the whole that is done; about ten times a second.
    void progressed(const QString& what, double fraction);
    void finished(const std::shared_ptr<const gantry::BallCalibration>& found);
    void failed(const QString& sentence);

  private:
    BackgroundProgress m_progress;
    Background m_work;
};

}  // namespace gantry
