#pragma once

#include <QDockWidget>

class QToolButton;

namespace gantry {

/// A dock that can be folded to its title line, or to a narrow strip at the window's edge. The line
/// also floats the dock, by a double click too, and closes it.
/// Tests: tests/ui/desktop/layout_test.cpp
class FoldingDock : public QDockWidget {
    Q_OBJECT
    Q_PROPERTY(bool folded READ isFolded WRITE setFolded NOTIFY foldedChanged)

  public:
    /// Takes the panel. `name` is the object's name, which identifies the dock in a saved
    /// arrangement.
    FoldingDock(const QString& name, const QString& title, QWidget* panel,
                QWidget* parent = nullptr);

    [[nodiscard]] QWidget* panel() const { return m_panel; }
    [[nodiscard]] bool isFolded() const { return m_isFolded; }
    void setFolded(bool isFolded);
    /// Whether it is folded to a strip instead of a line, which needs nothing beside it.
    void setAtEdge(bool isAtEdge);
    [[nodiscard]] bool isAtEdge() const { return m_isAtEdge; }
    /// Width of the strip, logical pixels.
    [[nodiscard]] int edgeWidth() const;
    /// Height of the strip with the whole title, logical pixels.
    [[nodiscard]] int edgeHeight() const;
    /// Height of the title line, logical pixels.
    [[nodiscard]] int lineHeight() const;

  signals:
    void foldedChanged(bool isFolded);
    void foldedByHand(bool isFolded);  ///< by the user; after foldedChanged()

  private:
    QWidget* makeLine(const QString& title);
    void showFold();

    void fold(bool isFolded);

    bool m_isFolded = false;
    bool m_isAtEdge = false;
    QWidget* m_panel = nullptr;
    QToolButton* m_fold = nullptr;
    QWidget* m_line = nullptr;  ///< what the title line has besides the button
    QToolButton* m_edge = nullptr;
};

}  // namespace gantry
