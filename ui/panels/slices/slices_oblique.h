#pragma once

#include <QObject>
#include <QStackedWidget>
#include <QWidget>
#include <array>

#include "ui/models/image/plane_raster.h"

namespace gantry {

class Measurements;
class NumberField;
class ObliqueLine;
class ObliqueView;
class SlicesView;

/// How the oblique slice lies, in two fields. Tests: tests/ui/panels/slices_oblique_test.cpp
class ObliqueFields : public QWidget {
    Q_OBJECT

  public:
    explicit ObliqueFields(QWidget* parent = nullptr);

    void setAngles(const ObliqueAngles& angles);

  signals:
    void anglesEdited(const gantry::ObliqueAngles& angles, bool isFinal);

  private:
    NumberField* m_turn = nullptr;
    NumberField* m_tilt = nullptr;
};

/// The oblique slice of the Slices tab: its view, in the place of the sagittal one; its line in the
/// two others; and its fields.
/// Tests: tests/ui/panels/slices_oblique_test.cpp
class SlicesOblique : public QObject {
    Q_OBJECT

  public:
    /// views: axial, coronal, sagittal; measurements: keep the angles
    SlicesOblique(const std::array<SlicesView*, 3>& views, Measurements& measurements,
                  QWidget* parent);

    /// Where the sagittal slice is, or the oblique one.
    [[nodiscard]] QWidget* place() const { return m_place; }
    [[nodiscard]] ObliqueView& view() { return *m_view; }
    [[nodiscard]] QWidget* fields() const { return m_fields; }
    void setShown(bool isShown);
    void setVolume(const VoxelData& volume);
    void setPlace(Vec3 throughMm, const VoxelIndex& voxel);

  private:
    void showPlane();

    Measurements& m_measurements;
    VoxelData m_data;
    Vec3 m_throughMm;
    QStackedWidget* m_place = nullptr;
    ObliqueView* m_view = nullptr;
    ObliqueFields* m_fields = nullptr;
    std::array<ObliqueLine*, 2> m_lines = {};  ///< in the axial slice and the coronal one
};

}  // namespace gantry
