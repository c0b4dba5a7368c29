#pragma once

#include <QString>
#include <array>
#include <optional>

#include "core/geometry/volume_grid.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// Arithmetic of the requested volume. Tests: tests/ui/models/job_volume_test.cpp

/// Edge lengths of the volume, mm.
[[nodiscard]] std::array<double, 3> boxMm(const VolumeGrid& grid);

/// n × n × n cubic voxels around the box: the smallest cube that contains it.
[[nodiscard]] VolumeGrid cubeAround(const VolumeGrid& grid, Index n);
/// The same box in cubic voxels, `across` of them along x.
[[nodiscard]] VolumeGrid withVoxelsAcross(const VolumeGrid& grid, Index across);
/// The same pitch and centre, with as many voxels as come closest to the box.
[[nodiscard]] VolumeGrid withBox(const VolumeGrid& grid, const std::array<double, 3>& boxMm);

/// Whether the box leaves out a part of the fitted one, by more than a voxel.
[[nodiscard]] bool isRegionOf(const VolumeGrid& grid, const VolumeGrid& fitted);
/// The fitted box, with the pitch of `grid`.
[[nodiscard]] VolumeGrid wholeAtPitch(const VolumeGrid& grid, const VolumeGrid& fitted);
/// The middle half of the box along each axis, as the start of a region.
[[nodiscard]] VolumeGrid middleOf(const VolumeGrid& grid);

/// fitGrid(), or none if the geometry allows no volume.
[[nodiscard]] std::optional<VolumeGrid> fittedOrNone(const JobSpec& job);

/// Memory of the voxels as 32-bit floats, bytes.
[[nodiscard]] Index volumeBytes(const VolumeGrid& grid);
/// "102.4 × 102.4 × 80 mm"
[[nodiscard]] QString boxText(const VolumeGrid& grid);

}  // namespace gantry
