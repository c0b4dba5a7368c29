#pragma once

#include <QList>
#include <QMap>
#include <QObject>
#include <QPointer>
#include <QRect>

class QMainWindow;

namespace gantry {

class FoldingDock;
class Workspace;

/// The wanted rectangle, reduced to fit an area and as near to its place as possible.
/// Tests: tests/ui/desktop/layout_test.cpp
[[nodiscard]] QRect placedInside(const QRect& wanted, const QRect& area);

/// The arrangement of the window and its docks: at the first start fitted to the screen, later as
/// it was left, moved inside if the screen is smaller. Timeline and jobs, one above the other, are
/// folded to a line each until there is a job, and are beside the fields, not below them; docks
/// that the user folds or opens stay so. In the tabs where one looks at a volume, the docks at the
/// sides are folded to the window's edges; what the user opens there is remembered for each tab.
/// While questions about bare images are open, the geometry makes room for them.
/// Tests: tests/ui/desktop/layout_test.cpp, tests/ui/desktop/viewing_layout_test.cpp
class WindowLayout : public QObject {
    Q_OBJECT

  public:
    /// Finds the docks in the window by their names.
    WindowLayout(QMainWindow& window, Workspace& workspace);

    void restore();
    void save();
    /// Restores the first arrangement, in the window's size.
    void reset();
    /// Folds and opens the docks at the sides as that tab wants it. isViewing: one looks at a
    /// volume there, and needs none of them
    void setTab(const QString& tab, bool isViewing);
    /// Hides every dock, so that the tab has the whole window, or brings them back.
    void showAlone(bool isAlone);
    /// Shows a dock, unfolded and in front of others.
    void bringUp(const QString& dock);

  signals:
    void aloneChanged(bool isAlone);

  private:
    [[nodiscard]] QString foldKey(const FoldingDock& dock) const;
    [[nodiscard]] bool wantsFolded(const FoldingDock& dock) const;
    void foldSides();
    void foldToEdges();
    void stackBottom();
    [[nodiscard]] FoldingDock& dock(const QString& name) const;
    [[nodiscard]] QList<FoldingDock*> docks() const;
    void placeWindow();
    void placeCorners();
    void placeDocks();
    void restoreFolds();
    void openForJobs();
    void makeRoomForQuestions();
    void makeRoomForProblems();
    void restoreWidth(Qt::DockWidgetArea side);
    void limitSizes();
    void limitHeights();
    void share(const FoldingDock& changed);
    void shareBottom();
    void shareLeft();
    void shareSides();

    QMainWindow& m_window;
    Workspace& m_workspace;
    bool m_isAsking = false;
    QString m_tab;
    bool m_isViewing = false;
    QMap<Qt::DockWidgetArea, int> m_widths;  ///< of the areas at the sides while they are open
    QList<QPointer<FoldingDock>> m_hidden;   ///< what showAlone() has hidden
    bool m_isAlone = false;
};

}  // namespace gantry
