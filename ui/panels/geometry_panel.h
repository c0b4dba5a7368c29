#pragma once

#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// Every field of the scan's geometry with its unit and what is wrong with it, the derived values,
/// presets, import and export, above the 3D schematic.
/// Tests: tests/ui/panels/geometry_panel_test.cpp
class GeometryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit GeometryPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~GeometryPanel() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
