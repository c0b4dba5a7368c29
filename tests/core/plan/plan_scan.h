#pragma once

#include "core/geometry/aligned_views.h"

namespace gantry::test {

/// A full circle of 90 views at 600 and 1200 mm, on pixels of 0.8 mm.
inline ScanGeometry scanOf(Index columns, Index rows) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 90;
    geometry.detector.columns = columns;
    geometry.detector.rows = rows;
    geometry.detector.pitchMm = {0.8, 0.8};
    return geometry;
}

}  // namespace gantry::test
