#pragma once

#include <QWidget>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/field_table.h"
#include "core/geometry/volume_grid.h"
#include "ui/panels/shared/edit_gesture.h"
#include "ui/widgets/fields/number_field.h"

class QCheckBox;
class QLabel;

namespace gantry {

class ScanDocument;

/// A value along x, y and z, under a title. While they are linked there is one field for all three.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionAxes : public QWidget {
    Q_OBJECT

  public:
    using Values = std::array<double, 3>;

    /// linkText: of the box that links them; empty: they cannot be linked.
    /// name: the fields are objects NAMEX, NAMEY, NAMEZ, the box NAMELink.
    ReconstructionAxes(const QString& title, const NumberField::Style& style,
                       const QString& linkText, const QString& name, QWidget* parent = nullptr);

    /// Shows values without a signal; different ones are not linked any more.
    void setValues(const Values& values);
    /// The next values belong to another scan: equal ones are linked.
    void forgetLink() { m_isNew = true; }
    void setHelp(const QString& toolTip);

  signals:
    void edited(const std::array<double, 3>& values, bool isFinal);

  private:
    void take(std::size_t axis, double value, bool isFinal);
    void showLink();

    Values m_values{};
    bool m_isNew = true;
    QLabel* m_title = nullptr;
    QCheckBox* m_link = nullptr;
    std::array<QLabel*, 3> m_labels{};
    std::array<NumberField*, 3> m_fields{};
};

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
