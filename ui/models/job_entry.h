#pragma once

#include <QDateTime>
#include <QString>

#include "core/recon/job_status.h"

namespace gantry {

/// A job as the table shows it.
struct JobEntry {
    QString folder;  ///< its identity
    QString name;    ///< "walnut 512³"
    QString output;  ///< the volume's path
    QDateTime created;
    JobStatus status;
    bool isCancelling = false;  ///< its worker has been asked to end

    /// Something works on it, or will when its turn has come.
    [[nodiscard]] bool isActive() const {
        return status.state == JobState::queued || status.state == JobState::running;
    }
};

}  // namespace gantry
