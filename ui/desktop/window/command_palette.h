#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;
class QMainWindow;

namespace gantry {

/// Finds every action of the menus, every tool and every field by a part of its name or a word that
/// means the same ("ruler" for Distance); Enter triggers it. If nothing matches, it says so.
/// Tests: tests/ui/desktop/main_window_test.cpp
class CommandPalette : public QDialog {
    Q_OBJECT

  public:
    /// Takes ownership of the actions that have no parent.
    CommandPalette(const QList<QAction*>& actions, QWidget* parent);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void filter(const QString& text);
    void choose();

    QList<QAction*> m_actions;
    QLineEdit* m_edit = nullptr;
    QListWidget* m_list = nullptr;
};

/// An action for each visible field in the forms of a window's docks, named by its own label:
/// "Geometry: Roll". It shows the dock, scrolls to the field and gives it the focus. The actions
/// have no parent and are valid only for the moment.
/// Tests: tests/ui/desktop/command_palette_test.cpp
[[nodiscard]] QList<QAction*> fieldActions(const QMainWindow& window);

}  // namespace gantry
