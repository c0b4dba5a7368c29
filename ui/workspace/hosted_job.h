#pragma once

#include <QString>
#include <string>

#include "core/job/job_status.h"
#include "core/remote/batch_script.h"
#include "core/remote/remote_job.h"
#include "ui/models/job/job_entry.h"

namespace gantry {

/// What is asked of a host with a job.
struct HostOrder {
    std::string host;  ///< for findHost()
    JobResources resources;
    DataWay way = DataWay::sent;
    BringBack bring = BringBack::volume;
    std::string script;  ///< edited; empty: batchScript()
};

/// A script in the job's folder that was edited by hand, where one was.
inline constexpr const char* kEditedScript = "edited.sh";

/// Makes the job's folder for the host, with all that is needed to hand it over. Slow.
/// spec: its scan's files where `way` says. @throws InputError, ResourceError
void createHostedJob(const JobSpec& spec, const HostOrder& order);

/// How a job of a host, or of this machine, stands.
/// Tests: tests/ui/workspace/host_jobs_test.cpp
struct HostedJob {
    QString folder;
    RemoteJob job;
    HostedPart part;
    JobStatus status;
    qint64 previewStamp = 0;
    bool isUnreachable = false;  ///< its folder is gone, as far as is known with its disk

    [[nodiscard]] bool isOfThisMachine() const { return job.isOfThisMachine(); }
};
/// By what is known here of the job. May be slow.
[[nodiscard]] HostedJob hostedJob(const RemoteJob& job);
/// Of a job that no one looks after yet: one that was being sent has been interrupted. Slow.
[[nodiscard]] HostedJob readHostedJob(const RemoteJob& job);

/// A job of this machine, which may be under way.
[[nodiscard]] HostedJob localHostedJob(const QString& folder, JobState state);

}  // namespace gantry
