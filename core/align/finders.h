#pragma once

#include <functional>
#include <stop_token>

#include "core/align/finding.h"
#include "core/align/quick_slices.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// The centre of rotation from where slices are sharpest: sought in slices at several heights, each
/// for itself. They have to agree, but for a roll, which moves it evenly from slice to slice; then
/// it is the centre of the height in the middle.
/// about: where to begin; only centrePx changes
/// rangePx: to either side of it, in pixels of the detector
/// @throws Cancelled, ResourceError
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding centreFromSlices(QuickSlices& slices, const MatricesAt& matricesAt,
                                       const Misalignment& about, double rangePx, double stepPx,
                                       const std::function<void(double)>& onProgress,
                                       const std::stop_token& stop);

/// Finds the roll from planes through two sources each, see PlaneIntegrals. No view may cut the
/// object off at the left or right. The centre is found with the roll, because each depends on the
/// other, but it is not returned: pairs of opposite rays tell it more exactly.
/// stack: whole views
/// about: where to begin; only the roll is given back
/// @throws Cancelled, ResourceError
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding rollFromPlanes(const ViewStack& stack, const MatricesAt& matricesAt,
                                     const Misalignment& about, int threads,
                                     const std::stop_token& stop);
/// The search covers this much to either side of where it begins.
inline constexpr double kRollRangeDeg = 3;

/// The tilt from a straight part that stands along the rotation axis (a rod, a tube, a cylinder):
/// its cross-section is the same at all heights, and a wrong tilt makes it grow towards one end.
/// An object of unknown shape cannot tell: the views of a tilted detector are, pixel by pixel,
/// those of a tapered object before an upright one. (The projective map x/(1 − κz) leaves every
/// source of the orbit where it is and does to a view what a tilt about the mid-plane's row does.)
/// A part that is shifted or leans is no matter; one that is tapered itself is taken as straight.
/// @throws Cancelled, ResourceError
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding tiltFromStraightPart(QuickSlices& slices, const MatricesAt& matricesAt,
                                           const Misalignment& about, const std::stop_token& stop);

}  // namespace gantry
