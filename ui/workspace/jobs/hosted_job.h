#pragma once

#include <QString>

#include "core/job/job_status.h"
#include "core/remote/job/remote_job.h"
#include "ui/models/job/job_entry.h"

namespace gantry {

/// The state of a job of a host, or of this machine. Tests: tests/ui/workspace/host_jobs_test.cpp
struct HostedJob {
    QString folder;
    RemoteJob job;
    HostedPart::Moving moving = HostedPart::Moving::nothing;
    JobStatus status;
    qint64 previewStamp = 0;
    bool isUnreachable = false;  ///< its folder is gone, or its disk is away
};
/// The state from what is known here. May be slow.
[[nodiscard]] HostedJob hostedJob(const RemoteJob& job);
/// The same for a job that nobody manages yet: if it was being sent, that was interrupted. Slow.
[[nodiscard]] HostedJob readHostedJob(const RemoteJob& job);

}  // namespace gantry
