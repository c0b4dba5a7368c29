#pragma once

#include <QString>
#include <vector>

#include "ui/models/scan/geometry_form.h"

namespace gantry {

/// A field of the geometry form that the user sets while looking at slices. It has the form's
/// number, unit and sign.
struct LiveParameter {
    ScanField field;
    double step = 1;  ///< a fine one, in the field's unit

    /// The name of an edit of it: "Change centre of rotation".
    [[nodiscard]] QString change() const;
};

/// The parameters of the scan's trajectory, the centre of rotation first.
/// Tests: tests/ui/models/live_parameter_test.cpp
[[nodiscard]] std::vector<LiveParameter> liveParameters(const ScanFile& scan);

}  // namespace gantry
