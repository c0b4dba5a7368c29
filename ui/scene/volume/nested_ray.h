#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "ui/scene/orbit_camera.h"
#include "ui/scene/volume/detail_boxes.h"

namespace gantry {

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
