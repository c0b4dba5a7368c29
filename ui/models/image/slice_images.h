#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QString>
#include <array>
#include <memory>
#include <optional>
#include <span>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_levels.h"
#include "ui/models/image/grey_image.h"

namespace gantry {

/// The world axis perpendicular to a plain slice: sagittal, coronal and axial slices.
enum class SliceAxis { x, y, z };

using VoxelIndex = std::array<Index, 3>;

/// Numbers of the volume's axes (0 is x) as a slice shows them: seen from above (axial), from the
/// front (coronal) and from the side at positive x (sagittal). Tests:
/// tests/ui/models/slice_images_test.cpp
struct SlicePlane {
    std::size_t normal;  ///< through the slices
    std::size_t across;  ///< along the image's columns, to the right
    std::size_t up;      ///< along its rows, upwards

    friend bool operator==(const SlicePlane&, const SlicePlane&) = default;
};
[[nodiscard]] SlicePlane planeOf(SliceAxis axis);

/// Position of an index (whole numbers are centres of voxels) along an axis, mm.
[[nodiscard]] double positionMm(const VolumeGrid& grid, std::size_t axis, double index);
/// The index of a position, not rounded.
[[nodiscard]] double indexAt(const VolumeGrid& grid, std::size_t axis, double positionMm);
/// The voxel whose centre is nearest, within the grid, which must have voxels.
[[nodiscard]] VoxelIndex nearestVoxel(const VolumeGrid& grid, Vec3 positionMm);
[[nodiscard]] VoxelIndex middleVoxel(const VolumeGrid& grid);

/// The position of a voxel in a slice, as (column, row).
[[nodiscard]] QPointF pixelOf(const SlicePlane& plane, const VoxelIndex& voxel);
/// The voxel at a pixel of the slice that contains `voxel`; within the grid.
[[nodiscard]] VoxelIndex voxelAt(const SlicePlane& plane, const VolumeGrid& grid,
                                 const VoxelIndex& voxel, QPointF pixel);

/// Voxels in memory, [z][y][x], x fastest, kept by `owner`.
struct VoxelData {
    VolumeGrid grid;
    std::shared_ptr<const void> owner;
    std::span<const float> voxels;
    /// The volume on disk, if these voxels are coarser than its own; else null.
    std::shared_ptr<const VolumeLevels> levels{};
    QString unit = QStringLiteral("/mm");   ///< of the voxels; empty: not known
    std::optional<FieldOfView> measured{};  ///< voxels outside are estimates; none: no voxels are

    /// The grid of the volume's own voxels, in which positions are reported.
    [[nodiscard]] const VolumeGrid& finest() const;

    [[nodiscard]] float at(const VoxelIndex& voxel) const;
};

/// Slice `index` of a volume, 1/mm. Axial slices share the volume's memory, others are copied.
[[nodiscard]] GreyImage sliceImage(const VoxelData& data, SliceAxis axis, Index index);
/// The outline, in pixels, of what was measured of a slice at this place along its normal; empty
/// where nothing is estimated, or all.
[[nodiscard]] QPainterPath measuredOutline(const VoxelData& data, const SlicePlane& plane,
                                           double placeMm);
/// Whether copying such a slice may take over 10 ms (memory is read with long strides).
[[nodiscard]] bool isSlowSlice(const VolumeGrid& grid, SliceAxis axis);

/// The size of a voxel: "0.05 mm", or "0.05 × 0.05 × 0.1 mm".
[[nodiscard]] QString pitchText(const VolumeGrid& grid);
/// Millimetres with the digits that the pitch justifies, a real minus, and the unit: "−12.4 mm".
[[nodiscard]] QString positionText(double positionMm, double pitchMm);
/// "x 1.5 mm  y −2.0 mm  z 12.4 mm", with the digits that the grid's pitches justify.
[[nodiscard]] QString placeText(const VolumeGrid& grid, Vec3 placeMm);
/// "z 127 of 0–255, −12.4 mm"
[[nodiscard]] QString sliceText(const VolumeGrid& grid, SliceAxis axis, Index index);

}  // namespace gantry
