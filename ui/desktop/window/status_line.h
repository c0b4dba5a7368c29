#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;

namespace gantry {

class Workspace;

/// The content of the status bar: the engine, the machine's memory, and the values under the
/// pointer.
class StatusLine : public QWidget {
    Q_OBJECT

  public:
    /// Takes a widget that has what room the texts leave.
    StatusLine(Workspace& workspace, QWidget* middle, QWidget* parent = nullptr);

  private:
    void showEngine();
    void updateMemory();

    Workspace& m_workspace;
    QLabel* m_engine = nullptr;
    QLabel* m_memory = nullptr;
    QTimer m_timer;
};

}  // namespace gantry
