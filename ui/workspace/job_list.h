#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <mutex>

#include "ui/workspace/background.h"

namespace gantry {

/// The folders of the user's jobs in the application's settings, newest first. Several desktops
/// may change the list at once: each change is made to what the settings hold at that moment.
/// Written at once, in the background. GUI thread only.
/// Tests: tests/ui/workspace/job_store_test.cpp
class JobList : public QObject {
    Q_OBJECT

  public:
    explicit JobList(QObject* parent = nullptr);
    ~JobList() override;  ///< what is not yet written is written now

    void add(const QString& folder);  ///< as the newest
    void remove(const QString& folder);

    /// What the settings hold. Any thread.
    [[nodiscard]] static QStringList read();

  private:
    // What this desktop changed and has not yet written.
    struct Changes {
        QStringList added;  // newest last
        QStringList removed;
        [[nodiscard]] bool isEmpty() const { return added.isEmpty() && removed.isEmpty(); }
    };
    void save();
    static void write(const Changes& changes);

    Changes m_changes;
    // Held by whoever writes, which may outlive this object.
    std::shared_ptr<std::mutex> m_writing = std::make_shared<std::mutex>();
    Background m_saving;
};

}  // namespace gantry
