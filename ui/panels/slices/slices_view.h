#pragma once

#include <QColor>
#include <QPointF>
#include <QString>
#include <QWidget>
#include <optional>

#include "ui/models/image/region_box.h"
#include "ui/models/image/slab_images.h"
#include "ui/models/image/slice_images.h"
#include "ui/panels/slices/slice_detail.h"
#include "ui/panels/slices/slice_export.h"
#include "ui/workspace/background/background.h"

class QLabel;

namespace gantry {

class ImageView;

/// The colour that an axis has in cross-hairs and labels; on images, so the same in both themes.
[[nodiscard]] QColor axisColour(std::size_t axis);
[[nodiscard]] QString axisName(std::size_t axis);  ///< "x"

/// One plain slice of a volume through the cross-hair, or a slab about it, its axes named at the
/// edges. What takes long to collect from memory is collected in the background, the newest next.
/// Tests: tests/ui/panels/slices_panel_test.cpp
class SlicesView : public QWidget {
    Q_OBJECT

  public:
    explicit SlicesView(SliceAxis axis, QWidget* parent = nullptr);

    /// How fine shown voxels of that pitch are; share: their pitch in those of the file.
    [[nodiscard]] static QString resolutionText(double share, const QString& pitch);

    /// Shows the slice at `voxel`; no voxels: none.
    /// voxel: of the volume's own, where those in memory are coarser.
    void setVolume(const VoxelData& volume, const VoxelIndex& voxel);
    void setVoxel(const VoxelIndex& voxel);
    /// What the slices are of; as a warning where it may be mistaken.
    void setCaption(const QString& text, bool isWarning);
    void setWindow(const GreyWindow& window);
    void setSlab(const Slab& slab);
    void setScaleShown(bool isShown);
    void setRegion(const std::optional<RegionBox>& region);
    /// What is painted over, and takes events before it.
    [[nodiscard]] ImageView& imageView() { return *m_view; }
    [[nodiscard]] SlicePlane plane() const { return m_plane; }
    /// What is shown, to be saved.
    [[nodiscard]] SlicePicture picture() const;

  signals:
    void voxelChosen(const gantry::VoxelIndex& voxel);
    void windowEdited(const gantry::GreyWindow& window);
    void regionDragged(const gantry::RegionBox& region, bool isFinal);
    void maximiseRequested();
    void used();  ///< got the focus
    void readoutChanged(const QString& text);
    /// Its finer voxels cannot be read.
    void failed(const QString& sentence);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void connectView();
    void forgetShown();
    void showSlice();
    void show(Index index, const GreyImage& image);
    void showCrosshair();
    void showDetail();
    void showCorner();
    [[nodiscard]] Vec3 placeMm() const;
    [[nodiscard]] Index indexInMemory() const;
    void showScale();
    void scroll(int steps);
    void placeLabels();
    void tellReadout();

    SliceAxis m_axis;
    SlicePlane m_plane;
    VoxelData m_data;
    VoxelIndex m_voxel = {0, 0, 0};
    Slab m_slab;
    bool m_isScaleShown = true;
    Index m_shown = -1;                // of those in memory
    std::optional<QPointF> m_hovered;  // the pixel under the pointer
    std::optional<RegionBox> m_region;
    ImageView* m_view = nullptr;
    QLabel* m_across = nullptr;
    QLabel* m_up = nullptr;
    Background m_collecting;
    SliceDetail* m_detail = nullptr;
};

}  // namespace gantry
