#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/base/types.h"
#include "core/calibrate/balls/find_balls.h"

namespace gantry {

/// All balls that were found in each view: [view][ball].
using BallImages = std::vector<std::vector<BallImage>>;

/// One ball through the views: which of a view's images is its own, or none.
struct BallTrack {
    std::vector<std::optional<std::size_t>> images;  ///< [view], into BallImages
    Index count = 0;                                 ///< views that have one
};

/// Where and how a turning ball is seen, whatever the geometry: its circle about a fixed axis is
/// projected to u = (a₀ + a₁cosθ + a₂sinθ)/(1 + c₁cosθ + c₂sinθ), and v with the same denominator.
/// Eight numbers that follow linearly from images and angles.
class OrbitImage {
  public:
    /// points: [u, v], pixels; at least 5. None where they do not tell it.
    /// size: columns and rows of the detector, by which its numbers are scaled
    [[nodiscard]] static std::optional<OrbitImage> fit(
        const std::vector<double>& anglesRad, const std::vector<std::array<double, 2>>& points,
        std::array<double, 2> size);

    [[nodiscard]] std::array<double, 2> at(double angleRad) const;

  private:
    std::array<double, 8> m_numbers{};
    std::array<double, 2> m_size{};
};

/// Follows balls from view to view: from pairs of images in neighbouring views on, by where the
/// last ones lead, over gaps, then by the orbit's image through all views. Needs no geometry beside
/// the angles. Images that fit no orbit are nobody's.
/// anglesRad: of the views, of a rotation one way; size: columns and rows of the detector
/// tolerancePx: how far from its orbit's image a ball may be seen
/// Tests: tests/core/calibrate/ball_tracks_test.cpp
[[nodiscard]] std::vector<BallTrack> trackBalls(const BallImages& images,
                                                const std::vector<double>& anglesRad,
                                                std::array<Index, 2> size, double tolerancePx);

}  // namespace gantry
