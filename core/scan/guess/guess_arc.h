#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scan/guess/view_rows.h"

namespace gantry {

/// What the views of a scan without a description show of its trajectory. Reasons are sentences
/// without a full stop.
struct ArcGuess {
    double startDeg = 0;
    double arcDeg = 360;            ///< as ScanGeometry has it: to one step beyond the last view
    std::vector<double> anglesDeg;  ///< not empty: uneven angles in the files' names
    bool isSure = false;            ///< else nothing spoke for the arc
    std::string arcReason;
    /// Where the rotation axis is seen, found by matching the mirror image of a view to the
    /// opposite one: exact for a parallel beam only.
    std::optional<double> axisColumn;
    /// Views half a turn apart are mirror images of each other in all their columns: only in a
    /// (nearly) parallel beam.
    bool isParallel = false;
};

/// Angles that stand plainly in the views' names ("a_012.5deg.tif", "angle_12.5.tif") give the arc;
/// else the last view does: close to the first one it ends a full turn, close to its mirror image a
/// half turn. How close views one step apart are is measured on neighbours. Reads some twelve
/// strips of rows.
/// @throws InputError when views cannot be read
/// Tests: tests/core/scan/guess_arc_test.cpp
[[nodiscard]] ArcGuess guessArc(const ProjectionSource& projections, const StripReader& strips);

/// The angles of all views, at least one: as start and arc where their steps are even but for what
/// was rounded away, else as a list.
void takeAngles(std::vector<double> anglesDeg, double roundedDeg, ArcGuess& guess);

/// The angle that a file's name states, in degrees; none where it does not do so plainly.
[[nodiscard]] std::optional<double> angleInName(const std::string& name);

}  // namespace gantry
