#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_levels.h"

namespace gantry {

struct SurfaceMesh;

/// The surface that encloses matter above an attenuation, within a box. It is closed by plane faces
/// at the centres of the box's and the volume's outermost voxels.
struct SurfaceOrder {
    double attenuation = 0;  ///< 1/mm
    std::array<double, 3> lowMm = {0, 0, 0};
    std::array<double, 3> highMm = {0, 0, 0};
    friend bool operator==(const SurfaceOrder&, const SurfaceOrder&) = default;
};

struct SurfaceSize {
    double areaMm2 = 0;    ///< without the plane faces that close it
    double volumeMm3 = 0;  ///< enclosed by it
    Index triangles = 0;
};

/// A surface that can be shown.
struct Isosurface {
    SurfaceSize size;
    std::array<double, 3> voxelMm = {0, 0, 0};  ///< of the voxels it was made from
    std::shared_ptr<const SurfaceMesh> mesh;
};

/// The surface of voxels in memory or, if the box has more than `maxVoxels` along an axis, of
/// means of blocks of them. Voxels that are not finite are empty. voxels: [z][y][x], attenuation in
/// 1/mm
/// @param fraction  progress, read by another thread
/// @throws InputError when no voxel lies in the box; ResourceError, Cancelled
/// Tests: tests/ui/scene/isosurface_test.cpp
[[nodiscard]] Isosurface isosurfaceOf(const VolumeGrid& grid, std::span<const float> voxels,
                                      const SurfaceOrder& order, Index maxVoxels,
                                      std::atomic<double>& fraction,
                                      const std::stop_token& stop = {});

/// Max voxels of the file that are read at a time; their surface takes as much memory again.
inline constexpr Index kSurfaceSlabVoxels = Index(32) << 20;

/// Writes the surface of the file's own voxels, read slab by slab, as a binary STL or PLY file
/// (by its name) in mm in the volume's coordinates, normals outwards; under a temporary name until
/// it is complete.
/// @param fraction  progress, read by another thread
/// @throws InputError when no voxel lies in the box, the name is of neither format, or a file is
/// damaged; ResourceError, Cancelled
/// Tests: tests/ui/scene/isosurface_test.cpp
SurfaceSize saveIsosurface(const VolumeLevels& levels, const SurfaceOrder& order,
                           const std::filesystem::path& path, std::atomic<double>& fraction,
                           const std::stop_token& stop = {}, Index slabVoxels = kSurfaceSlabVoxels);

}  // namespace gantry
