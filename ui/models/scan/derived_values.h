#pragma once

#include <QString>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// What a geometry means, in words: "Magnification", "2 ×".
struct DerivedValue {
    QString name;  ///< the same in all languages
    QString label;
    QString text;  ///< with its unit; "–" where the geometry does not say it
    QString toolTip;
};

/// Magnification, voxel, field of view, fan and cone angle, angular step, the arc that is needed.
/// Any geometry is taken, also one with errors.
/// Tests: tests/ui/models/geometry_form_test.cpp
[[nodiscard]] std::vector<DerivedValue> derivedValues(const ScanGeometry& geometry);

/// Whether rays spread by less than a tenth of a voxel over the object, so that a half turn is
/// enough and slices are independent; not of a geometry with errors.
[[nodiscard]] bool isPracticallyParallel(const ScanGeometry& geometry);
/// A sentence that says so; empty: it is not.
[[nodiscard]] QString beamNote(const ScanGeometry& geometry);
/// What that means, as a tool tip.
[[nodiscard]] QString beamHelp();

}  // namespace gantry
