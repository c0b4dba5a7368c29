#pragma once

#include <QSet>
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

/// Jobs that a desktop does not know yet.
struct FoundJobs {
    std::vector<JobEntry> jobs;
    QStringList ofHosts;     ///< folders of those that the command line has started on hosts
    QStringList vanished;    ///< listed folders that are gone from disks that are present
    QStringList unreadable;  ///< other listed folders without a job
};
/// The jobs of the settings' list, which other windows may have put there, and those of hosts that
/// the command line has started; but one that is still being sent is managed by the process that
/// sends it. known: folders of jobs that are not read. May be slow. @throws Cancelled
[[nodiscard]] FoundJobs findJobs(const QSet<QString>& known, const std::stop_token& stop);

}  // namespace gantry
