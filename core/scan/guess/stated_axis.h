#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/stated_geometry.h"
#include "core/scan/guess/view_rows.h"

namespace gantry {

/// What a number that a file states for the axis may mean.
struct AxisReading {
    double column = 0;  ///< of the images as stored, counted from 0
    std::string how;    ///< "as a column, counted from 0"
};

/// All readings of the number that put the axis on the detector: a column, columns from the middle
/// to either side, a length from the middle or from the edge. The likelier ones first.
[[nodiscard]] std::vector<AxisReading> axisReadings(const StatedAxis& axis, Index columns,
                                                    double pitchMm);

/// What speaks against a scan whose file states that its field of view is half of the object: the
/// axis is seen in the middle fifth of the detector. A clause; empty: nothing.
/// Tests: tests/core/scan/stated_axis_test.cpp
[[nodiscard]] std::string halfFieldDoubt(const StatedGeometry& stated,
                                         const ScanGeometry& geometry);

/// The views at which the object is seen from opposite sides.
struct OppositeViews {
    Index first = 0;
    Index second = 0;
};
/// Up to three pairs whose angles are half a turn apart to within half a step, or a step at the end
/// of half a turn.
[[nodiscard]] std::vector<OppositeViews> oppositeViews(std::span<const double> anglesDeg);

/// A stated axis as it fits the views.
struct FittedAxis {
    std::optional<AxisReading> reading;  ///< none: no reading fits
    bool isSure = false;
    std::string why;  ///< a sentence without its full stop
};

/// Chooses the reading under which opposite views are mirror images of each other. seen: the column
/// that the views show by themselves, which decides where there is one.
/// @throws InputError when views cannot be read
/// Tests: tests/core/scan/stated_axis_test.cpp
[[nodiscard]] FittedAxis fitAxis(const StatedAxis& axis, double pitchMm,
                                 const std::optional<double>& seen, const StripReader& strips,
                                 std::span<const double> anglesDeg);

}  // namespace gantry
