#pragma once

#include <stop_token>

#include "core/align/finding.h"
#include "core/align/quick_slices.h"

namespace gantry {

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
