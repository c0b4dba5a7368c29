#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>

#include "ui/models/timeline/timeline_snapshot.h"
#include "ui/workspace/background/background.h"

namespace gantry {

/// Reads the log of one job while it grows. Reading, sorting in and looking for gaps are done in
/// the background; snapshots are complete and immutable.
/// GUI thread only. Tests: tests/ui/panels/timeline_feed_test.cpp
class TimelineFeed : public QObject {
    Q_OBJECT

  public:
    explicit TimelineFeed(QObject* parent = nullptr);

    /// The folder of a job; empty: none.
    void follow(const QString& folder);
    /// Whether the timeline is visible: else nothing is read.
    void setWatched(bool watched);
    /// Null until something has been read.
    [[nodiscard]] const std::shared_ptr<const TimelineSnapshot>& snapshot() const {
        return m_snapshot;
    }

  signals:
    void changed();

  private:
    struct Reader;
    struct Reading;
    void read();
    void take(Reading reading);

    QString m_folder;
    bool m_isWatched = false;
    std::shared_ptr<Reader> m_reader;  ///< used by one reading at a time
    std::shared_ptr<const TimelineSnapshot> m_snapshot;
    QTimer m_timer{this};
    Background m_reading;
};

}  // namespace gantry
