#pragma once

#include <QSize>
#include <array>

#include "ui/models/image/grey_image.h"
#include "ui/scene/orbit_camera.h"

namespace gantry {

/// A picture of a volume that is asked for.
struct RayCastRequest {
    OrbitCamera camera;
    QSize size;               ///< device pixels
    double pixelsPerRay = 1;  ///< along an edge; more is coarser and quicker
    double stepVoxels = 0.5;  ///< along a ray; more is coarser and quicker
    GreyWindow window;        ///< below black is clear, from there to white ever denser
    bool isMaximum = false;   ///< the largest value along each ray, not shaded surfaces
    /// Without the quarter of the volume below its middle in x and in y; matter is shown in its
    /// grey where it is cut. By CpuRayCaster only.
    bool isCutOpen = false;
};

/// What matter looks like: where it lies between black (0) and white (1), how much of the light a
/// hundredth of the volume's diagonal of it stops, and how bright it is. In between: linear.
struct LookPoint {
    double share;
    double opacity;
    double brightness;
};
/// What is near black is as often noise as matter: it is clear.
inline constexpr std::array<LookPoint, 4> kShadedLook = {
    {{0.0, 0.0, 0.5}, {0.1, 0.0, 0.55}, {0.4, 0.15, 0.85}, {1.0, 0.75, 1.0}}};
[[nodiscard]] LookPoint lookAt(double share);
inline constexpr double kAmbient = 0.18;
inline constexpr double kDiffuse = 1.0;
inline constexpr double kSpecular = 0.2;
inline constexpr double kSpecularPower = 24;
inline constexpr double kOpacityShareOfDiagonal = 0.01;

/// From over the left shoulder of who looks; of length 1.
[[nodiscard]] inline Vec3 towardsLight(const OrbitCamera& camera) {
    const Vec3 direction = camera.towardsEye() + 0.5 * camera.up() - 0.4 * camera.right();
    return (1 / length(direction)) * direction;
}

}  // namespace gantry
