#pragma once

#include <QWidget>
#include <vector>

class QLabel;

namespace gantry {

struct ScanGeometry;

/// What a geometry means (magnification, voxel, field of view, ...) in two lines of cells.
/// Tests: tests/ui/panels/geometry_panel_test.cpp
class GeometryDerived : public QWidget {
    Q_OBJECT

  public:
    explicit GeometryDerived(QWidget* parent = nullptr);
    void showGeometry(const ScanGeometry& geometry);

  private:
    struct Cell {
        QLabel* label;
        QLabel* text;
    };
    std::vector<Cell> m_cells;
    QLabel* m_beam = nullptr;
};

}  // namespace gantry
