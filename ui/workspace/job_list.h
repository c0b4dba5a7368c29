#pragma once

#include <QObject>
#include <QStringList>

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
    };
    static void write(const Changes& changes);
    void save();

    Changes m_changes;
    Background m_saving;
};

}  // namespace gantry
