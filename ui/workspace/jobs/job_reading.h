#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <stop_token>
#include <vector>

#include "ui/models/job/job_entry.h"

namespace gantry {

/// The folder's job as an entry of the list; a damaged one states what is wrong. None if there is
/// no job. May be slow.
[[nodiscard]] std::optional<JobEntry> readJobEntry(const QString& folder);

/// The jobs of a list of folders.
struct LoadedJobs {
    std::vector<JobEntry> jobs;
    QStringList vanished;  ///< folders without a job, on disks that are present
};
[[nodiscard]] LoadedJobs loadJobs(const QStringList& folders, const std::stop_token& stop);

}  // namespace gantry
