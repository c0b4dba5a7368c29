#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A deliberate fault of a scan's geometry, to show its effect.
struct Perturbation {
    std::string_view name;   ///< "sod"
    std::string_view title;  ///< "source–object distance (SOD)"
    std::string_view unit;   ///< of the amount: "%" of the value, "px" or "°"
    double usual = 0;        ///< an amount whose effect is clearly visible
    double max = 0;          ///< max amount of either sign that leaves a valid geometry
    ScanGeometry (*applied)(const ScanGeometry& geometry, double amount) = nullptr;
};

/// SOD, SDD, the detector's offset along u, its roll and its tilt.
/// Tests: tests/core/verify/verify_run_test.cpp, tests/cli/test_verify.py
[[nodiscard]] std::span<const Perturbation> perturbations();

/// What is wrong and by how much: "Wrong on purpose: the detector's roll, by 1.5°."
[[nodiscard]] std::string wrongOnPurpose(const Perturbation& perturbation, double amount);

/// The geometry with its sources `factor` times as far from the axis; the distances from sources to
/// detectors do not change.
[[nodiscard]] ScanGeometry withSourceDistance(const ScanGeometry& geometry, double factor);

}  // namespace gantry
