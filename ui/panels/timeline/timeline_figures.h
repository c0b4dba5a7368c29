#pragma once

#include <QWidget>
#include <optional>

#include "ui/models/timeline/timeline_snapshot.h"
#include "ui/models/timeline/timeline_tables.h"

class QTabBar;
class QTableView;

namespace gantry {

/// The numbers beside a timeline: stages, measured and predicted, and the longest idle gaps. Side
/// by side where there is room, else one at a time. Tests: tests/ui/panels/timeline_panel_test.cpp
class TimelineFigures : public QWidget {
    Q_OBJECT

  public:
    explicit TimelineFigures(QWidget* parent = nullptr);

    /// selection: the stages' figures are of that part of the run.
    void show(const TimelineSnapshot& snapshot, const std::optional<TimeRange>& selection);
    /// width: of timeline and figures together
    /// @returns the figures' share of it where they get less than they need; else 0
    int setRoom(int width);

  signals:
    void gapChosen(gantry::TimeRange range);

  private:
    void arrange();

    StageTable m_stages;
    GapTable m_gaps;
    QTabBar* m_tabs = nullptr;
    QTableView* m_stageView = nullptr;
    QTableView* m_gapView = nullptr;
    int m_stagesWidth = 0;
    int m_gapsWidth = 0;
    int m_shareWidth = 0;  ///< of the column that is left out where there is little room
    int m_room = 0;        ///< as setRoom() returned it
    bool m_isWide = false;
};

}  // namespace gantry
