#pragma once

#include <vector>

#include "ui/models/scan/geometry_form.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

/// Problems of the open scan: of its edits, and of its files as inspected, unless they have
/// changed; errors first.
[[nodiscard]] std::vector<Problem> problemsOfScan(const ScanDocument& document);

/// The images say how many columns, rows or views there are, and the scan agrees.
[[nodiscard]] bool isKnownFromImages(const ScanField& field, const ScanDocument& document);

/// The series of the views themselves; null where there is none.
[[nodiscard]] const SeriesInspection* viewsOf(const Inspection& inspection);

}  // namespace gantry
