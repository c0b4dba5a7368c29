#pragma once

#include <array>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/scan/open_scan.h"

namespace gantry {

struct DriftOptions {
    int threads = 1;
    /// Gets the part of the whole that is done; called from any thread.
    std::function<void(double fraction)> onProgress;
    std::stop_token stop;
};

/// What a reference view says of the view that the scan took at the same angle.
struct DriftPoint {
    Index reference = 0;  ///< number of the view in the reference scan
    double angleDeg = 0;
    /// Number of the view in the scan; between two of them where the angle is. NaN if no view of
    /// the scan is near.
    double view = std::numeric_limits<double>::quiet_NaN();
    std::array<double, 2> shiftPx = {0, 0};  ///< of the scan's picture, along u and v
    std::array<double, 2> uncertaintyPx = {std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::infinity()};
    std::string fault;  ///< why it is left out, the predicate of a sentence; empty: it is not

    /// Whether it tells the shift along an axis, 0 for u and 1 for v.
    [[nodiscard]] bool tells(int axis) const;
};

/// How the pictures of a scan moved on the detector, by reference views that were taken within a
/// short time.
struct Drift {
    std::vector<DriftPoint> points;                ///< by reference view
    std::array<bool, 2> isFound = {false, false};  ///< along u and v: by two points or more
    /// [view of the trajectory] shift of its picture along u and v, px; 0 along an axis where none
    /// is found.
    std::vector<std::array<double, 2>> shiftsPx;
    /// How far an inner point lies from the curve through all others, root mean square; NaN where
    /// there is none. It says what the curve may err by between the points.
    std::array<double, 2> residualPx = {std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::quiet_NaN()};
    /// Whether a point is farther from 0 than its uncertainty makes of none, and than kMinDriftPx.
    bool isSignificant = false;
};

/// Smaller shifts do not show in a volume.
inline constexpr double kMinDriftPx = 0.05;

/// Finds how the source, the detector or the sample moved during a scan, from a scan of a few views
/// that was made at once: the shift of each reference view against the scan's view at the same
/// angle, or against the mean of the two between whose angles it lies. Over the views of the scan
/// shifts follow a MonotoneCurve.
/// reference: of the same detector; of its geometry only the angles are used
/// @throws InputError where the beam is parallel, the detector or the distances differ, fewer than
///         two reference views tell a shift, or the scan's poses hold these shifts already;
///         ResourceError, Cancelled
/// Tests: tests/core/align/drift_test.cpp, tests/cli/test_drift.py
[[nodiscard]] Drift findDrift(const OpenScan& scan, const OpenScan& reference,
                              const DriftOptions& options);

/// The geometry as calibrated poses, in which the detector of each view is moved with its picture;
/// unchanged where the drift is not significant.
[[nodiscard]] ScanGeometry withDrift(const ScanGeometry& geometry, const Drift& drift);

}  // namespace gantry
