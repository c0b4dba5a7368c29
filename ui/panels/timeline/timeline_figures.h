#pragma once

#include <QWidget>
#include <optional>

#include "ui/models/timeline/timeline_snapshot.h"
#include "ui/models/timeline/timeline_tables.h"

class QTabBar;
class QTableView;

namespace gantry {

class ProfilePlot;

/// The two tables beside a timeline: the stages, measured and predicted, and the longest idle gaps.
/// They are side by side if there is enough space, otherwise in tabs. With an iterative
/// method the curve of its residual stands in place of the gaps, which say little there.
/// Tests: tests/ui/panels/timeline_panel_test.cpp
class TimelineFigures : public QWidget {
    Q_OBJECT

  public:
    explicit TimelineFigures(QWidget* parent = nullptr);

    /// selection: the part of the run that the table of stages describes; none: the whole run
    void show(const TimelineSnapshot& snapshot, const std::optional<TimeRange>& selection);
    /// Adapts the tables to the width of timeline and tables together.
    /// @returns the width for the tables if it is less than they need, so that they are scrolled;
    /// otherwise 0
    int setAvailableWidth(int width);

  signals:
    void gapChosen(gantry::TimeRange range);

  private:
    void arrange();
    void showResidual(const std::vector<IterationFigures>& iterations);

    StageTable m_stages;
    GapTable m_gaps;
    QTabBar* m_tabs = nullptr;
    QTableView* m_stageView = nullptr;
    QTableView* m_gapView = nullptr;
    ProfilePlot* m_residual = nullptr;
    bool m_isIterative = false;
    int m_stageColumns = 0;
    int m_gapColumns = 0;
    int m_shareWidth = 0;    ///< width of the column that a narrow table of stages hides
    int m_reducedWidth = 0;  ///< the last result of setAvailableWidth()
    bool m_isWide = false;
};

}  // namespace gantry
