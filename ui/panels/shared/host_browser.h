#pragma once

#include <QDialog>
#include <QString>
#include <string>
#include <vector>

#include "core/remote/host/host.h"
#include "core/remote/shell/host_folders.h"
#include "ui/workspace/background/background.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QListWidget;

namespace gantry {

/// A dialog that browses the folders of a host, to choose a scan's file there. It queries the host
/// in a background thread, so that a host that does not answer does not block the window. Deletes
/// itself when closed. Tests: tests/ui/panels/host_browser_test.cpp,
/// tests/ui/desktop/remote_window_test.cpp
class HostBrowser : public QDialog {
    Q_OBJECT

  public:
    /// hosts: the hosts to select from, at least one; the first is browsed initially
    /// start: a scan's file on the first host, whose folder is shown; empty: the home folder
    HostBrowser(std::vector<Host> hosts, const QString& start, QWidget* parent = nullptr);

  signals:
    void chosen(const QString& scan, const gantry::Host& host);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] QWidget* makeHostList();
    void selectHost(int host);
    void openFolder(const std::string& place);
    void openTyped();
    void openParent();
    void show(const HostFolder& folder);
    void showProblem(const QString& sentence);
    void updateChooseButton();
    void openSelected();
    void chooseScan();
    [[nodiscard]] bool isFolder(int row) const;
    [[nodiscard]] std::string pathOf(int row) const;

    std::vector<Host> m_hosts;
    Host m_host;  // the host that is browsed
    HostFolder m_folder;
    QLineEdit* m_path = nullptr;
    QListWidget* m_list = nullptr;
    QLabel* m_status = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
    Background m_reading;
};

}  // namespace gantry
