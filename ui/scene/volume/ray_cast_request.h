#pragma once

#include <QSize>
#include <vector>

#include "ui/models/image/transfer_function.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/volume/half_space.h"
#include "ui/scene/volume/plane_picture.h"

namespace gantry {

/// A picture of a volume that is asked for.
struct RayCastRequest {
    OrbitCamera camera;
    QSize size;                                      ///< device pixels
    double pixelsPerRay = 1;                         ///< along an edge; more is coarser and quicker
    double stepVoxels = 0.5;                         ///< along a ray; more is coarser and quicker
    TransferFunction transfer = windowTransfer({});  ///< of shaded surfaces
    GreyWindow window;                               ///< of the maximum, and of what is cut
    bool isMaximum = false;  ///< the largest value along each ray, not shaded surfaces
    bool isSurface = false;  ///< the surface that the card was given, not the voxels
    /// Without the quarter of the volume below its middle in x and in y; matter is shown in its
    /// grey where it is cut. By CpuRayCaster only.
    bool isCutOpen = false;
    std::vector<HalfSpace> clips;      ///< only what lies in all of them is shown
    std::vector<PlanePicture> planes;  ///< whole, whatever is clipped
    friend bool operator==(const RayCastRequest&, const RayCastRequest&) = default;
};

inline constexpr double kAmbient = 0.18;
inline constexpr double kDiffuse = 1.0;
inline constexpr double kSpecular = 0.2;
inline constexpr double kSpecularPower = 24;
inline constexpr double kOpacityShareOfDiagonal = 0.01;
/// By gradient, matter is as opaque as the transfer function says where attenuation changes by this
/// share of its extent, or more, a voxel; where it changes less it is ever clearer.
inline constexpr double kFullGradient = 0.1;

/// From over the left shoulder of who looks; of length 1.
[[nodiscard]] inline Vec3 towardsLight(const OrbitCamera& camera) {
    const Vec3 direction = camera.towardsEye() + 0.5 * camera.up() - 0.4 * camera.right();
    return (1 / length(direction)) * direction;
}

}  // namespace gantry
