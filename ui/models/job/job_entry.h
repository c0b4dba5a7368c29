#pragma once

#include <QDateTime>
#include <QString>
#include <optional>

#include "core/job/job_status.h"
#include "core/remote/job/remote_job.h"

namespace gantry {

/// What is known of a job on a host, besides its status.
struct HostedPart {
    enum class Moving { nothing, sending, fetching };

    RemoteJob job{};  ///< as last known
    Moving moving = Moving::nothing;
    double fraction = 0;  ///< of what is transferred
    QString remark;       ///< what the transfer waits for, a sentence; empty: nothing
    QString silence;      ///< why the host does not answer; empty: it does
    QDateTime lastHeard;  ///< when it last told of the job; invalid: not known

    [[nodiscard]] QString host() const { return QString::fromStdString(job.host); }
    [[nodiscard]] bool isSilent() const { return !silence.isEmpty(); }
};

/// A job as shown in the table.
struct JobEntry {
    QString folder;     ///< its identity
    QString name;       ///< given by the user, else usualName
    QString usualName;  ///< the scan's
    QString size;       ///< of the volume: "512³"; empty: not known
    QString filter;     ///< its window, or the iterative method: "Hann", "SIRT"
    bool isIterative = false;
    QString output;  ///< the volume's path
    QDateTime created;
    JobStatus status;
    qint64 previewStamp = 0;           ///< when its preview was last written; 0: there is none
    bool isCancelling = false;         ///< its worker has been asked to end
    std::optional<HostedPart> hosted;  ///< none: this machine runs it

    /// Whether a worker runs it, or will when its turn comes.
    [[nodiscard]] bool isActive() const {
        return status.state == JobState::queued || status.state == JobState::running;
    }
    /// Whether it can end now and go on later from what it has kept by then. What a job of a host
    /// has kept is known there.
    [[nodiscard]] bool isPausable() const {
        return status.state == JobState::running && status.hasKept && !hosted;
    }
    [[nodiscard]] bool isPaused() const {
        return status.state == JobState::cancelled && status.canResume && !hosted;
    }
    /// The volume in few voxels, while it is being made. See core/work/job_preview.h.
    [[nodiscard]] QString preview() const { return folder + "/preview.mha"; }
    /// Whether it is done and its volume can be opened.
    [[nodiscard]] bool hasVolume() const {
        return status.state == JobState::done && (!hosted || hosted->job.isFetched);
    }
    /// Whether it is done and its volume is still on its host.
    [[nodiscard]] bool isFetchable() const {
        return status.state == JobState::done && hosted && !hosted->job.isFetched;
    }
    /// Whether it ended without a volume.
    [[nodiscard]] bool isResumable() const { return !isActive() && status.state != JobState::done; }
};

}  // namespace gantry
