#pragma once

namespace gantry {

/// Max distance, in voxels, by which rounding may put a point of a volume's face, or a voxel's
/// centre on a region's face, outside.
inline constexpr double kVoxelRounding = 1e-6;

}  // namespace gantry
