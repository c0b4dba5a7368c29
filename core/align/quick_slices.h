#pragma once

#include <array>
#include <span>
#include <stop_token>
#include <vector>

#include "core/engine/plane_preview.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// Horizontal slices of the object, coarse as a stack's views are, again and again with other
/// matrices. The views are filtered once, for the geometry as it was declared.
class QuickSlices {
  public:
    /// stack: whole views of the scan, or a band of rows; not needed afterwards
    /// preview: outlives this object
    /// @throws InputError where the arc is too short; ResourceError, Cancelled
    QuickSlices(const ScanGeometry& declared, const ViewStack& stack, PlanePreview& preview,
                const std::stop_token& stop = {});

    /// Whole in every view, as far from the mid-plane as `share` of the way to the edges:
    /// so many heights, evenly spread, in mm.
    [[nodiscard]] std::vector<double> heightsMm(int count, double share) const;

    /// One picture a height, 1/mm, [0][y][x]; valid until the next call.
    /// ofScan: matrices of all views of the scan, world mm to the detector's pixels
    /// @throws Cancelled, ResourceError
    [[nodiscard]] std::vector<Span3<const float>> render(std::span<const ProjectionMatrix> ofScan,
                                                         std::span<const double> heightsMm,
                                                         const std::stop_token& stop = {});

    /// Whether a wrong centre makes slices less sharp. Behind an offset detector every edge is
    /// seen from one side alone: there it moves instead.
    [[nodiscard]] bool showTheCentre() const { return m_showTheCentre; }

  private:
    std::vector<Index> m_views;
    Index m_firstRow;
    std::array<Index, 2> m_binning;
    Index m_padBefore = 0;  // columns
    bool m_showTheCentre = true;
    VolumeGrid m_grid;
    std::array<double, 2> m_seenMm = {0, 0};  // heights that every view sees of the whole grid
    PlanePreview& m_preview;
};

/// Measures of the gradients within the circle inscribed in a square picture.
struct Sharpness {
    double energy = 0;  ///< Σ |∇f|²: edges that are drawn twice or smeared have less of it
    /// Σ |∇f|² / (Σ |∇f|)²: how much gathers on few pixels. 0 of an even picture.
    double concentration = 0;
};
[[nodiscard]] Sharpness sharpness(Span3<const float> picture);

}  // namespace gantry
