#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// Where the time of the selected job goes, live or from its file: lanes, spans by stage, totals,
/// overlap factor, idle gaps and their causes, forecast against measured.
/// Tests: tests/ui/panels/timeline_panel_test.cpp
class TimelinePanel : public QWidget {
    Q_OBJECT

  public:
    explicit TimelinePanel(Workspace& workspace, QWidget* parent = nullptr);
    ~TimelinePanel() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
