#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A number of a scan's geometry that the user sets while looking at slices.
struct LiveParameter {
    QString name;     ///< "Centre of rotation"
    QString change;   ///< name of an edit of it: "Move the centre of rotation"
    QString unit;     ///< "px", "mm", "°"
    double step = 1;  ///< a fine one, in the unit
    int decimals = 2;
    bool isShift = false;  ///< shown as the change, not as the value
    std::function<double(const ScanGeometry&)> get;
    std::function<void(ScanGeometry&, double)> set;

    /// "+0.35 px", "1200.0 mm"; a shift is relative to `start`.
    [[nodiscard]] QString text(double value, double start) const;
    /// "0.05 px"
    [[nodiscard]] QString amount(double value) const;
};

/// The parameters of the scan's trajectory, the centre of rotation first.
/// Tests: tests/ui/models/live_parameter_test.cpp
[[nodiscard]] std::vector<LiveParameter> liveParameters(const ScanGeometry& geometry);

}  // namespace gantry
