#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// One view raw, corrected and filtered, side by side or switched, with scrubber and play; what a
/// volume does not explain of it; the sinogram of a row; histogram and window/level; the row's
/// profile before and after filtering; filter window and cut-off, changed live. Tests:
/// tests/ui/panels/projections_panel_test.cpp
class ProjectionsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ProjectionsPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~ProjectionsPanel() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
