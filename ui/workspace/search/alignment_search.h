#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "core/align/find_alignment.h"
#include "core/scan/open_scan.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/background/background_progress.h"

namespace gantry {

/// Finds the centre of rotation, roll and tilt of a scan off the GUI thread, on the CPU, in some
/// seconds. One search at a time: a new one replaces the current one, which is asked to stop and
/// reports nothing more. GUI thread only, as are all signals; nothing blocks. Tests:
/// tests/ui/workspace/alignment_search_test.cpp
class AlignmentSearch : public QObject {
    Q_OBJECT

  public:
    explicit AlignmentSearch(QObject* parent = nullptr);
    ~AlignmentSearch() override;

    /// finished() or failed() follows, unless it is cancelled.
    void start(std::shared_ptr<const OpenScan> scan, CentreFinder finder = CentreFinder::automatic);
    void cancel();
    [[nodiscard]] bool isBusy() const { return m_work.isBusy(); }

  signals:
    /// The current step, and the part of the whole that is done; about ten times a second.
    void progressed(const QString& what, double fraction);
    void finished(const gantry::Alignment& alignment);
    void failed(const QString& sentence);

  private:
    BackgroundProgress m_progress;
    Background m_work;
};

}  // namespace gantry
