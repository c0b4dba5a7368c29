#include "ui/workspace/job_list.h"

#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QSettings>

namespace gantry {

namespace {

const QString kKey = QStringLiteral("jobs/folders");
constexpr qsizetype kMostJobs = 200;

}  // namespace

JobList::JobList(QObject* parent) : QObject(parent) {}

JobList::~JobList() {
    // An older write must not land after this one: it is waited for, or not begun any more.
    m_saving.cancel();
    const std::scoped_lock lock(*m_writing);
    if (!m_changes.isEmpty()) write(m_changes);
}

void JobList::add(const QString& folder) {
    m_changes.removed.removeAll(folder);
    m_changes.added.removeAll(folder);
    m_changes.added << folder;
    save();
}

void JobList::remove(const QString& folder) {
    m_changes.added.removeAll(folder);
    m_changes.removed.removeAll(folder);
    m_changes.removed << folder;
    save();
}

QStringList JobList::read() {
    return QSettings().value(kKey).toStringList();
}

void JobList::write(const Changes& changes) {
    QSettings settings;
    const QFileInfo file(settings.fileName());
    QDir().mkpath(file.path());
    // Without the lock, which a desktop on another machine may hold too long, it is written anyway.
    QLockFile lock(file.path() + "/jobs.lock");
    constexpr int kPatienceMs = 2000;
    (void)lock.tryLock(kPatienceMs);
    settings.sync();
    QStringList folders = settings.value(kKey).toStringList();
    for (const QString& folder : changes.removed)
        folders.removeAll(folder);
    for (const QString& folder : changes.added) {
        folders.removeAll(folder);
        folders.prepend(folder);
    }
    settings.setValue(kKey, folders.mid(0, kMostJobs));
    settings.sync();
}

// One write after the other: changes that come in the meantime are written when it is done.
void JobList::save() {
    if (m_saving.isBusy()) return;
    m_saving.start(
        [changes = m_changes, writing = m_writing](const std::stop_token& stop) {
            const std::scoped_lock lock(*writing);
            if (stop.stop_requested()) throw Cancelled();
            write(changes);
            return changes;
        },
        [this](const Changes& written) {
            for (const QString& folder : written.added)
                m_changes.added.removeAll(folder);
            for (const QString& folder : written.removed)
                m_changes.removed.removeAll(folder);
            if (!m_changes.isEmpty()) save();
        },
        [](const QString&) {});
}

}  // namespace gantry
