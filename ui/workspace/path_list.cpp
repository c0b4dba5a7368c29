#include "ui/workspace/path_list.h"

#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QSettings>
#include <utility>

namespace gantry {

QStringList PathList::Changes::madeTo(QStringList paths) const {
    for (const QString& path : removed)
        paths.removeAll(path);
    for (const QString& path : added) {
        paths.removeAll(path);
        paths.prepend(path);
    }
    return paths;
}

PathList::PathList(QString key, qsizetype atMost, QStringList paths)
    : m_kept{std::move(key), atMost}, m_paths(std::move(paths)) {}

PathList::~PathList() {
    // An older write must not land after this one, so it is waited for or not begun.
    m_saving.cancel();
    const std::scoped_lock lock(*m_writing);
    if (!m_changes.isEmpty()) write(m_kept, m_changes);
}

void PathList::add(const QString& path) {
    m_changes.removed.removeAll(path);
    m_changes.added.removeAll(path);
    m_changes.added << path;
    save();
}

void PathList::remove(const QString& path) {
    m_changes.added.removeAll(path);
    m_changes.removed.removeAll(path);
    m_changes.removed << path;
    save();
}

QStringList PathList::read(const QString& key) {
    return QSettings().value(key).toStringList();
}

QStringList PathList::write(const Kept& kept, const Changes& changes) {
    QSettings settings;
    const QFileInfo file(settings.fileName());
    QDir().mkpath(file.path());
    // If a desktop on another machine holds the lock too long, the list is written without it.
    QLockFile lock(file.path() + "/lists.lock");
    constexpr int kPatienceMs = 2000;
    (void)lock.tryLock(kPatienceMs);
    settings.sync();
    QStringList paths = changes.madeTo(settings.value(kept.key).toStringList()).mid(0, kept.atMost);
    settings.setValue(kept.key, paths);
    settings.sync();
    return paths;
}

// Writes one after the other: later changes are written when the current write is done.
void PathList::save() {
    m_paths = m_changes.madeTo(m_paths).mid(0, m_kept.atMost);
    if (m_saving.isBusy()) return;
    m_saving.start(
        [kept = m_kept, changes = m_changes, writing = m_writing](const std::stop_token& stop) {
            const std::scoped_lock lock(*writing);
            if (stop.stop_requested()) throw Cancelled();
            return Written{changes, write(kept, changes)};
        },
        [this](const Written& written) {
            for (const QString& path : written.changes.added)
                m_changes.added.removeAll(path);
            for (const QString& path : written.changes.removed)
                m_changes.removed.removeAll(path);
            m_paths = m_changes.madeTo(written.paths).mid(0, m_kept.atMost);
            if (!m_changes.isEmpty()) save();
        },
        [](const QString&) {});
}

}  // namespace gantry
