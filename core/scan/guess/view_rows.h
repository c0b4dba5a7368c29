#pragma once

#include <vector>

#include "core/io/projection_source.h"

namespace gantry {

/// A few detector rows of a view as line integrals, slightly smoothed along u, for comparing views
/// with each other.
struct RowStrip {
    Index rows = 0;
    Index columns = 0;
    std::vector<float> values;  ///< [v][u]
};

/// Reads a strip of rows about the detector's middle from views without a description, and converts
/// counts to line integrals by the dark and flat frames, if there are any.
/// Tests: tests/core/scan/guess_arc_test.cpp
class StripReader {
  public:
    /// dark, flat: frames of the projections' size; null: 0, and the brightest pixel of each view.
    /// isAttenuation: the views are line integrals. All arguments outlive the reader.
    /// @throws InputError when the frames cannot be read
    StripReader(const ProjectionSource& projections, const ProjectionSource* dark,
                const ProjectionSource* flat, bool isAttenuation);

    [[nodiscard]] Index views() const { return m_projections.info().views; }
    [[nodiscard]] Index columns() const { return m_projections.info().columns; }
    /// @throws InputError when the view cannot be read
    [[nodiscard]] RowStrip read(Index view) const;

  private:
    [[nodiscard]] std::vector<float> counts(const ProjectionSource& source, Index view) const;
    [[nodiscard]] std::vector<float> meanOf(const ProjectionSource* source) const;

    const ProjectionSource& m_projections;
    IndexRange m_rows;
    bool m_isAttenuation;
    std::vector<float> m_dark;  ///< empty: none
    std::vector<float> m_flat;
};

/// The distance of two strips: the mean square of their difference after each row's mean is
/// subtracted, so that a brighter beam makes no difference. Infinite if they have no column in
/// common.
[[nodiscard]] double distance(const RowStrip& a, const RowStrip& b);

/// The column about which the mirror image of `b` matches `a` best.
struct MirrorMatch {
    double column = 0;    ///< to a fraction of a pixel
    double distance = 0;  ///< distance() over the columns that both have
};
/// Tries columns in the middle half, so that the two strips share at least half of theirs.
[[nodiscard]] MirrorMatch mirrorMatch(const RowStrip& a, const RowStrip& b);

/// How far the mirror image of `b` about a column is from `a` where both are, as a share of how
/// much `a` varies there: 0 for mirror images, 1 and more for unrelated views. Infinite where they
/// share hardly a column, or nothing varies.
[[nodiscard]] double mirroredMismatch(const RowStrip& a, const RowStrip& b, double column);

}  // namespace gantry
