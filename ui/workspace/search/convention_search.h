#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "core/doctor/diagnosis.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/background/background_progress.h"

namespace gantry {

/// Tries other conventions on a scan off the GUI thread, on the CPU, in some seconds. One search at
/// a time: a new one replaces the current one, which is asked to stop and reports nothing more. GUI
/// thread only, as are all signals; nothing blocks. Tests:
/// tests/ui/panels/convention_window_test.cpp
class ConventionSearch : public QObject {
    Q_OBJECT

  public:
    explicit ConventionSearch(QObject* parent = nullptr);
    ~ConventionSearch() override;

    /// finished() or failed() follows, unless it is cancelled. open: its images; null: they are
    /// opened here, for example because the declared geometry is unusable
    void start(const ScanFile& scan, std::shared_ptr<const OpenScan> open);
    void cancel();

  signals:
    /// The current step, and the part of the whole that is done; about ten times a second.
    void progressed(const QString& what, double fraction);
    void finished(std::shared_ptr<const gantry::Diagnosis> diagnosis);
    void failed(const QString& sentence);

  private:
    BackgroundProgress m_progress;
    Background m_work;
};

}  // namespace gantry
