#pragma once

#include <span>
#include <string_view>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A way in which a scan's geometry may be wrong on purpose, to see what that would do.
struct Perturbation {
    std::string_view name;   ///< "sod"
    std::string_view title;  ///< "source–object distance (SOD)"
    std::string_view unit;   ///< of the amount: "%" of the value, "px" or "°"
    double usual = 0;        ///< an amount that is well seen
    double most = 0;         ///< of either sign, that leaves a geometry at all
    ScanGeometry (*applied)(const ScanGeometry& geometry, double amount) = nullptr;
};

/// SOD, SDD, the detector's offset along u, its roll and its tilt.
/// Tests: tests/core/verify/verify_run_test.cpp, tests/cli/test_verify.py
[[nodiscard]] std::span<const Perturbation> perturbations();

/// The geometry with its sources so many times as far from the axis, and the detectors as far from
/// the sources as before.
[[nodiscard]] ScanGeometry withSourceDistance(const ScanGeometry& geometry, double factor);

}  // namespace gantry
