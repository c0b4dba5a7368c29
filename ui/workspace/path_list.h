#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <mutex>

#include "ui/workspace/background.h"

namespace gantry {

/// Files or folders that the application's settings remember, newest first. Several desktops may
/// change the list at once: each change is made to what the settings hold at that moment. Written
/// at once, in the background, as settings are put on the disk for good, which may take long.
/// GUI thread only.
/// Tests: tests/ui/workspace/workspace_test.cpp, tests/ui/workspace/job_store_test.cpp
class PathList : public QObject {
    Q_OBJECT

  public:
    static constexpr const char* kJobFolders = "jobs/folders";
    static constexpr const char* kRecentFiles = "recentFiles";

    /// key: of the settings; atMost: more are forgotten, the oldest first; paths: to begin with,
    /// which matter to those alone who ask for paths().
    PathList(QString key, qsizetype atMost, QStringList paths = {});
    ~PathList() override;  ///< what is not yet written is written now

    void add(const QString& path);  ///< as the newest
    void remove(const QString& path);

    /// With this desktop's changes; those of others as of the last change of this one.
    [[nodiscard]] const QStringList& paths() const { return m_paths; }
    /// What the settings hold. Any thread.
    [[nodiscard]] static QStringList read(const QString& key);

  private:
    // What this desktop changed and has not yet written.
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
    struct Kept {  // where, and how many
        QString key;
        qsizetype atMost;
    };
    void save();
    static QStringList write(const Kept& kept, const Changes& changes);

    Kept m_kept;
    QStringList m_paths;
    Changes m_changes;
    // Held by whoever writes, which may outlive this object.
    std::shared_ptr<std::mutex> m_writing = std::make_shared<std::mutex>();
    Background m_saving;
};

}  // namespace gantry
