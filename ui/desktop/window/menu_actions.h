#pragma once

#include <QAction>
#include <QList>
#include <QObject>
#include <functional>

class QAction;
class QMenu;

namespace gantry {

class MainWindow;

/// The menus: every command of the window with its key. Everything that can be done is here, so
/// that the keyboard and the search of actions reach it. A command that reads or leaves the scan
/// first applies pending edits; if that is impossible, the field gets the focus instead. Tests:
/// tests/ui/desktop/main_window_test.cpp, tests/ui/desktop/pending_edits_test.cpp
class MenuActions : public QObject {
    Q_OBJECT

  public:
    explicit MenuActions(MainWindow& window);
    /// The actions of all menus, in order.
    [[nodiscard]] QList<QAction*> all() const;
    /// Marks whether the picture has the window alone.
    void showAlone(bool isAlone) { m_alone->setChecked(isAlone); }

  private:
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildJobMenu();
    void buildHelpMenu();
    void addSearch();
    void fillRecent();
    void updateEnabled();
    /// Adds a command that uses or changes the scan.
    QAction* add(QMenu* menu, const QString& text, const char* iconName, const char* keys,
                 const std::function<void()>& act);
    /// Adds a command that may be used while the user types.
    QAction* addAside(QMenu* menu, const QString& text, const char* iconName, const char* keys,
                      const std::function<void()>& act);
    void followStack(QAction* undo, QAction* redo);

    MainWindow& m_window;
    QMenu* m_recent = nullptr;
    QAction* m_save = nullptr;
    QAction* m_import = nullptr;
    QAction* m_export = nullptr;
    QAction* m_closeVolume = nullptr;
    QAction* m_close = nullptr;
    QAction* m_reset = nullptr;
    QAction* m_findCentre = nullptr;
    QAction* m_calibrate = nullptr;
    QAction* m_checkConventions = nullptr;
    QAction* m_compare = nullptr;
    QAction* m_compareFolder = nullptr;
    QAction* m_reconstruct = nullptr;
    QAction* m_live = nullptr;
    QAction* m_cancel = nullptr;
    QAction* m_resume = nullptr;
    QAction* m_report = nullptr;
    QAction* m_alone = nullptr;
};

}  // namespace gantry
