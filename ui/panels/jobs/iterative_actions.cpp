#include "ui/panels/jobs/iterative_actions.h"

#include <QFileInfo>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/job/job_directory.h"
#include "core/job/job_status.h"
#include "ui/models/text.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

// Scan and voxels have to be the same, so that the volumes can be compared voxel by voxel.
bool fits(const JobSpec& fdk, const JobSpec& iterative) {
    return !fdk.method.isIterative() && fdk.volume == iterative.volume &&
           fdk.scan.path == iterative.scan.path && isSameScan(fdk.scan, iterative.scan);
}

// "volume-fdk.mha" beside "volume.mha".
std::filesystem::path fdkPathFor(const std::filesystem::path& output) {
    std::filesystem::path path = output.has_filename() ? output : output.parent_path();
    path.replace_filename(path.stem().string() + "-fdk" + path.extension().string());
    return output.has_filename() ? path : path / "";
}

}  // namespace

IterativeActions::IterativeActions(Workspace& workspace, QObject* parent)
    : QObject(parent), m_workspace(workspace) {
    connect(&workspace.jobs(), &JobStore::finished, this,
            [this](int row) { takeFinished(m_workspace.jobs().jobs()[row]); });
    connect(&workspace.volume(), &VolumeDocument::volumeChanged, this, &IterativeActions::showPair);
}

void IterativeActions::tell(Message::Kind kind, const QString& sentence) {
    emit m_workspace.messageRaised({kind, sentence, {}, {}});
}

void IterativeActions::stopAndKeep(const JobEntry& job) {
    try {
        requestStop(toPath(job.folder));
    } catch (const Error& error) {
        tell(Message::Kind::error, toText(error.message()));
    }
}

void IterativeActions::goOn(const JobEntry& job) {
    m_reading.start(
        [folder = toPath(job.folder)](const std::stop_token&) {
            JobSpec spec = readJobRequest(folder);
            spec.method.start = spec.output.path.string();
            return spec;
        },
        [this, name = QFileInfo(job.output).fileName()](const JobSpec& spec) {
            m_workspace.openRequest(spec);
            emit m_workspace.showProjections();
            tell(Message::Kind::info,
                 tr("The next iterations begin from %1: set in the Reconstruction panel how many "
                    "to add, and press Reconstruct.")
                     .arg(name));
        },
        [this](const QString& sentence) { tell(Message::Kind::error, sentence); });
}

void IterativeActions::compareWithFdk(const JobEntry& job) {
    QStringList candidates;
    for (const JobEntry& other : m_workspace.jobs().jobs())
        if (!other.isIterative && other.hasVolume()) candidates.append(other.folder);
    m_first = job.output;
    m_second.clear();
    m_awaitedJob.clear();
    m_reading.start(
        [folder = toPath(job.folder), candidates](const std::stop_token& stop) {
            Pair pair{readJobRequest(folder), {}};
            for (const QString& candidate : candidates) {
                if (stop.stop_requested()) throw Cancelled();
                try {
                    const JobSpec fdk = readJobRequest(toPath(candidate));
                    std::error_code error;
                    if (!fits(fdk, pair.iterative) ||
                        !std::filesystem::exists(fdk.output.path, error))
                        continue;
                    pair.fdkVolume = toText(fdk.output.path);
                    break;
                } catch (const Error&) {
                    continue;  // a job whose folder was deleted
                }
            }
            return pair;
        },
        [this](const Pair& pair) {
            m_second = pair.fdkVolume;
            if (m_second.isEmpty()) makeFdk(pair.iterative);
            if (const auto open = m_workspace.volume().volume(); !open || open->path != m_first)
                m_workspace.volume().open(m_first);
            emit m_workspace.showVolume();
            showPair();
        },
        [this](const QString& sentence) { tell(Message::Kind::error, sentence); });
}

// The same as iterations begin from, but with values below zero.
void IterativeActions::makeFdk(const JobSpec& iterative) {
    JobSpec fdk = iterative;
    fdk.method = {};
    fdk.filter = {FilterWindow::hann, 1};
    fdk.output.path = freeOutputPath(fdkPathFor(iterative.output.path));
    m_awaitedJob = m_workspace.jobs().start(fdk);
    if (!m_awaitedJob.isEmpty())
        tell(Message::Kind::info, tr("A volume by FDK (Hann) of the same scan is being made; it is "
                                     "shown beside this one when it is done."));
}

void IterativeActions::takeFinished(const JobEntry& job) {
    if (m_awaitedJob.isEmpty() || job.folder != m_awaitedJob) return;
    m_awaitedJob.clear();
    if (!job.hasVolume()) return;  // the workspace reports why
    m_second = job.output;
    showPair();
}

// Once the first volume is open, as nothing can be compared before.
void IterativeActions::showPair() {
    const auto open = m_workspace.volume().volume();
    if (m_second.isEmpty() || !open || open->path != m_first) return;
    m_workspace.comparison().open(std::exchange(m_second, {}));
}

}  // namespace gantry
