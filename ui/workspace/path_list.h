#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <mutex>

#include "ui/workspace/background/background.h"

namespace gantry {

/// Files or folders kept in the application's settings, newest first. Several desktops may change
/// the list at once: each change is applied to the settings' current content. Changes are written
/// at once and in the background, because syncing settings to disk may take long. GUI thread only.
/// Tests: tests/ui/workspace/workspace_test.cpp, tests/ui/workspace/job_store_test.cpp
class PathList : public QObject {
    Q_OBJECT

  public:
    static constexpr const char* kJobFolders = "jobs/folders";
    static constexpr const char* kRecentFiles = "recentFiles";

    /// key: in the settings; atMost: max number, the oldest are dropped; paths: initial content,
    /// needed only by callers of paths()
    PathList(QString key, qsizetype atMost, QStringList paths = {});
    ~PathList() override;  ///< writes pending changes

    void add(const QString& path);  ///< as the newest
    void remove(const QString& path);

    /// Includes this desktop's changes, and those of others up to this one's last change.
    [[nodiscard]] const QStringList& paths() const { return m_paths; }
    /// The content in the settings. Any thread.
    [[nodiscard]] static QStringList read(const QString& key);

  private:
    // Changes of this desktop that are not written yet.
    struct Changes {
        QStringList added;  // newest last
        QStringList removed;
        [[nodiscard]] bool isEmpty() const { return added.isEmpty() && removed.isEmpty(); }
        [[nodiscard]] QStringList madeTo(QStringList paths) const;
    };
    struct Written {
        Changes changes;
        QStringList paths;
    };
    struct Kept {  // the settings' key and the max number
        QString key;
        qsizetype atMost;
    };
    void save();
    static QStringList write(const Kept& kept, const Changes& changes);

    Kept m_kept;
    QStringList m_paths;
    Changes m_changes;
    // Held by the writing thread, which may outlive this object.
    std::shared_ptr<std::mutex> m_writing = std::make_shared<std::mutex>();
    Background m_saving;
};

}  // namespace gantry
