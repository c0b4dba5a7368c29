#pragma once

#include <memory>

#include "core/filter/redundancy.h"
#include "core/geometry/aligned_views.h"
#include "core/io/projection_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/prep/calibration.h"
#include "core/prep/corrections.h"
#include "core/prep/rectify.h"

namespace gantry {

/// What planning and the engines know of the views that a scan uses: how they are stored, and what
/// turns them into line integrals on an aligned detector.
struct Acquisition {
    SourceInfo stored;
    ProjectionKind kind = ProjectionKind::counts;
    std::shared_ptr<const DetectorCalibration> calibration;
    Rectifier rectifier;
    /// Decided from the trajectory as described: a full circle stays one without some views.
    RedundancyPlan redundancy;
    /// What filter and back-projection see: rectified, and an offset detector padded to reach as
    /// far on either side of the axis.
    AlignedViews geometry;
    /// Done before batches are made, where `stored` is of a corrected() scan.
    Corrections corrections = {};

    /// Rows of the real detector that these rows of the aligned one are made from.
    [[nodiscard]] IndexRanges storedRows(const IndexRanges& rows) const;
    /// The rows as views are read, prepared and handed over: two ranges become one, with what lies
    /// between, unless the stored rows of each lie apart too.
    [[nodiscard]] IndexRanges rowsInBlocks(const IndexRanges& rows) const;
    [[nodiscard]] Index storedRowBytes() const;
};

}  // namespace gantry
