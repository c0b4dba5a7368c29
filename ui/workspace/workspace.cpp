#include "ui/workspace/workspace.h"

#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/remote/shell/host_scan.h"
#include "ui/models/job/job_remedy.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"

namespace gantry {

void Selection::setView(Index view) {
    if (view == m_view) return;
    m_view = view;
    emit viewChanged(view);
}

void Selection::setRow(Index row) {
    if (row == m_row) return;
    m_row = row;
    emit rowChanged(row);
}

void Selection::setJobFolder(const QString& folder) {
    if (folder == m_jobFolder) return;
    m_jobFolder = folder;
    emit jobFolderChanged(folder);
}

void Selection::setCrossHairMm(const Vec3& placeMm) {
    if (placeMm == m_crossHairMm) return;
    m_crossHairMm = placeMm;
    emit crossHairChanged(placeMm);
}

void Selection::setReadout(const QString& text) {
    if (text == m_readout) return;
    m_readout = text;
    emit readoutChanged(text);
}

namespace {

const QString kProjectionsTopic = QStringLiteral("openAsProjections");

// Files that exist, and those that are another one of the list under a different name.
struct RecentFiles {
    QStringList present;
    QStringList twins;
};

// An identity that is the same for every name of a file or folder; a scan's folder is its
// scan.json.
QString identityOf(const QString& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(toPath(path), error);
    const std::filesystem::path scan = real / "scan.json";
    return toText(pathExists(scan) ? scan : real);
}

RecentFiles lookForRecent(const QStringList& files, const std::stop_token& stop) {
    RecentFiles found;
    QStringList seen;
    for (const QString& path : files) {
        if (stop.stop_requested()) throw Cancelled();
        if (!pathExists(toPath(path))) continue;
        const QString identity = identityOf(path);
        (seen.contains(identity) ? found.twins : found.present) << path;
        seen << identity;
    }
    return found;
}

}  // namespace

Workspace::Workspace(Machine machine, const QString& program, QObject* parent)
    : QObject(parent),
      m_machine(std::move(machine)),
      m_program(program),
      m_jobs(program),
      m_lookingForGpus(program) {
    connect(&m_scan, &ScanDocument::messageRaised, this, &Workspace::messageRaised);
    connect(&m_volume, &VolumeDocument::messageRaised, this, &Workspace::messageRaised);
    connect(&m_comparison, &ComparisonDocument::messageRaised, this, &Workspace::messageRaised);
    connect(&m_jobs, &JobStore::messageRaised, this, &Workspace::messageRaised);
    connect(&m_scan, &ScanDocument::scanChanged, this, &Workspace::keepSelectionInScan);
    connect(&m_scan, &ScanDocument::opened, this, [this](const QString& path) {
        remember(path);
        emit succeeded();
        m_selection.setView(0);
        m_selection.setRow(m_scan.geometry().detector.rows / 2);
        emit showProjections();
    });
    connect(&m_volume, &VolumeDocument::volumeChanged, this, [this] {
        emit withdrawn(kProjectionsTopic);
        if (!m_volume.volume() || m_volume.volume()->path != m_volumeToRemember) return;
        remember(m_volumeToRemember);
        emit succeeded();
        m_volumeToRemember.clear();
        offerProjections();
    });
    connect(&m_jobs, &JobStore::finished, this, [this](int row) { tellEndOf(m_jobs.jobs()[row]); });
    connect(&m_jobs, &JobStore::changed, this, [this](int row) {
        followPreview(m_jobs.jobs()[row]);
        withdrawOutdated();
    });
    connect(&m_jobs, &JobStore::reset, this, &Workspace::withdrawOutdated);
    checkRecentFiles();
    lookForGpus();
}

void Workspace::lookForGpus() {
    m_machine.whyNoGpu = tr("the GPUs of this machine are still being looked for").toStdString();
    m_lookingForGpus.start(
        {}, [this](const Measured& found) { takeGpus(found); },
        [this](const QString& sentence) { takeNoGpu(sentence); });
}

void Workspace::takeGpus(const Measured& measured) {
    m_isLookingForGpus = false;
    m_machine.gpu.devices = measured.gpus;
    m_machine.whyNoGpu = measured.whyNoGpu;
    emit machineChanged();
}

void Workspace::takeNoGpu(const QString& why) {
    Measured none;
    // Engines give the reason as half a sentence.
    const QString half = why.endsWith('.') ? why.chopped(1) : why;
    none.whyNoGpu =
        tr("the GPUs of this machine could not be looked for: %1").arg(half).toStdString();
    takeGpus(none);
}

// A report about a job's end holds until the job is resumed or leaves the list.
void Workspace::withdrawOutdated() {
    for (const QString& folder : QStringList(m_reportedJobs)) {
        const JobEntry* job = m_jobs.find(folder);
        if (job && !job->isActive()) continue;
        m_reportedJobs.removeAll(folder);
        emit withdrawn(jobTopic(folder));
    }
}

void Workspace::open(const QString& path) {
    if (path.isEmpty()) return;
    const QString whole = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
    m_recognising.start([whole](const std::stop_token&) { return recognise(toPath(whole)); },
                        [this](const Recognised& found) { openRecognised(found); },
                        [this](const QString& sentence) {
                            emit messageRaised({Message::Kind::error, sentence});
                            checkRecentFiles();
                        });
}

void Workspace::openRecognised(const Recognised& found) {
    const QString path = toText(found.path);
    switch (found.kind) {
        case Recognised::Kind::job:
            openJob(found);
            break;
        case Recognised::Kind::volume:
            m_volumeToRemember = path;
            openVolume(path);
            break;
        case Recognised::Kind::timeline:
            m_selection.setJobFolder(path);
            break;
        case Recognised::Kind::scan:
            m_scan.open(path, [this] { return mayReplaceScan(); });
            break;
    }
}

void Workspace::openAsProjections(const QString& path) {
    m_scan.open(path, [this] { return mayReplaceScan(); });
}

void Workspace::openEntry(const QString& path, const QString& entry) {
    m_scan.open(
        path, [this] { return mayReplaceScan(); }, entry.toStdString());
}

// Projections are in the same files as volumes, as counts that nothing converts into attenuation.
void Workspace::offerProjections() {
    const std::shared_ptr<const LoadedVolume> volume = m_volume.volume();
    if (!volume->unit.isEmpty() || volume->stored.voxels[2] < 2) return;
    emit messageRaised(
        {.kind = Message::Kind::info,
         .text = tr("%1 is shown as a volume. Its %2 images may also be projections.")
                     .arg(QFileInfo(volume->path).fileName())
                     .arg(volume->stored.voxels[2]),
         .actionText = tr("Open as projections"),
         .action =
             [self = QPointer(this), path = volume->path] {
                 if (self) self->openAsProjections(path);
             },
         .topic = kProjectionsTopic});
}

void Workspace::openOnHost(const Host& host, const QString& place) {
    m_recognising.start(
        [host, place = place.toStdString()](const std::stop_token& stop) {
            return toText(bringScan(host, place, stop));
        },
        [this](const QString& copy) { m_scan.open(copy, [this] { return mayReplaceScan(); }); },
        [this](const QString& sentence) {
            emit messageRaised({Message::Kind::error, sentence});
        });
}

bool Workspace::mayReplaceScan() const {
    return !m_scan.hasScan() || !m_askBeforeReplacing || m_askBeforeReplacing();
}

void Workspace::openVolume(const QString& path) {
    m_volume.open(path);
    emit showVolume();
}

void Workspace::openJob(const Recognised& job) {
    const QString folder = toText(job.path);
    m_jobs.adopt(*job.job);
    remember(folder);
    m_selection.setJobFolder(folder);
    offerRequest(*job.request);
    if (job.job->status.state != JobState::done) return;
    const QString output = toText(job.request->output.path);
    if (job.hasOutput)
        openVolume(output);
    else
        emit messageRaised(
            {Message::Kind::warning,
             tr("The job is done, but its volume %1 is no longer there.").arg(output)});
}

// Does not replace another scan or unsaved edits without asking.
void Workspace::offerRequest(const JobSpec& request) {
    const bool isOfOpenScan =
        m_scan.hasScan() && m_scan.request().job.scan.path == request.scan.path;
    if (!m_scan.hasScan() || (isOfOpenScan && m_scan.undoStack().isClean())) {
        m_scan.openRequest(request);
        return;
    }
    Request asked = m_scan.request();
    asked.job = request;
    asked.job.output.path = m_scan.request().job.output.path;
    if (isSame(asked, m_scan.request())) return;
    const QString why =
        isOfOpenScan
            ? tr("The edits of the open scan are not saved, so the job's request was not opened.")
            : tr("The job is of another scan than the one that is open.");
    emit messageRaised(
        {Message::Kind::info, why, tr("Open the job's request"), [self = QPointer(this), request] {
             if (self) self->openRequest(request);
         }});
}

// Opens the request of a job that failed for lack of GPU memory, changed so that it may run.
void Workspace::mend(const QString& folder) {
    m_recognising.start(
        [folder = toPath(folder), machine = m_machine](const std::stop_token&) {
            return withLessOfTheGpu(readJobRequest(folder), machine);
        },
        [this](const JobSpec& spec) {
            openRequest(spec);
            emit showProjections();
        },
        [this](const QString& sentence) {
            emit messageRaised({Message::Kind::error, sentence});
        });
}

Message Workspace::failureOf(const JobEntry& job) {
    const QPointer self(this);
    const std::string& reason = job.status.message;
    Message message;
    message.kind = Message::Kind::error;
    message.text = reason.empty()
                       ? tr("%1 failed.").arg(job.name)
                       : tr("%1 failed: %2").arg(job.name, QString::fromStdString(reason));
    message.secondText = tr("Show the log");
    message.secondAction = [self, folder = job.folder] {
        if (self) emit self->showJobLog(folder);
    };
    if (job.status.code == ErrorCode::deviceMemory) {
        message.secondText = tr("Use less of the GPU");
        message.secondAction = [self, folder = job.folder] {
            if (self) self->mend(folder);
        };
    }
    return message;
}

// Shows the preview if that replaces no other volume without asking, and again whenever slabs are
// finished.
void Workspace::followPreview(const JobEntry& job) {
    if (!job.isActive() || job.previewStamp == 0) return;
    const bool isFirst = !m_previews.contains(job.folder);
    if (std::exchange(m_previews[job.folder], job.previewStamp) == job.previewStamp) return;
    const auto open = m_volume.volume();
    const bool isFree = !open && !m_volume.isOpening();
    if ((open && open->path == job.preview()) || (isFirst && isFree))
        m_volume.follow(job.preview());
    else if (isFirst)
        emit messageRaised({.kind = Message::Kind::info,
                            .text = tr("A coarse preview of %1 is there.").arg(job.name),
                            .actionText = tr("Show the preview"),
                            .action =
                                [self = QPointer(this), preview = job.preview()] {
                                    if (self) self->openVolume(preview);
                                },
                            .topic = jobTopic(job.folder)});
}

void Workspace::tellEndOf(const JobEntry& job) {
    const auto shown = m_volume.volume();
    m_previews.remove(job.folder);
    if (job.hasVolume() && shown && shown->path == job.preview()) m_volume.open(job.output);
    Message message;
    const QPointer self(this);
    if (job.isFetchable()) {
        message = endElsewhereOf(job);
    } else if (job.status.state == JobState::done) {
        const QString time = takenText(job);
        message.text = time.isEmpty() ? tr("%1 finished.").arg(job.name)
                                      : tr("%1 finished in %2.").arg(job.name, time);
        message.actionText = tr("Show the volume");
        message.action = [self, output = job.output] {
            if (self) self->openVolume(output);
        };
    } else {
        if (job.status.state == JobState::failed)
            message = failureOf(job);
        else
            message.text =
                (job.isPaused() ? tr("%1 is paused.") : tr("%1 was cancelled.")).arg(job.name);
        message.actionText = tr("Resume");
        message.action = [self, folder = job.folder] {
            if (self) self->m_jobs.resume(folder);
        };
    }
    message.topic = jobTopic(job.folder);
    m_reportedJobs.removeAll(job.folder);
    m_reportedJobs << job.folder;
    emit messageRaised(message);
}

// Its volume is still on the host.
Message Workspace::endElsewhereOf(const JobEntry& job) {
    const QPointer self(this);
    Message message;
    message.text = tr("%1 is done; its volume is on %2.").arg(job.name, job.hosted->host());
    message.actionText = tr("Fetch the volume");
    message.action = [self, folder = job.folder] {
        if (self) self->m_jobs.fetch(folder);
    };
    if (job.previewStamp == 0) return message;
    message.secondText = tr("Show the preview");
    message.secondAction = [self, preview = job.preview()] {
        if (self) self->openVolume(preview);
    };
    return message;
}

QStringList Workspace::recentFiles() const {
    QStringList files = m_recent.paths();
    files.removeIf([this](const QString& path) { return !m_presentFiles.contains(path); });
    return files;
}

void Workspace::remember(const QString& path) {
    m_recent.add(path);
    if (!m_presentFiles.contains(path)) m_presentFiles << path;
    emit recentFilesChanged();
    checkRecentFiles();
}

// One check at a time: each may hang for long if a network disk is gone.
void Workspace::checkRecentFiles() {
    if (m_checkingRecent.isBusy()) return;
    const QStringList files = m_recent.paths();
    m_checkingRecent.start(
        [files](const std::stop_token& stop) { return lookForRecent(files, stop); },
        [this, files](const RecentFiles& found) {
            const QStringList before = recentFiles();
            for (const QString& path : files)
                m_presentFiles.removeAll(path);
            m_presentFiles << found.present;
            for (const QString& twin : found.twins)
                m_recent.remove(twin);
            if (recentFiles() != before) emit recentFilesChanged();
            // A file opened meanwhile may be a duplicate too.
            if (m_recent.paths().value(0) != files.value(0)) checkRecentFiles();
        },
        [](const QString&) {});
}

void Workspace::clearRecentFiles() {
    for (const QString& path : QStringList(m_recent.paths()))
        m_recent.remove(path);
    emit recentFilesChanged();
}

void Workspace::keepSelectionInScan() {
    const ScanGeometry& geometry = m_scan.geometry();
    const auto within = [](Index index, Index count) {
        return std::clamp<Index>(index, 0, std::max<Index>(count, 1) - 1);
    };
    m_selection.setView(within(m_selection.view(), geometry.views()));
    m_selection.setRow(within(m_selection.row(), geometry.detector.rows));
}

}  // namespace gantry
