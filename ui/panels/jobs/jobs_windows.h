#pragma once

#include <QDialog>
#include <QTimer>
#include <memory>

#include "core/job/event_tail.h"
#include "core/plan/job_spec.h"
#include "ui/models/job/job_entry.h"
#include "ui/workspace/background/background.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;

namespace gantry {

/// What a job wrote about its run, followed while it is open; text to be read and copied. Deletes
/// itself when closed. Tests: tests/ui/panels/jobs_panel_test.cpp
class JobsLogWindow : public QDialog {
    Q_OBJECT

  public:
    explicit JobsLogWindow(const JobEntry& job, QWidget* parent = nullptr);

  private:
    struct News;
    void read();
    void show(const News& news);

    QString m_folder;
    std::shared_ptr<EventTail> m_tail;  // used by one piece of work at a time
    QTimer m_timer;
    Background m_reading;
    QLabel* m_state = nullptr;
    QPlainTextEdit* m_text = nullptr;
};

/// What a job was asked for, with units. Deletes itself when closed.
/// Tests: tests/ui/panels/jobs_panel_test.cpp
class JobsRequestWindow : public QDialog {
    Q_OBJECT

  public:
    explicit JobsRequestWindow(const JobEntry& job, QWidget* parent = nullptr);

  private:
    void show(const JobSpec& spec);

    Background m_reading;
    QLabel* m_problem = nullptr;
    QTreeWidget* m_values = nullptr;
    QPushButton* m_copy = nullptr;
    QString m_json;
};

}  // namespace gantry
