#pragma once

#include <QDialog>
#include <QString>
#include <optional>

#include "core/remote/host/host.h"

class QLabel;
class QListWidget;
class QPushButton;
class QScrollArea;

namespace gantry {

class HostCheckList;
class HostForm;
class HostPlan;

/// The hosts of this user: listed, added, edited, removed and checked. What is edited is kept at
/// once, where it is right; a new one when its button is pressed. Deletes itself when closed.
/// Tests: tests/ui/panels/hosts_window_test.cpp, tests/ui/desktop/remote_window_test.cpp
class HostsWindow : public QDialog {
    Q_OBJECT

  public:
    explicit HostsWindow(HostPlan& plan, QWidget* parent = nullptr);
    ~HostsWindow() override;

    /// Takes a host's file, as a site hands it out.
    void openFile(const QString& path);

  private:
    [[nodiscard]] QWidget* makeList();
    [[nodiscard]] QWidget* makePage();
    void showKnown();
    void showSelected();
    void addNew();
    void chooseFile();
    void removeSelected();
    void keep();
    void saveNew();
    void select(const QString& name);

    HostPlan& m_plan;
    std::optional<Host> m_new;  // one that is being filled in
    QString m_toSelect;         // when it is read
    QListWidget* m_list = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_save = nullptr;
    QScrollArea* m_page = nullptr;
    HostForm* m_form = nullptr;
    QLabel* m_state = nullptr;
    HostCheckList* m_check = nullptr;
};

}  // namespace gantry
