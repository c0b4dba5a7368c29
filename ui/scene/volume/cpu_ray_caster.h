#pragma once

#include <QImage>
#include <array>
#include <memory>
#include <stop_token>
#include <vector>

#include "ui/scene/volume/ray_cast_request.h"
#include "ui/scene/volume/reduced_volume.h"
#include "ui/scene/volume/voxel_ray.h"

namespace gantry {

/// Casts rays with all processors; needs no OpenGL. VTK's own (vtkFixedPointVolumeRayCastMapper)
/// needs 160 ms for a coarse picture where this needs 20, and draws specks on thin shells, whose
/// crest has no gradient; here such places are lit evenly. Transparent bricks are skipped. Several
/// threads may cast with one caster. Tests: tests/ui/scene/ray_caster_test.cpp
class CpuRayCaster {
  public:
    /// Takes 16 bytes a voxel.
    explicit CpuRayCaster(const ReducedVolume& volume);

    /// Boxes of finer voxels, each within the one before it and all within the volume, which they
    /// replace in the picture; at most kMaxBoxes.
    using Boxes = std::vector<std::shared_ptr<const CpuRayCaster>>;
    /// Premultiplied, transparent where nothing is. @throws Cancelled
    [[nodiscard]] QImage cast(const RayCastRequest& request, const std::stop_token& stop,
                              const Boxes& boxes = {}) const;

  private:
    // Value and gradient along the axes (a voxel), relative to the volume's range of values.
    using Voxel = float __attribute__((vector_size(16)));
    struct Shading;
    struct Nest;
    struct Stretch;
    struct Values {
        float min;
        float max;
    };
    [[nodiscard]] Shading shadingOf(const RayCastRequest& request, const CpuRayCaster& whole) const;
    [[nodiscard]] Voxel sample(const Vec3& voxel) const;
    [[nodiscard]] Stretch stretchAt(const VoxelRay& ray, double t) const;
    [[nodiscard]] Voxel lightOf(const Voxel& voxel, const Shading& shading) const;
    [[nodiscard]] static Voxel cutFace(const Voxel& voxel, const Shading& shading);
    [[nodiscard]] static Voxel castRay(const RayCastRequest& request, const Nest& nest,
                                       const ViewRay& viewRay, double jitter);
    [[nodiscard]] VoxelRay pieceOf(const RayCastRequest& request, const ViewRay& viewRay,
                                   const CpuRayCaster& whole, const RayPiece& piece) const;
    void addShaded(const VoxelRay& ray, const Shading& shading, double jitter, Voxel& seen) const;
    void addMaximum(const VoxelRay& ray, const Shading& shading, double jitter, float& grey) const;
    void smooth(int axis);
    void findBrickValues();

    ReducedVolume m_placement;  // without its voxels
    std::vector<Voxel> m_voxels;
    std::array<Index, 3> m_bricks = {0, 0, 0};
    std::vector<Values> m_brickValues;
    double m_diagonalMm = 1;
    double m_minPitchMm = 1;
};

}  // namespace gantry
