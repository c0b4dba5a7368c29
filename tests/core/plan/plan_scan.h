#pragma once

#include "core/engine/acquisition.h"
#include "core/geometry/scan_geometry.h"

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

/// Its views as a scan stores them.
inline Acquisition acquisitionOf(Index columns, Index rows, PixelType type = PixelType::uint16,
                                 double rollDeg = 0, double offsetMm = 0) {
    ScanGeometry geometry = scanOf(columns, rows);
    geometry.detector.rollDeg = rollDeg;
    geometry.detector.offsetMm[0] = offsetMm;
    SourceInfo stored;
    stored.views = geometry.views();
    stored.rows = rows;
    stored.columns = columns;
    stored.pixelType = type;
    const Rectifier rectifier(geometry);
    const RedundancyPlan redundancy = planRedundancy(geometry);
    return {stored,     ProjectionKind::attenuation,       {}, rectifier,
            redundancy, alignedViews(geometry, redundancy)};
}

}  // namespace gantry::test
