#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// The table of jobs, with what can be done to each.
/// Tests: tests/ui/panels/jobs_panel_test.cpp
class JobsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit JobsPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~JobsPanel() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
