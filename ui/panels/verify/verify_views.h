#pragma once

#include <QPointF>
#include <QWidget>
#include <array>
#include <cstddef>
#include <optional>

#include "ui/models/image/slice_images.h"

namespace gantry {

class ImageView;
class ProfilePlot;

/// A piece's truth and what was reconstructed of it, on one grid.
struct PieceVolumes {
    VoxelData truth;  ///< no voxels: of a real piece there is none
    VoxelData result;
    GreyWindow window = {};  ///< of both, to begin with
};

/// Truth, reconstruction and difference of a piece in the same axial slice, with one cross-hair,
/// the values there and along it; of a real piece its volume alone. While the pointer is over one
/// of the pictures, the cross-hair of all is there. The wheel scrolls the slices of all.
/// Tests: tests/ui/panels/verify_panel_test.cpp, tests/ui/panels/verify_real_piece_test.cpp
class VerifyViews : public QWidget {
    Q_OBJECT

  public:
    explicit VerifyViews(QWidget* parent = nullptr);

    /// No voxels: nothing is shown.
    void setVolumes(const PieceVolumes& volumes);
    /// Along x (0) or y (1).
    void setProfileAxis(std::size_t axis);
    /// The values along the cross-hair.
    [[nodiscard]] ProfilePlot& plot() const { return *m_plot; }

  private:
    void connectView(std::size_t number);
    [[nodiscard]] bool isEmpty() const { return m_volumes.result.voxels.empty(); }
    [[nodiscard]] bool hasTruth() const { return !m_volumes.truth.voxels.empty(); }
    [[nodiscard]] VoxelIndex shownVoxel() const;
    void show();
    void showPlace();
    void showProfiles(const VoxelIndex& voxel);

    PieceVolumes m_volumes;
    VoxelIndex m_voxel = {0, 0, 0};
    std::optional<QPointF> m_pointed;  // pixel under the pointer
    std::size_t m_profileAxis = 0;
    std::array<ImageView*, 3> m_views = {};
    ProfilePlot* m_plot;
};

}  // namespace gantry
