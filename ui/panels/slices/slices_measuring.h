#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>
#include <array>
#include <atomic>
#include <memory>

#include "core/report/measure_volume.h"
#include "ui/models/image/grey_image.h"
#include "ui/panels/slices/measurements.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/volume/volume_loading.h"

class QKeyEvent;
class QLabel;
class QPushButton;

namespace gantry {

class HistogramView;
class MeasureOverlay;
class ObliqueView;
class ProfilePlot;
class SlicesDensity;
class SlicesTools;
class SlicesView;

/// What the chosen measurement tells, from the file's own voxels: read in the background, the
/// newest only. Hidden while none is chosen.
/// Tests: tests/ui/panels/slices_measuring_test.cpp
class MeasureResults : public QWidget {
    Q_OBJECT

  public:
    MeasureResults(Measurements& measurements, QWidget* parent = nullptr);

    void setVolume(std::shared_ptr<const LoadedVolume> volume);

  signals:
    void shown();  ///< there is something to be seen, or more of it

  private:
    void buildButtons(QLayout& layout);
    void showChosen();
    void measureRegionOf(const SliceMeasure& region);
    void measureProfileOf(const SliceMeasure& profile);
    void showRegion(int id, const MeasuredRegion& region);
    void showProfile(const MeasuredProfile& profile);
    void showState(const QString& sentence, bool isError);
    void followProgress();
    void setText(const QString& text, const QString& csv);
    void askWhereToSave();

    Measurements& m_measurements;
    [[nodiscard]] QString unit() const;

    std::shared_ptr<const LoadedVolume> m_volume;
    QString m_text;  // to copy
    QString m_csv;   // to save
    QLabel* m_heading = nullptr;
    QLabel* m_figures = nullptr;
    QLabel* m_state = nullptr;
    SlicesDensity* m_density = nullptr;
    ProfilePlot* m_profile = nullptr;
    HistogramView* m_histogram = nullptr;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_save = nullptr;
    std::shared_ptr<std::atomic<double>> m_fraction;  // of the reader under way
    QTimer m_timer{this};
    Background m_reading;
};

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
