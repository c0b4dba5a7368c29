#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/scene/volume/detail_boxes.h"
#include "ui/scene/volume/ray_cast_request.h"
#include "ui/scene/volume/reduced_volume.h"

namespace gantry {

/// The smallest and the largest voxel of each brick of a volume: rays need not be followed through
/// transparent bricks.
/// Tests: tests/ui/scene/visible_box_test.cpp
class BrickCodes {
  public:
    BrickCodes() = default;
    explicit BrickCodes(const ReducedVolume& volume);

    /// The box around everything that such a picture of that volume can show; nothing: none of it.
    [[nodiscard]] std::optional<BoxEnds> visibleBox(const ReducedVolume& volume,
                                                    const RayCastRequest& request) const;

  private:
    struct Codes {
        std::uint16_t min = 65535;
        std::uint16_t max = 0;
    };
    std::array<Index, 3> m_bricks = {0, 0, 0};
    std::vector<Codes> m_codes;  // [z][y][x]
};

/// The half spaces of a box's six faces and the given ones; given ones along an axis are merged
/// with a face, so that there are at most six besides the oblique ones.
[[nodiscard]] std::vector<HalfSpace> clipsWithin(const BoxEnds& box,
                                                 const std::vector<HalfSpace>& clips);

}  // namespace gantry
