#pragma once

#include "core/io/scan_file/scan_file.h"
#include "ui/workspace/scan/request.h"

namespace gantry {

/// Whether what was searched for in the views of one scan is what would be found in the other's.
/// Tests: tests/ui/panels/alignment_window_test.cpp, tests/ui/panels/calibration_window_test.cpp
[[nodiscard]] inline bool isSameSearch(const ScanFile& a, const ScanFile& b) {
    return a.geometry == b.geometry && isSameImages(a, b) && isSameField(kSkipViews, a, b);
}

}  // namespace gantry
