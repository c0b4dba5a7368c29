#pragma once

#include <QObject>
#include <QRect>

class QMainWindow;

namespace gantry {

class FoldingDock;
class Workspace;

/// The part of the wanted rectangle's size that fits an area, as near to its place as can be.
/// Tests: tests/ui/desktop/layout_test.cpp
[[nodiscard]] QRect placedInside(const QRect& wanted, const QRect& area);

/// Where the window and its docks stand: at the first start what the screen has room for, later
/// what was left, brought back inside where the screen is smaller. Timeline and jobs are folded to
/// a line each until there is a job, and stand beside the fields, not below them; what the operator
/// folds or opens stays so. While bare images are asked about, the geometry makes room for the
/// questions.
/// Tests: tests/ui/desktop/layout_test.cpp
class WindowLayout : public QObject {
    Q_OBJECT

  public:
    /// The docks are found in the window by their names.
    WindowLayout(QMainWindow& window, Workspace& workspace);

    void restore();
    void save() const;
    /// As at the first start, in the window's size.
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
