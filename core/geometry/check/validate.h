#pragma once

#include <string>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A problem in a scan's description, with the name of its JSON field.
struct Problem {
    enum class Severity { error, warning };
    Severity severity = Severity::error;
    std::string field;    ///< "detector.pitchMm[0]"
    std::string message;  ///< one sentence: the value found, what is allowed, the unit
    /// The message lacks its subject, which is the field, by whatever name a form gives it: "is 0
    /// mm; it must be greater than 0".
    bool goesOnFromField = false;
};

/// Every mistake a user can make in a geometry, errors first. Without errors it can be used: every
/// number is finite and in its range, the detector is behind the object and sees the rotation axis.
/// core/filter/redundancy.h checks whether the arc suffices for the fan.
/// leftOut: numbers of views that are not used; rays that they alone measure are missing. Numbers
/// that no view has are not judged here.
/// Tests: tests/core/geometry/validate_test.cpp
[[nodiscard]] std::vector<Problem> validate(const ScanGeometry& geometry,
                                            const std::vector<Index>& leftOut = {});
/// The same for a volume in that geometry: sizes, pitch, that no voxel reaches the source's orbit,
/// and how much of it the detector sees. The last is left out if the geometry itself has errors.
[[nodiscard]] std::vector<Problem> validate(const VolumeGrid& grid, const ScanGeometry& geometry);

/// The field that defines how far a scan goes round.
[[nodiscard]] std::string arcField(const ScanGeometry& geometry);

/// @throws InputError with the first error in the list, "where: field: message"
void throwOnError(const std::vector<Problem>& problems, const std::string& where);

}  // namespace gantry
