#pragma once

#include <memory>
#include <vector>

#include "core/filter/redundancy.h"
#include "core/geometry/views/aligned_views.h"
#include "core/io/projection_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/prep/calibration.h"
#include "core/prep/corrections.h"
#include "core/prep/line_integrals.h"
#include "core/prep/pixel_repair.h"
#include "core/prep/rectify.h"

namespace gantry {

/// What planning and the engines know about the views that a scan uses: how they are stored, and
/// how they become line integrals on an aligned detector.
struct Acquisition {
    SourceInfo stored;
    ProjectionKind kind = ProjectionKind::counts;
    std::shared_ptr<const DetectorCalibration> calibration;
    Rectifier rectifier;
    /// Decided from the trajectory as described: a full circle stays one if some views are left
    /// out.
    RedundancyPlan redundancy;
    /// The geometry that filter and back-projection see: rectified, and an offset detector padded
    /// to reach equally far on both sides of the axis.
    AlignedViews geometry;
    /// Corrections made before batches, where `stored` belongs to a corrected() scan.
    Corrections corrections = {};
    /// The optics of phase retrieval, where the corrections have it.
    PhaseOptics phase = {};
    /// The scan before corrections that change pixels; null: there are none.
    std::shared_ptr<const Acquisition> beforeSteps = {};
    /// The scan as in its files, where only some of their pixels are taken, or several as one;
    /// null: all are, as they are.
    std::shared_ptr<const Acquisition> beforeSelection = {};
    /// Where dead pixels are made from other rows, or from more than their neighbours in the row;
    /// null: nowhere.
    std::shared_ptr<const PixelRepair> repair = {};
    /// Numbers of the stored views in the trajectory; empty: all views.
    std::vector<Index> views = {};
    /// [stored view] what is added to its line integrals: the logarithm of how bright the beam was,
    /// as a share of what it was at the flat fields; empty: nothing. A beam monitor states it,
    /// or the air beside the object shows it.
    std::vector<BeamOffset> offsets = {};

    [[nodiscard]] const Acquisition& asStored() const { return beforeSteps ? *beforeSteps : *this; }
    [[nodiscard]] BeamOffset offsetOf(Index storedView) const {
        return offsets.empty() ? BeamOffset() : offsets[storedView];
    }
    /// The number in the trajectory of a stored view.
    [[nodiscard]] Index numberOf(Index storedView) const {
        return views.empty() ? storedView : views[storedView];
    }
    /// Whether one pair of dark and flat images holds for all views.
    [[nodiscard]] bool areFieldsConstant() const { return !calibration || !calibration->changes(); }
    /// Rows of the real detector from which these rows of the aligned one are made, with those that
    /// their dead pixels are made from.
    [[nodiscard]] IndexRanges storedRows(const IndexRanges& rows) const;
    /// The rows in the blocks in which views are read, prepared and passed on: two ranges are
    /// joined, with the rows between them, unless their stored rows are apart too.
    [[nodiscard]] IndexRanges rowsInBlocks(const IndexRanges& rows) const;
    /// These rows of the real detector, with those that their dead pixels are made from.
    [[nodiscard]] IndexRange withRepairRows(IndexRange rows) const;
    [[nodiscard]] Index storedRowBytes() const;
    /// Bytes that a thread takes to read rows of a view, besides these: a compressed or tiled image
    /// is decoded as a whole, and the pixels that others are made from are read first.
    [[nodiscard]] Index readingBytes() const;
    /// Whether line integrals are the stored rows' own, without resampling or other rows.
    [[nodiscard]] bool areRowsAlone() const { return rectifier.isIdentity() && !repair; }
};

}  // namespace gantry
