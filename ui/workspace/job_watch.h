#pragma once

#include <QString>
#include <QStringList>
#include <chrono>
#include <optional>
#include <stop_token>
#include <vector>

#include "ui/models/job/job_entry.h"

namespace gantry {

/// How far the ending of a job's worker has come.
struct Cancelling {
    int askedPid = 0;  ///< the worker that got SIGTERM
    std::chrono::steady_clock::time_point askedAt;
    bool isKilled = false;  ///< it did not end in time
};

/// A process of this machine. Its number alone may be that of another by now.
struct Process {
    qint64 pid = 0;    ///< 0: none
    qint64 start = 0;  ///< when it began, in clock ticks since the machine was started; 0: unknown
};

/// The process of that number as it is now; none when it has ended. Quick.
[[nodiscard]] Process processOf(qint64 pid);

/// What to look at, and to do, in a job's folder.
struct WatchOrder {
    QString folder;
    Process launched;  ///< that was started for it
    std::optional<Cancelling> cancelling;
};

/// What was found.
struct WatchedJob {
    QString folder;
    std::optional<JobStatus> status;  ///< none: there is no such job
    bool isUnreachable = false;       ///< nor the disk that it was on, as far as is known
    bool launchedIsAlive = false;
    qint64 previewStamp = 0;  ///< as JobEntry's
    std::optional<Cancelling> cancelling;
};

/// Looks at a job's folder. A worker that is to be cancelled is asked once to end (SIGTERM), and
/// killed when it still works on the job after 5 s; a job that was to be cancelled and that nobody
/// works on any more is marked as cancelled in its folder. May be slow: not for the GUI thread.
/// Tests: tests/ui/workspace/job_store_test.cpp
[[nodiscard]] WatchedJob watchJob(const WatchOrder& order);

/// The folder's job as an entry of the list; damaged ones say what is wrong. None where there is no
/// job. May be slow.
[[nodiscard]] std::optional<JobEntry> readJobEntry(const QString& folder);

/// The jobs of a list of folders.
struct LoadedJobs {
    std::vector<JobEntry> jobs;
    QStringList vanished;  ///< folders without a job, on disks that are there
};
[[nodiscard]] LoadedJobs loadJobs(const QStringList& folders, const std::stop_token& stop);

}  // namespace gantry
