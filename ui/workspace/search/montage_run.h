#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "core/live/live_place.h"
#include "core/plan/job_spec.h"
#include "ui/workspace/search/live_preview.h"

namespace gantry {

/// Makes one slice as each of several jobs does, one after the other, by a process of live slices
/// of its own, so that what befalls it costs pictures and never the window. That process is begun
/// anew where a job takes other values from its views. GUI thread only; nothing blocks.
/// Tests: tests/ui/panels/montage_window_test.cpp
class MontageRun : public QObject {
    Q_OBJECT

  public:
    explicit MontageRun(QString program, QObject* parent = nullptr);

    /// A new run replaces the current one. jobs: one or more, of one scan
    void start(std::vector<JobSpec> jobs, const Plane& plane, const LivePlace& place);
    /// Ends it at once; nothing is emitted any more.
    void cancel();
    [[nodiscard]] bool isBusy() const { return m_number >= 0; }

  signals:
    void progressed(double fraction);
    /// sharpness: see sliceSharpness()
    void made(int number, const gantry::GreyImage& image, gantry::Index binning,
              std::optional<double> sharpness);
    void finished();
    void failed(int number, const QString& sentence);  ///< the run has ended

  private:
    void makeNext();
    void take(const LiveShown& shown);
    void tellProgress(double loaded);
    void fail(const QString& sentence);

    LivePreview m_preview;
    std::vector<JobSpec> m_jobs;
    Plane m_plane;
    LivePlace m_place;
    int m_number = -1;   // of the picture under way; −1: none
    Index m_asked = 0;   // its request
    int m_readFor = -1;  // the job whose views the process holds
};

}  // namespace gantry
