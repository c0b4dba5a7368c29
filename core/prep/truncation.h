#pragma once

#include "core/base/field_word.h"

namespace gantry {

/// What is done where the object passes the left or right edge of the detector: how rows go on
/// beyond it before they are filtered.
enum class TruncationMethod {
    automatic,  ///< waterCylinder at the edges that the object is seen to pass
    none,
    waterCylinder,  ///< Hsieh et al. 2004, doi 10.1118/1.1776673
    rollOff,
};
inline constexpr FieldWord kTruncationMethods[] = {
    {"auto", "Where the object is cut off",
     "Where the views show that the object passes an edge, rows go on beyond it like the shadow of "
     "a cylinder (Hsieh et al. 2004)."},
    {"off", "Never", "Rows end at the edge. A cut-off object gets a bright rim and wrong levels."},
    {"cylinder", "As a cylinder", "As above, at both edges, whatever the views show."},
    {"roll-off", "Smoothly to zero",
     "Rows fall to 0 over half the detector's width. Rougher; for objects of many materials."}};

struct TruncationSpec {
    TruncationMethod method = TruncationMethod::automatic;
    double attenuationPerMm = 0;  ///< of the object, for waterCylinder; 0: found in the scan
    /// Diameter to which rows are also back-projected beyond the detector's edges, and of a fitted
    /// volume; 0: what the detector sees.
    double fieldOfViewMm = 0;

    friend bool operator==(const TruncationSpec&, const TruncationSpec&) = default;
};

}  // namespace gantry
