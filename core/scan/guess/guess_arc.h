#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/stated_geometry.h"
#include "core/scan/guess/view_rows.h"

namespace gantry {

/// The trajectory that the views of a scan without a description suggest. Reasons are sentences
/// without a full stop.
struct ArcGuess {
    double startDeg = 0;
    double arcDeg = 360;            ///< as in ScanGeometry: to one step beyond the last view
    std::vector<double> anglesDeg;  ///< not empty: uneven angles in the files' names
    bool isStated = false;          ///< the angles stand in the file
    bool isSure = false;            ///< false: nothing supports the arc
    std::string arcReason;
    /// Column of the rotation axis, found by matching the mirror image of a view to the opposite
    /// one: exact for a parallel beam, or close to the middle ray.
    std::optional<double> axisColumn;
    /// Views half a turn apart are mirror images of each other in all columns, which happens only
    /// in a (nearly) parallel beam.
    bool isParallel = false;
    /// Nothing but that says so, and a small fan would look alike: of half a turn a fan lacks
    /// views.
    bool mayBeSmallFan = false;
    std::string axisDoubt;  ///< a clause; empty: none
};

/// Angles stated clearly in the views' names ("a_012.5deg.tif", "angle_12.5.tif") give the arc;
/// otherwise the last view does: if it is close to the first one it ends a full turn, if close to
/// its mirror image a half turn. How close views one step apart are is measured on neighbours.
/// Reads some tens of strips of rows.
/// @throws InputError when views cannot be read
/// Tests: tests/core/scan/guess_arc_test.cpp
[[nodiscard]] ArcGuess guessArc(const ProjectionSource& projections, const StripReader& strips);

/// Stores the angles of all views, at least one: as start and arc if their steps are even but for
/// rounding, otherwise as a list.
void takeAngles(std::vector<double> anglesDeg, double roundedDeg, ArcGuess& guess);

/// Replaces the trajectory by the one that a file of projections states for so many views. Where
/// its angles are not usable, it stays as guessed, but unsure.
void takeStatedAngles(const StatedGeometry& stated, Index views, ArcGuess& guess);

/// The angle that a file's name states, in degrees; none unless it is clear.
[[nodiscard]] std::optional<double> angleInName(const std::string& name);

}  // namespace gantry
