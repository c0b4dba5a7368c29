#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;

namespace gantry {

class Workspace;

/// What the status bar says: the engine, the machine's memory, and what is under the pointer.
class StatusLine : public QWidget {
    Q_OBJECT

  public:
    explicit StatusLine(Workspace& workspace, QWidget* parent = nullptr);

  private:
    void showEngine();
    void updateMemory();

    Workspace& m_workspace;
    QLabel* m_engine = nullptr;
    QLabel* m_memory = nullptr;
    QTimer m_timer;
};

}  // namespace gantry
