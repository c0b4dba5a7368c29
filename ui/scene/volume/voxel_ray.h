#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/geometry/volume_grid.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/volume/detail_boxes.h"
#include "ui/scene/volume/half_space.h"

namespace gantry {

[[nodiscard]] inline std::array<double, 3> axesOf(const Vec3& vector) {
    return {vector.x, vector.y, vector.z};
}

/// Limits begin to end to the part of from + t · along between two values; end < begin if there is
/// none.
inline void keepBetween(double from, double along, double low, double high, double& begin,
                        double& end) {
    if (std::abs(along) < 1e-12) {
        if (from < low || from > high) end = -1;
        return;
    }
    const double a = (low - from) / along;
    const double b = (high - from) / along;
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b));
}

/// A camera ray in voxels of a grid: at(t) is visible for begin <= t <= end, except for the gap
/// that is cut away; t counts steps of the grid's smallest pitch.
/// Tests: tests/ui/scene/clipping_test.cpp
struct VoxelRay {
    VoxelRay(const VolumeGrid& grid, const ViewRay& viewRay);

    Vec3 origin;
    Vec3 direction;
    double begin = 0;
    double end = 1e12;
    double gapBegin = kNone;
    double gapEnd = kNone;
    static constexpr double kNone = 1e13;

    [[nodiscard]] bool isInGap(double t) const { return t >= gapBegin && t < gapEnd; }
    /// How far the current state (visible or cut) continues from t.
    [[nodiscard]] double limit(double t) const {
        return t < gapBegin ? std::min(gapBegin, end) : end;
    }
    [[nodiscard]] Vec3 at(double t) const { return origin + t * direction; }

    /// Clips to the part that lies in all of them.
    void clip(const VolumeGrid& grid, std::span<const HalfSpace> clips);
    /// Cuts away the quarter below the grid's middle in x and in y.
    void cutOpen(const VolumeGrid& grid);
};

/// A part of a camera ray.
struct RayPiece {
    std::size_t box;  ///< 0: outside of all boxes; else the number of the box in the list, from 1
    double beginMm;   ///< from the line's origin
    double endMm;
};

/// Max boxes of finer voxels at a time.
inline constexpr std::size_t kMaxBoxes = 8;

/// The parts of a camera ray in nested boxes: in through them, and out again.
/// Tests: tests/ui/scene/detail_boxes_test.cpp
class RayPieces {
  public:
    RayPieces(std::span<const BoxEnds> boxes, const ViewRay& viewRay, double endMm);
    [[nodiscard]] const RayPiece* begin() const { return m_pieces.data(); }
    [[nodiscard]] const RayPiece* end() const { return m_pieces.data() + m_count; }

  private:
    std::array<RayPiece, 2 * kMaxBoxes + 1> m_pieces;
    std::size_t m_count = 0;
};

/// The parts of a volume around a box, as VTK's flags of cropping regions.
inline constexpr int kAround = 0x7ffdfff;
/// Those of them that can hide some of the box from the eye; the others lie behind it and beside
/// it.
/// Tests: tests/ui/scene/detail_boxes_test.cpp
[[nodiscard]] int regionsBefore(const VolumeGrid& box, const Vec3& eyeMm);

}  // namespace gantry
