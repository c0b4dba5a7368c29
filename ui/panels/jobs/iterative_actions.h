#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/plan/job_spec.h"
#include "ui/models/job/job_entry.h"
#include "ui/models/message.h"
#include "ui/workspace/background/background.h"

namespace gantry {

class Workspace;

/// What can be done to jobs of iterative methods beyond what all jobs have. GUI thread only.
/// Tests: tests/ui/panels/iterative_actions_test.cpp
class IterativeActions : public QObject {
    Q_OBJECT

  public:
    explicit IterativeActions(Workspace& workspace, QObject* parent = nullptr);

    /// The job ends after the iteration at work, and keeps its volume.
    void stopAndKeep(const JobEntry& job);
    /// Opens the request of a finished job with its volume as the start of further iterations.
    void goOn(const JobEntry& job);
    /// Shows the volume of a finished job as A and one by FDK of the same scan and voxels as B:
    /// that of a job in the list, else of a new job, once it is done.
    void compareWithFdk(const JobEntry& job);

  private:
    struct Pair {
        JobSpec iterative;
        QString fdkVolume;  ///< empty: there is none yet
    };
    void makeFdk(const JobSpec& iterative);
    void takeFinished(const JobEntry& job);
    void showPair();
    void tell(Message::Kind kind, const QString& sentence);

    Workspace& m_workspace;
    Background m_reading;
    QString m_first;       ///< the volume to be A
    QString m_second;      ///< the one to be B; empty: none is wanted, or it is being made
    QString m_awaitedJob;  ///< the folder of the job that makes it
};

}  // namespace gantry
