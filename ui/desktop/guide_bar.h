#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace gantry {

class Workspace;

/// The guided example: one sentence on what to do or to look at next, which goes on by itself when
/// it has been done.
/// Tests: tests/ui/desktop/example_test.cpp
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
    void showStep(int step);
    void advanceFrom(int step);

    QLabel* m_text = nullptr;
    QPushButton* m_next = nullptr;
    int m_step = -1;  ///< not under way
};

}  // namespace gantry
