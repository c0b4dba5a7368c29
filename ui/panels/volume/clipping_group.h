#pragma once

#include <QWidget>
#include <array>

#include "core/geometry/volume_grid.h"

class QCheckBox;
class QGridLayout;

namespace gantry {

class AppearanceHistory;
class SliderField;
struct VolumeAppearance;

/// What is removed of the volume in 3D, by a box and by an oblique plane.
/// Tests: tests/ui/panels/volume_panel_test.cpp
class ClippingGroup : public QWidget {
    Q_OBJECT

  public:
    explicit ClippingGroup(AppearanceHistory& history, QWidget* parent = nullptr);
    void setGrid(const VolumeGrid& grid);

  private:
    void buildBox(QGridLayout& form);
    void buildPlane(QGridLayout& form);
    SliderField* addRow(QGridLayout& form, const QString& text, const QString& name,
                        const QString& unit, double VolumeAppearance::*part);
    void showAppearance();

    AppearanceHistory& m_history;
    QCheckBox* m_box = nullptr;
    QCheckBox* m_plane = nullptr;
    std::array<SliderField*, 3> m_low = {};
    std::array<SliderField*, 3> m_high = {};
    SliderField* m_azimuth = nullptr;
    SliderField* m_elevation = nullptr;
    SliderField* m_offset = nullptr;
};

}  // namespace gantry
