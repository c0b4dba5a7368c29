#pragma once

#include <QDockWidget>

class QToolButton;

namespace gantry {

/// A dock that can be folded to its title line. That line also floats the dock, by a double click
/// too, and closes it.
/// Tests: tests/ui/desktop/layout_test.cpp
class FoldingDock : public QDockWidget {
    Q_OBJECT

  public:
    /// Takes the panel. `name` is the object's name, which identifies the dock in a saved
    /// arrangement.
    FoldingDock(const QString& name, const QString& title, QWidget* panel,
                QWidget* parent = nullptr);

    [[nodiscard]] QWidget* panel() const { return m_panel; }
    [[nodiscard]] bool isFolded() const { return m_isFolded; }
    void setFolded(bool isFolded);
    /// Height of the title line, logical pixels.
    [[nodiscard]] int lineHeight() const;

  signals:
    void foldedChanged(bool isFolded);
    void foldedByHand(bool isFolded);  ///< by the user; after foldedChanged()

  private:
    QWidget* makeLine(const QString& title);
    void showFold();

    bool m_isFolded = false;
    QWidget* m_panel = nullptr;
    QToolButton* m_fold = nullptr;
};

}  // namespace gantry
