#pragma once

#include <QDialog>

class QPlainTextEdit;
class QPushButton;

namespace gantry {

class HostPlan;

/// The script that a host will run, to be read and edited. Deletes itself when closed.
/// Tests: tests/ui/panels/reconstruction_host_test.cpp
class ScriptWindow : public QDialog {
    Q_OBJECT

  public:
    explicit ScriptWindow(HostPlan& plan, QWidget* parent = nullptr);

  private:
    void take();
    void showMade();

    HostPlan& m_plan;
    QPlainTextEdit* m_text = nullptr;
    QPushButton* m_made = nullptr;
};

}  // namespace gantry
