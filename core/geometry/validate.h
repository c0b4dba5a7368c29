#pragma once

#include <string>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// One thing wrong with a scan's description, in the words of its JSON field.
struct Problem {
    enum class Severity { error, warning };
    Severity severity = Severity::error;
    std::string field;    ///< "detector.pitchMm[0]"
    std::string message;  ///< one sentence: the value found, what is allowed, the unit
    /// The message lacks its subject, which is the field, by whatever name it goes: "is 0 mm; it
    /// must be greater than 0".
    bool goesOnFromField = false;
};

/// Every problem a user can make in a geometry, errors first; without errors it can be used: every
/// number is finite and in its range, the detector is behind the object and sees the rotation axis.
/// Whether the arc suffices for the fan is for core/filter/redundancy.h to say.
/// Tests: tests/core/geometry/validate_test.cpp
[[nodiscard]] std::vector<Problem> validate(const ScanGeometry& geometry);
/// The same for a volume in that geometry: sizes, pitch, that no voxel reaches the source's orbit,
/// and what of it the detector sees. Nothing of the latter where the geometry has errors itself.
[[nodiscard]] std::vector<Problem> validate(const VolumeGrid& grid, const ScanGeometry& geometry);

/// @throws InputError with the first error in the list, "where: field: message"
void throwOnError(const std::vector<Problem>& problems, const std::string& where);

}  // namespace gantry
