#pragma once

#include <vector>

#include "ui/models/scan/geometry_form.h"

namespace gantry {

/// The parts of scanFields().
[[nodiscard]] std::vector<ScanField> distanceFields();
[[nodiscard]] std::vector<ScanField> detectorFields();
[[nodiscard]] std::vector<ScanField> alignmentFields();
[[nodiscard]] std::vector<ScanField> trajectoryFields();
[[nodiscard]] std::vector<ScanField> imageFields();

}  // namespace gantry
