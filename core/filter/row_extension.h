#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/types.h"

namespace gantry {

/// How rows go on beyond the edges of the detector where the object does, before they are filtered.
/// Cut off, they would make a bright rim and wrong levels. By default they go on as those of a
/// cylinder of the object's attenuation that has the row's level and slope at the edge: Hsieh et
/// al. 2004, doi 10.1118/1.1776673.
struct RowExtension {
    Index before = 0;  ///< columns that are estimated before the first one
    Index after = 0;   ///< columns that are estimated after the last one
    /// The object's attenuation, 1/mm, times a column's width at the rotation axis, mm; 0: rows
    /// fall to 0 over these columns like half a period of a cosine.
    double perColumn = 0;
    /// Columns before the first one and after the last one that are back-projected, too, whether
    /// they are estimated or empty, so that the volume may be wider than the field of view.
    Index shownBefore = 0;
    Index shownAfter = 0;

    [[nodiscard]] bool any() const { return before > 0 || after > 0; }
    friend bool operator==(const RowExtension&, const RowExtension&) = default;
};

/// The same beyond a detector on which so many columns are averaged into one.
[[nodiscard]] RowExtension binned(const RowExtension& extension, Index binning);

/// A row at one of its edges: a straight line through the squares of its outermost columns' line
/// integrals, each with the sign of the line integral.
struct RowEdge {
    float square = 0;   ///< in the outermost column
    float fall = 0;     ///< from column to column, outwards
    Index columns = 1;  ///< that the line goes through
};

/// Columns that a row's edge is taken from; fewer in a short row.
inline constexpr Index kEdgeColumns = 12;

/// isEnd: at the end of the row, instead of its beginning
[[nodiscard]] RowEdge edgeOf(std::span<const float> row, bool isEnd);

/// The column beyond the edge, counted from it, at which the cylinder's shadow ends. perColumn: see
/// RowExtension, above 0
[[nodiscard]] double reachOf(const RowEdge& edge, double perColumn);

/// Fills the columns beyond an edge, the nearest first. A shadow that reaches farther is compressed
/// to end with them. step: from one column to the next in memory
/// Tests: tests/core/filter/row_extension_test.cpp
void extendRow(const RowEdge& edge, double perColumn, Index columns, float* nearest, Index step);

}  // namespace gantry
