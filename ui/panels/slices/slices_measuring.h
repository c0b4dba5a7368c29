#pragma once

#include <QObject>
#include <array>
#include <memory>

#include "ui/panels/slices/measurements.h"
#include "ui/workspace/volume/volume_loading.h"

class QKeyEvent;

namespace gantry {

class MeasureOverlay;
class MeasureResults;
class ObliqueView;
class SlicesTools;
class SlicesView;

/// The measuring tools of the Slices tab: the measurements, their overlay on each of its views, and
/// what the chosen one tells.
/// Tests: tests/ui/panels/slices_measuring_test.cpp
class SlicesMeasuring : public QObject {
    Q_OBJECT

  public:
    /// Child of the panel, whose keys choose the tools.
    SlicesMeasuring(const std::array<SlicesView*, 3>& views, SlicesTools& tools, QWidget* panel);

    /// In it, too, but for regions, which are boxes along the axes.
    void addOblique(ObliqueView& view);
    [[nodiscard]] Measurements& measurements() { return m_measurements; }
    [[nodiscard]] MeasureResults* results() const { return m_results; }
    void setVolume(const std::shared_ptr<const LoadedVolume>& volume, const VoxelData& data,
                   const VoxelIndex& voxel);
    void setVoxel(const VoxelIndex& voxel);

    /// Whether undo or redo would be of a measurement.
    [[nodiscard]] bool takesUndo(const QKeyEvent& event) const;
    /// Esc ends the tool or the choice, Delete removes the chosen one, undo and redo. @returns
    /// whether it was one
    bool takeKey(const QKeyEvent& event);

  private:
    void connectTools(SlicesTools& tools, QWidget* panel);

    Measurements m_measurements;
    std::array<MeasureOverlay*, 3> m_overlays = {};
    std::array<SlicePlane, 3> m_planes = {};
    MeasureResults* m_results = nullptr;
    VoxelData m_data;
};

}  // namespace gantry
