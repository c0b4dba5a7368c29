#pragma once

#include <optional>
#include <string>

#include "core/scan/guess/view_rows.h"

namespace gantry {

/// Where the axis of a full turn is behind a detector that is offset so far that its nearer edge
/// cuts the object.
struct EdgeAxis {
    double column = 0;
    Index seenTwice = 0;  ///< columns about it that see the object from both sides
};
/// Tries nearly all columns as the one about which opposite views are mirror images, on the few
/// columns that see the object from both sides: of a cone beam these lie near its middle ray, so
/// they say nothing of the beam. Reads a dozen strips.
/// @throws InputError when views cannot be read
/// Tests: tests/core/scan/guess_axis_test.cpp
[[nodiscard]] std::optional<EdgeAxis> findEdgeAxis(const StripReader& strips);

/// The only edge of the detector that the object passes in most views: "left", "right", or empty.
/// An object that merely stands off the axis passes one edge as often as the other in a full turn.
/// @throws InputError when views cannot be read
[[nodiscard]] std::string edgePassedAlone(const StripReader& strips);

}  // namespace gantry
