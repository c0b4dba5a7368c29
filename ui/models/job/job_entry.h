#pragma once

#include <QDateTime>
#include <QString>

#include "core/job/job_status.h"

namespace gantry {

/// A job as the table shows it.
struct JobEntry {
    QString folder;  ///< its identity
    QString name;    ///< that the operator gave it, else usualName
    /// "walnut 512³ Hann 14:05:12"
    QString usualName;
    QString output;  ///< the volume's path
    QDateTime created;
    JobStatus status;
    qint64 previewStamp = 0;    ///< when its preview was last written; 0: there is none
    bool isCancelling = false;  ///< its worker has been asked to end

    /// A worker runs it, or will when its turn comes.
    [[nodiscard]] bool isActive() const {
        return status.state == JobState::queued || status.state == JobState::running;
    }
    /// The volume in few voxels, while it is made. See core/work/job_preview.h.
    [[nodiscard]] QString preview() const { return folder + "/preview.mha"; }
    /// It ended without a volume.
    [[nodiscard]] bool isResumable() const { return !isActive() && status.state != JobState::done; }
};

}  // namespace gantry
