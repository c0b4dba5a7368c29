#pragma once

#include <QObject>
#include <QRect>

class QMainWindow;

namespace gantry {

class FoldingDock;
class Workspace;

/// The wanted rectangle, reduced to fit an area and as near to its place as possible.
/// Tests: tests/ui/desktop/layout_test.cpp
[[nodiscard]] QRect placedInside(const QRect& wanted, const QRect& area);

/// The arrangement of the window and its docks: at the first start fitted to the screen, later as
/// it was left, moved inside if the screen is smaller. Timeline and jobs are folded to a line each
/// until there is a job, and are beside the fields, not below them; docks that the user folds or
/// opens stay so. While questions about bare images are open, the geometry makes room for them.
/// Tests: tests/ui/desktop/layout_test.cpp
class WindowLayout : public QObject {
    Q_OBJECT

  public:
    /// Finds the docks in the window by their names.
    WindowLayout(QMainWindow& window, Workspace& workspace);

    void restore();
    void save() const;
    /// Restores the first arrangement, in the window's size.
    void reset();
    /// Shows a dock, unfolded and in front of others.
    void bringUp(const QString& dock);

  private:
    [[nodiscard]] FoldingDock& dock(const QString& name) const;
    [[nodiscard]] QList<FoldingDock*> docks() const;
    void placeWindow();
    void placeCorners();
    void placeDocks();
    void restoreFolds();
    void openForJobs();
    void makeRoomForQuestions();
    void limitHeights();
    void share(const FoldingDock& changed);
    void shareBottom();
    void shareLeft();

    QMainWindow& m_window;
    Workspace& m_workspace;
    bool m_isAsking = false;
    bool m_wasGeometryFolded = false;
};

}  // namespace gantry
