#pragma once

#include <cstddef>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/volume_grid.h"
#include "core/project/projector.h"

namespace gantry {

/// The part of a problem on which one of several spaces works: slices of the volume, and the
/// detector rows whose rays pass them, with all views.
struct SpacePart {
    IndexRange slices;   ///< of the whole volume
    IndexRange rows;     ///< of the whole detector; at least one
    IndexRange ownRows;  ///< those of `rows` that count here: a row counts in one part at most

    friend bool operator==(const SpacePart&, const SpacePart&) = default;
};

/// Cuts a volume into nearly equal ranges of slices, the lowest first.
///
/// Slices, because A and Aᵀ of a range need no other voxels, and parts of the volume need not move:
/// what a part has to learn from the others is their share of the line integrals in the rows that
/// both see, once for each view and pass, however many subsets a pass has and however large the
/// volume is. Parts by views would sum a whole volume for every subset, and keep it everywhere.
///
/// Rows are those of the slices' cone in any view, where all views are upright: in views of other
/// positions the axis along which rays step would change with the rows, so all rows are kept.
/// parts: 1 to the number of slices
/// Tests: tests/core/project/space_part_test.cpp
[[nodiscard]] std::vector<SpacePart> spaceParts(const ProjectedViews& views, const VolumeGrid& grid,
                                                Index parts);

/// The same views, with these rows of their detectors only.
[[nodiscard]] ProjectedViews withRows(const ProjectedViews& views, IndexRange rows);

/// The smallest range of a part's rows that has all which other parts see, too; counted from the
/// part's first.
[[nodiscard]] IndexRange sharedRowsOf(const std::vector<SpacePart>& parts, std::size_t own);

/// Views whose line integrals parts exchange at a time, so that what they give and take is small.
[[nodiscard]] Index exchangedViews(const std::vector<SpacePart>& parts, Index columns, Index views);

/// Bytes of all line integrals that part `own` gives to the others in a pass over all views.
[[nodiscard]] Index exchangedBytes(const std::vector<SpacePart>& parts, Index own, Index columns,
                                   Index views);

}  // namespace gantry
