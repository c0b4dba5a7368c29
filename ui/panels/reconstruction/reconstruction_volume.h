#pragma once

#include <QWidget>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/field_table.h"
#include "core/geometry/volume_grid.h"
#include "ui/panels/shared/edit_gesture.h"

class QCheckBox;
class QLabel;

namespace gantry {

class ReconstructionAxes;
class ScanDocument;

/// The volume that is asked for: voxels, pitch, centre, fitted or not, and the region of interest,
/// which is the same box. Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionVolume : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionVolume(ScanDocument& scan, QWidget* parent = nullptr);

  private:
    [[nodiscard]] QWidget* makeSizes();
    void makeField(std::string_view path, const QString& linkText, const QString& name);
    void makeRegion();
    void show();
    void showProblems();
    void edit(const VolumeGrid& grid, const QString& text, const QString& mergeKey = {});
    void setFitted(bool isFitted);
    void setRegion(bool isRegion);

    ScanDocument& m_scan;
    std::optional<VolumeGrid> m_fitted;
    EditGesture m_gesture;
    QCheckBox* m_isFitted = nullptr;
    std::vector<std::pair<const FileField<VolumeGrid>*, ReconstructionAxes*>> m_fields;
    QLabel* m_extent = nullptr;
    QCheckBox* m_isRegion = nullptr;
    ReconstructionAxes* m_region = nullptr;
    QLabel* m_problems = nullptr;
};

}  // namespace gantry
