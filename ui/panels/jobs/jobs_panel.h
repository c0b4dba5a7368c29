#pragma once

#include <QWidget>
#include <functional>
#include <memory>

class QAction;

namespace gantry {

class Workspace;
struct JobEntry;

/// The table of jobs, with what can be done to each.
/// Tests: tests/ui/panels/jobs_panel_test.cpp
class JobsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit JobsPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~JobsPanel() override;

    void showLogOf(const QString& folder);

  signals:
    void timelineWanted();  ///< the timeline of the selected job is to be brought to the front

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeView();
    void makeActions();
    QAction* addAction(const char* name, const QString& iconName, const QString& text,
                       std::function<void(const JobEntry&)> act);
    [[nodiscard]] const JobEntry* selected() const;
    void showWords();
    void fitColumns();
    void showJobs();
    void select(const QString& folder);
    void showSelected();
    static void set(QAction* action, const QString& help, const QString& whyNot);
    void showActions(const JobEntry* job);
    void showIterativeActions(const JobEntry* job);
    void showRowButton(int row);
    void makeResumeElsewhere();
    void fillResumeElsewhere();

    void openResult(const JobEntry& job);
    void runAgain(const JobEntry& job);
    void showLog(const JobEntry& job);
    void openFolder(const JobEntry& job);

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
