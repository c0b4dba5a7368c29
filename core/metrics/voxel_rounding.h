#pragma once

namespace gantry {

/// What rounding may put a place on a volume's face, or a voxel's centre on the face of a region,
/// outside by: in voxels.
inline constexpr double kVoxelRounding = 1e-6;

}  // namespace gantry
