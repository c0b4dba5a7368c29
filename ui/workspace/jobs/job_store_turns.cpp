// Which jobs of a JobStore wait for which.
#include "ui/workspace/jobs/job_store.h"

namespace gantry {

QStringList JobStore::jobsBefore(const QString& folder) const {
    QStringList before;
    for (const JobEntry& job : m_jobs) {
        if (!job.isActive() || job.hosted || job.folder == folder) continue;
        const Run run = m_runs.value(job.folder);
        if (!run.isCreating && !mayWaitFor(job.folder, folder)) before << job.folder;
    }
    return before;
}

// Jobs must not wait for each other in a circle: none would ever start.
bool JobStore::mayWaitFor(const QString& job, const QString& folder) const {
    QStringList line{job};
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QString each = line[i];
        if (each == folder) return true;
        const JobEntry* entry = find(each);
        // A running job no longer waits.
        if (!entry || entry->status.state != JobState::queued) continue;
        const Run run = m_runs.value(each);
        // What a worker of another desktop waits for is not known.
        const bool isOfAnother = !run.isBegun && !run.isCreating;
        if (isOfAnother && !m_runs.value(folder).isNew) return true;
        for (const QString& other : run.after)
            if (!line.contains(other)) line << other;
    }
    return false;
}

}  // namespace gantry
