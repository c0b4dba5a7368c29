#pragma once

#include <QDialog>
#include <QString>
#include <string>
#include <vector>

#include "core/remote/host.h"
#include "core/remote/host_folders.h"
#include "ui/workspace/background/task_queue.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QListWidget;

namespace gantry {

/// The folders of a host, for a scan's file to be chosen there. The host is asked in a thread of
/// its own; a silent one holds up nothing. Deletes itself when closed.
/// Tests: tests/ui/panels/host_browser_test.cpp, tests/ui/desktop/remote_window_test.cpp
class HostBrowser : public QDialog {
    Q_OBJECT

  public:
    /// hosts: of which one is chosen, the first to begin with; start: a scan's file there, or empty
    HostBrowser(std::vector<Host> hosts, const QString& start, QWidget* parent = nullptr);

  signals:
    void chosen(const QString& scan, const gantry::Host& host);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] QWidget* makeHosts();
    void goTo(int host);
    void go(const std::string& place);
    void goTyped();
    void goUp();
    void show(const HostFolder& folder);
    void showProblem(const QString& sentence);
    void showChoice();
    void enter();
    void take();
    [[nodiscard]] bool isFolder(int row) const;
    [[nodiscard]] std::string pathOf(int row) const;

    std::vector<Host> m_hosts;
    Host m_host;  // the one that is browsed
    HostFolder m_folder;
    QLineEdit* m_place = nullptr;
    QListWidget* m_list = nullptr;
    QLabel* m_state = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
    TaskQueue m_asking;  // the last: its thread uses the others
};

}  // namespace gantry
