#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/inspect/raw_views.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// A warning where neighbouring pixels differ by as much as any two, and by far less if the bytes
/// of each were exchanged. Reads some rows of the middle view.
/// @throws InputError
/// Tests: tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkByteOrder(const OpenScan& scan);

/// A warning where line integrals are none: less behind the object than beside it, as of
/// transmissions, counts or line integrals of the wrong sign that are given for attenuation, or of
/// line integrals that are given for counts; or more than any detector measures.
/// facts: of views spread over the scan
/// Tests: tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkKind(ProjectionKind kind,
                                               const std::vector<PictureFacts>& facts);

/// A warning where part of most views is brighter than the flat field, and the air beside the
/// object is not: the object, or something else, was in the beam of the flat frames. facts: of
/// views spread over the scan; contrast: contrastOf() them Tests:
/// tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkFlat(const std::vector<PictureFacts>& facts,
                                               double contrast);

/// What stands against a scan's counts.
struct SaturationFound {
    std::vector<Problem> problems;
    /// Columns and rows between which pixels are at the largest count in every view, though not in
    /// the flat field; empty: there are none.
    IndexRange columns{0, 0};
    IndexRange rows{0, 0};
};

/// Looks for counts that stand at a largest value, in eight views as stored: below the one that is
/// known of the type or stated, in many pixels alike at the largest of 8, 10, 12, 14, 15 or 16
/// bits; and at any, in the same pixels of every view, though not of the flat field.
/// Tests: tests/core/scan/counts_checks_test.cpp
[[nodiscard]] SaturationFound checkSaturation(const OpenScan& scan, const RawViews& views);

/// Whole columns or rows, or a rectangle, that have one and the same value in every view.
struct StillPixels {
    IndexRange columns{0, 0};  ///< empty: there are none
    IndexRange rows{0, 0};
    Problem problem;
};

/// Looks for pixels that are dead in the views, between others that show the object: one value in
/// all views, in columns, up to three rows or a rectangle of 16 pixels or more. Dead pixels that
/// are known do not count. facts: of views spread over the scan Tests:
/// tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<StillPixels> checkStill(const OpenScan& scan, const RawViews& views,
                                                    const std::vector<PictureFacts>& facts);

/// Warnings where the detector has blocks that step against each other: along all of a column or
/// row, or at a corner where four of them meet. withoutColumns, withoutRows: at whose edges nothing
/// is told
/// Tests: tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::vector<Problem> checkBlocks(const std::vector<PictureFacts>& facts,
                                               double contrast, IndexRange withoutColumns,
                                               IndexRange withoutRows);

/// A warning where views have one and the same value from their upper or lower edge on, over an
/// eighth of their rows or more, where others show the object: they were written in part.
/// Every view is looked at where a row costs its own bytes alone.
/// chosen: numbers of the source's views that the facts are of, to look at elsewhere
/// @throws InputError, Cancelled
/// Tests: tests/core/scan/counts_checks_test.cpp, tests/cli/test_bad_views.py
[[nodiscard]] std::optional<Problem> checkPartialViews(const OpenScan& scan,
                                                       const std::vector<Index>& chosen,
                                                       const std::vector<PictureFacts>& facts,
                                                       const std::stop_token& stop);

}  // namespace gantry
