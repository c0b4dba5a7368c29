#pragma once

#include <QDialog>
#include <QString>

#include "core/remote/host.h"
#include "core/remote/host_folders.h"
#include "ui/workspace/task_queue.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QListWidget;

namespace gantry {

/// The folders of a host, for a scan's file to be chosen there. The host is asked in a thread of
/// its own; a silent one holds up nothing. Deletes itself when closed.
class HostBrowser : public QDialog {
    Q_OBJECT

  public:
    /// start: a scan's file there, or empty
    HostBrowser(Host host, const QString& start, QWidget* parent = nullptr);
    ~HostBrowser() override;

  signals:
    void chosen(const QString& scan);

  private:
    void go(const QString& place);
    void show(const HostFolder& folder);
    void showProblem(const QString& sentence);
    void showChoice();
    void enter();
    void take();

    Host m_host;
    HostFolder m_folder;
    QLineEdit* m_place = nullptr;
    QListWidget* m_list = nullptr;
    QLabel* m_state = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
    TaskQueue m_asking;  // the last: its thread uses the others
};

}  // namespace gantry
