#pragma once

#include <QDateTime>
#include <QWidget>

class QLabel;
class QPushButton;

namespace gantry {

struct JobEntry;
class Workspace;

/// The guided example: one sentence on the next step, which advances by itself when the step has
/// been done. From Reconstruct on it shows the job's state, and steps back if there is no job any
/// more; it ends when another scan is opened, or none is left. Tests:
/// tests/ui/desktop/example_test.cpp, tests/ui/desktop/guide_test.cpp
class GuideBar : public QWidget {
    Q_OBJECT

  public:
    explicit GuideBar(Workspace& workspace, QWidget* parent = nullptr);
    void begin();
    [[nodiscard]] int step() const { return m_step; }

  signals:
    void projectionsWanted();
    void ended();

  private:
    void connectWorkspace();
    void showStep(int step);
    void advanceFrom(int step) {
        if (m_step == step) showStep(step + 1);
    }
    void follow();
    [[nodiscard]] const JobEntry* job() const;
    [[nodiscard]] bool isVolumeShown() const;
    [[nodiscard]] QString jobSentence() const;

    Workspace& m_workspace;
    QLabel* m_text = nullptr;
    QPushButton* m_next = nullptr;
    QDateTime m_begun;
    int m_step = -1;  ///< not running
};

}  // namespace gantry
