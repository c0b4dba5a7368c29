#pragma once

#include <QScrollArea>
#include <array>

#include "ui/models/image/region_box.h"
#include "ui/models/image/slice_images.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/volume/volume_document.h"

class QBoxLayout;
class QLabel;

namespace gantry {

class HistogramView;
class NumberField;

/// Beside the slices: the window with its histogram, the cross-hair's place and value, and what the
/// volume is.
/// Tests: tests/ui/panels/slices_panel_test.cpp
class SlicesInfo : public QScrollArea {
    Q_OBJECT

  public:
    explicit SlicesInfo(QWidget* parent = nullptr);

    /// At the top of the right column.
    void addAtTop(QWidget* part);
    void setVolume(const LoadedVolume& volume);
    void setVoxel(const VoxelData& volume, const VoxelIndex& voxel);
    void setWindow(const GreyWindow& window);
    /// Sets the region of the next reconstruction; no voxels: it is not shown.
    void setRegion(const VolumeGrid& grid);

  signals:
    void windowEdited(const gantry::GreyWindow& window);
    void automaticRequested();
    void positionEdited(int axis, double positionMm);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QLayout* buildWindow();
    QLayout* buildCrosshair();
    QLayout* buildVolume();
    void showValue(float value);

    QBoxLayout* m_columns = nullptr;
    QBoxLayout* m_place = nullptr;
    HistogramView* m_histogram = nullptr;
    QString m_unit;  // of the volume's values
    NumberField* m_level = nullptr;
    NumberField* m_width = nullptr;
    std::array<NumberField*, 3> m_position = {};
    std::array<QLabel*, 3> m_voxel = {};
    QLabel* m_value = nullptr;
    QLabel* m_volume = nullptr;
    QLabel* m_warning = nullptr;
    QWidget* m_regionHeading = nullptr;
    QLabel* m_region = nullptr;
    Background m_reading;  ///< the value at the cross-hair, where it is on disk alone
};

}  // namespace gantry
