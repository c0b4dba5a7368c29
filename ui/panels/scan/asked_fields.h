#pragma once

#include <QString>
#include <set>
#include <vector>

#include "ui/models/scan/geometry_form.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

/// The names of the fields that are asked about where images have no scan.json.
/// Tests: tests/ui/panels/scan_panel_test.cpp
[[nodiscard]] std::set<QString> askedFields(const std::vector<ScanField>& fields,
                                            const std::vector<GuessedScan::Guess>& guesses);

}  // namespace gantry
