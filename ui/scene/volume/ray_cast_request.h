#pragma once

#include <QSize>
#include <QString>
#include <vector>

#include "core/base/types.h"
#include "ui/models/image/transfer_function.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/volume/half_space.h"
#include "ui/scene/volume/plane_picture.h"

namespace gantry {

/// A request for a picture of a volume.
struct RayCastRequest {
    OrbitCamera camera;
    QSize size;                                      ///< device pixels
    double pixelsPerRay = 1;                         ///< along an edge; more is coarser and faster
    double stepVoxels = 0.5;                         ///< along a ray; more is coarser and faster
    TransferFunction transfer = windowTransfer({});  ///< for shaded surfaces
    GreyWindow window;                               ///< for the maximum, and for cuts
    bool isMaximum = false;  ///< the largest value along each ray, not shaded surfaces
    bool isSurface = false;  ///< the surface that the card has, not the voxels
    /// Leaves out the quarter of the volume below its middle in x and in y; cut matter is shown in
    /// its grey. CpuRayCaster only.
    bool isCutOpen = false;
    std::vector<HalfSpace> clips;          ///< only what lies in all of them is shown
    std::vector<PlanePicture> planes;      ///< shown completely, whatever is clipped
    QString unit = QStringLiteral("/mm");  ///< of the voxels, beside the colours
    friend bool operator==(const RayCastRequest&, const RayCastRequest&) = default;
};

inline constexpr double kAmbient = 0.18;
inline constexpr double kDiffuse = 1.0;
inline constexpr double kSpecular = 0.2;
inline constexpr double kSpecularPower = 24;
inline constexpr double kOpacityShareOfDiagonal = 0.01;
/// With isByGradient, matter has the transfer function's opacity where attenuation changes by this
/// part of its extent, or more, a voxel; where it changes less it is more transparent.
inline constexpr double kFullGradient = 0.1;

/// The direction from over the viewer's left shoulder; of length 1.
[[nodiscard]] inline Vec3 towardsLight(const OrbitCamera& camera) {
    const Vec3 direction = camera.towardsEye() + 0.5 * camera.up() - 0.4 * camera.right();
    return (1 / length(direction)) * direction;
}

/// The voxels of a volume's picture, and the memory that they take.
struct ShownVoxels {
    double wholeMm = 0;   ///< along x, of the whole
    double finestMm = 0;  ///< of the finest box
    double ownMm = 0;     ///< of the volume itself
    Index bytes = 0;
    Index maxBytes = 0;
    bool isOnGpu = false;
    bool isReading = false;
};

}  // namespace gantry
