#pragma once

#include <vector>

#include "core/base/field_word.h"
#include "core/base/types.h"

namespace gantry {

/// By what the brightness of each view's beam is known.
enum class FluxMethod { none, air, plane };
inline constexpr FieldWord kFluxMethods[] = {
    {"none", "As the flat fields",
     "The beam of every view is taken for as bright as that of the flat fields, or as a beam "
     "monitor in the files states it."},
    {"air", "Air beside the object",
     "Each view is divided by what the detector measures beside the object."},
    {"plane", "Air, as a plane",
     "As above, where the beam also becomes brighter on one side of the detector than on the "
     "other: "
     "a plane is laid through the air on both sides of the object."}};

/// Normalisation of each view by the air beside the object: the beam of real scans is often weaker
/// or stronger in the views than in the flat fields, and drifts.
struct FluxSpec {
    FluxMethod method = FluxMethod::none;
    /// Where the detector shows only air in all views: first column, first row, and one past the
    /// last of both, in detector pixels; empty: it is found.
    std::vector<Index> airRegion = {};

    friend bool operator==(const FluxSpec&, const FluxSpec&) = default;
};

}  // namespace gantry
