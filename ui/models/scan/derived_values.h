#pragma once

#include <QString>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A value derived from a geometry: "Magnification", "2 ×".
struct DerivedValue {
    QString name;  ///< the same in all languages
    QString label;
    QString text;  ///< with its unit; "–" if the geometry does not determine it
    QString toolTip;
};

/// Magnification, voxel, field of view, fan and cone angle, angular step, the required arc. Any
/// geometry is accepted, including one with errors. Tests: tests/ui/models/geometry_form_test.cpp
[[nodiscard]] std::vector<DerivedValue> derivedValues(const ScanGeometry& geometry);

/// Whether rays diverge by less than a tenth of a voxel over the object, so that a half turn is
/// enough and slices are independent; false for a geometry with errors.
[[nodiscard]] bool isPracticallyParallel(const ScanGeometry& geometry);
/// A sentence that states it; empty if it is not.
[[nodiscard]] QString beamNote(const ScanGeometry& geometry);
/// An explanation, for a tool tip.
[[nodiscard]] QString beamHelp();

}  // namespace gantry
