#include "ui/models/job/job_table.h"

#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "ui/models/job/option_text.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

double fractionOf(const JobEntry& job) {
    if (job.hosted && job.hosted->moving != HostedPart::Moving::nothing)
        return std::clamp(job.hosted->fraction, 0.0, 1.0);
    if (job.status.state == JobState::done) return 1;
    const double fraction = job.status.progress.fraction;
    return std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
}

// The details of a host's job beyond its state; else empty.
QString hostedText(const HostedPart& part) {
    if (part.moving == HostedPart::Moving::sending) return JobTable::tr("Sending");
    if (part.moving == HostedPart::Moving::fetching) return JobTable::tr("Fetching");
    switch (part.job.state) {
        case RemoteState::waiting:
            return JobTable::tr("Waiting");
        case RemoteState::stopped:
            return JobTable::tr("Stopped");
        case RemoteState::gone:
            return JobTable::tr("Gone");
        case RemoteState::done:
            return part.job.isFetched ? QString() : JobTable::tr("Done there");
        default:
            return {};
    }
}

QString outputName(const JobEntry& job) {
    // A folder of slices is named with a slash at its end.
    const QString output = job.output.endsWith('/') ? job.output.chopped(1) : job.output;
    return QFileInfo(output).fileName();
}

QVariant alignmentOf(int column) {
    const bool isNumber = column == JobTable::sizeColumn || column == JobTable::timeColumn ||
                          column == JobTable::speedColumn;
    return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

// Whether its host no longer tells whether it goes on.
bool isUnheard(const JobEntry& job) {
    return job.hosted && job.hosted->isSilent() && job.isActive();
}

bool knows(const std::vector<JobEntry>& jobs, const QString& folder) {
    return std::ranges::any_of(jobs, [&](const JobEntry& job) { return job.folder == folder; });
}

}  // namespace

QString stateText(const JobEntry& job) {
    if (job.isCancelling && job.isActive())
        return job.isPausable() ? JobTable::tr("Pausing") : JobTable::tr("Cancelling");
    if (isUnheard(job)) {
        const QString since = startedText(job.hosted->lastHeard, QDateTime::currentDateTime());
        return since.isEmpty() ? JobTable::tr("Not reached")
                               : JobTable::tr("Not reached since %1").arg(since);
    }
    if (QString text = job.hosted ? hostedText(*job.hosted) : QString(); !text.isEmpty())
        return text;
    switch (job.status.state) {
        case JobState::queued:
            return JobTable::tr("Queued");
        case JobState::running:
            return JobTable::tr("Running");
        case JobState::done:
            return JobTable::tr("Done");
        case JobState::failed:
            return JobTable::tr("Failed");
        case JobState::cancelled:
            return job.isPaused() ? JobTable::tr("Paused") : JobTable::tr("Cancelled");
    }
    return {};
}

QString endHelp(const JobEntry& job) {
    if (job.hosted)
        return JobTable::tr("Ends the job on its host; finished parts are kept for Resume.");
    if (!job.isPausable())
        return JobTable::tr("Ends the job. It has no finished parts yet: Resume begins it again.");
    return job.isIterative
               ? JobTable::tr(
                     "Stops the job and frees the machine. Resume goes on from the last "
                     "iteration that was kept, and gives the volume of a run without a "
                     "pause.")
               : JobTable::tr(
                     "Stops the job and frees the machine. Resume goes on from the "
                     "finished parts of the volume.");
}

QString iterationText(const JobEntry& job) {
    const Progress& progress = job.status.progress;
    if (progress.iteration < 1) return {};
    return job.status.state == JobState::done
               ? JobTable::tr("%1 iterations were made.").arg(progress.iteration)
               : JobTable::tr("Iteration %1 of at most %2.")
                     .arg(progress.iteration)
                     .arg(progress.iterations);
}

QString progressText(const JobEntry& job) {
    // Not rounded up, because an incomplete job must not show 100 %.
    return QString("%1 %").arg(static_cast<int>(std::floor(100 * fractionOf(job))));
}

QString messageText(const JobEntry& job) {
    QString message = QString::fromStdString(job.status.message);
    if (message.isEmpty()) message = iterationText(job);
    if (!job.hosted) return message;
    const HostedPart& part = *job.hosted;
    message =
        JobTable::tr("%1: %2").arg(part.host(), part.remark.isEmpty() ? message : part.remark);
    if (!isUnheard(job)) return message;
    if (!message.endsWith('.')) message += '.';
    return message + ' ' + JobTable::tr("That is what was last known: %1").arg(part.silence);
}

QString timeText(const JobEntry& job) {
    if (job.hosted && job.hosted->moving != HostedPart::Moving::nothing) return {};
    const Progress& progress = job.status.progress;
    if (isUnheard(job)) return {};
    if (job.status.state == JobState::running && progress.leftSeconds >= 0 && progress.fraction > 0)
        return JobTable::tr("%1 left").arg(
            QString::fromStdString(formatDuration(progress.leftSeconds)));
    const QString taken = takenText(job);
    if (taken.isEmpty()) return {};
    return job.status.state == JobState::done ? JobTable::tr("took %1").arg(taken)
                                              : JobTable::tr("after %1").arg(taken);
}

QString takenText(const JobEntry& job) {
    const double seconds = job.status.workSeconds.value_or(0);
    if (job.isActive() || !(seconds > 0)) return {};
    return QString::fromStdString(formatDuration(seconds));
}

QString speedText(const JobEntry& job) {
    const double gups = job.status.progress.gups;
    // A job without its volume has no speed.
    if (!std::isfinite(gups) || gups <= 0 || job.isResumable()) return {};
    const QString number =
        gups >= 100 ? QString::number(std::round(gups), 'f', 0) : numberText(gups, 3);
    return number + " GUPS";
}

QString startedText(const QDateTime& created, const QDateTime& now) {
    if (!created.isValid()) return {};
    if (created.date() == now.date()) return created.time().toString("HH:mm");
    if (created.date().year() == now.date().year())
        return QLocale().toString(created, "d MMM HH:mm");
    return created.date().toString(Qt::ISODate);
}

void describe(JobEntry& entry, const JobSpec& spec) {
    const auto [nX, nY, nZ] = spec.volume.voxels;
    entry.size = nX == nY && nY == nZ ? QString::number(nX) + "³"
                                      : QString("%1 × %2 × %3").arg(nX).arg(nY).arg(nZ);
    entry.isIterative = spec.method.isIterative();
    entry.filter = choiceText(spec, entry.isIterative ? "method.name" : "filter.window");
    entry.output = toText(spec.output.path);
    entry.usualName = QString::fromStdString(spec.scan.name);
    if (entry.usualName.isEmpty()) entry.usualName = outputName(entry);
    if (entry.name.isEmpty()) entry.name = entry.usualName;
}

bool JobTable::keepsOrder(const std::vector<JobEntry>& jobs) const {
    std::size_t next = 0;
    for (const JobEntry& mine : m_jobs) {
        if (!knows(jobs, mine.folder)) continue;
        while (next < jobs.size() && jobs[next].folder != mine.folder)
            ++next;
        if (next == jobs.size()) return false;
        ++next;
    }
    return true;
}

void JobTable::setJobs(const std::vector<JobEntry>& jobs) {
    if (!keepsOrder(jobs)) {
        beginResetModel();
        m_jobs = jobs;
        endResetModel();
        return;
    }
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (knows(jobs, m_jobs[row].folder)) continue;
        beginRemoveRows({}, row, row);
        m_jobs.erase(m_jobs.begin() + row);
        endRemoveRows();
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const int row = static_cast<int>(i);
        if (i < m_jobs.size() && m_jobs[i].folder == jobs[i].folder) {
            setJob(row, jobs[i]);
            continue;
        }
        beginInsertRows({}, row, row);
        m_jobs.insert(m_jobs.begin() + row, jobs[i]);
        endInsertRows();
    }
}

void JobTable::setJob(int row, const JobEntry& job) {
    if (row < 0 || row >= rowCount()) return;
    m_jobs[row] = job;
    emit dataChanged(index(row, 0), index(row, columnTotal - 1));
}

const JobEntry* JobTable::job(int row) const {
    return row >= 0 && row < rowCount() ? &m_jobs[row] : nullptr;
}

int JobTable::rowOf(const QString& folder) const {
    const auto found = std::ranges::find(m_jobs, folder, &JobEntry::folder);
    return found == m_jobs.end() ? -1 : static_cast<int>(found - m_jobs.begin());
}

bool JobTable::hasHosted() const {
    return std::ranges::any_of(m_jobs, [](const JobEntry& job) { return job.hosted.has_value(); });
}

int JobTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

int JobTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columnTotal;
}

QVariant JobTable::data(const QModelIndex& index, int role) const {
    const JobEntry* entry = index.isValid() ? job(index.row()) : nullptr;
    if (!entry) return {};
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return text(*entry, index.column());
        case Qt::ToolTipRole:
            return toolTip(*entry, index.column());
        case Qt::TextAlignmentRole:
            return alignmentOf(index.column());
        case stateRole:
            return static_cast<int>(isUnheard(*entry) ? JobState::queued : entry->status.state);
        case fractionRole:
            return fractionOf(*entry);
        default:
            return {};
    }
}

QVariant JobTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return alignmentOf(section);
    if (role != Qt::DisplayRole) return {};
    const QString titles[] = {tr("Job"),      tr("Size"), tr("Started"), tr("State"),
                              tr("Progress"), tr("Time"), tr("Speed"),   tr("Output")};
    return section >= 0 && section < columnTotal ? QVariant(titles[section]) : QVariant();
}

Qt::ItemFlags JobTable::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == nameColumn ? flags | Qt::ItemIsEditable : flags;
}

bool JobTable::setData(const QModelIndex& index, const QVariant& value, int role) {
    const JobEntry* entry = index.isValid() ? job(index.row()) : nullptr;
    if (!entry || role != Qt::EditRole || index.column() != nameColumn) return false;
    const QString name = value.toString().simplified();
    if (name != entry->name) emit renamed(QString(entry->folder), name);
    return true;
}

QString JobTable::text(const JobEntry& job, int column) const {
    switch (column) {
        case nameColumn:
            return job.name;
        case stateColumn:
            return stateText(job);
        case progressColumn:
            return progressText(job);
        case timeColumn:
            return timeText(job);
        case speedColumn:
            return speedText(job);
        case startedColumn:
            return startedText(job.created, QDateTime::currentDateTime());
        case sizeColumn:
            return job.size;
        default:
            return outputName(job);
    }
}

QString JobTable::toolTip(const JobEntry& job, int column) const {
    const QString message = messageText(job);
    switch (column) {
        case outputColumn:
            return job.output;
        case startedColumn:
            return QLocale().toString(job.created, QLocale::LongFormat);
        case speedColumn:
            return tr("Voxel updates a second, in 2³⁰: how fast views are added to the volume.");
        case sizeColumn:
            return tr("Voxels of the volume along x, y and z.");
        case nameColumn: {
            const QString what = QStringList{job.name, job.size, job.filter}.join(' ').simplified();
            return (message.isEmpty() ? what : what + '\n' + message) + '\n' +
                   tr("F2 gives it another name.");
        }
        default:
            return message.isEmpty() ? job.folder : message;
    }
}

}  // namespace gantry
