#pragma once

#include <QString>
#include <string>

#include "core/job/job_status.h"
#include "core/remote/job/batch_script.h"
#include "core/remote/job/remote_job.h"
#include "ui/models/job/job_entry.h"

namespace gantry {

/// The request to a host for a job.
struct HostOrder {
    std::string host;  ///< for findHost()
    JobResources resources;
    DataWay way = DataWay::sent;
    BringBack bring = BringBack::volume;
    std::string script;  ///< edited; empty: batchScript()
};

/// A script in the job's folder that was edited by hand, if there is one.
inline constexpr const char* kEditedScript = "edited.sh";

/// Creates the job's folder for the host, with everything needed to hand it over. Slow. spec: its
/// scan's files as required by `way`.
/// @throws InputError, ResourceError
void createHostedJob(const JobSpec& spec, const HostOrder& order);

/// The state of a job of a host, or of this machine. Tests: tests/ui/workspace/host_jobs_test.cpp
struct HostedJob {
    QString folder;
    RemoteJob job;
    HostedPart part;
    JobStatus status;
    qint64 previewStamp = 0;
    bool isUnreachable = false;  ///< its folder is gone, or its disk is away

    [[nodiscard]] bool isOfThisMachine() const { return job.isOfThisMachine(); }
};
/// The state from what is known here. May be slow.
[[nodiscard]] HostedJob hostedJob(const RemoteJob& job);
/// The same for a job that nobody manages yet: if it was being sent, that was interrupted. Slow.
[[nodiscard]] HostedJob readHostedJob(const RemoteJob& job);

/// A job of this machine, which may be active.
[[nodiscard]] HostedJob localHostedJob(const QString& folder, JobState state);

}  // namespace gantry
