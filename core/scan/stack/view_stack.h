#pragma once

#include <array>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/engine/acquisition.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/prep/corrections.h"

namespace gantry {

/// Line integrals of some views as the detector has measured them, neither rectified nor padded,
/// with binning[0] × binning[1] pixels averaged into one. Matrices, kept separately, give the
/// views' positions in the world.
struct ViewStack {
    HostBuffer<float> pixels;  ///< [s][v][u], u fastest
    std::vector<Index> views;  ///< their numbers among the scan's
    Index firstRow = 0;        ///< row of the detector at which the stack begins
    Index rows = 0;            ///< of the stack
    Index columns = 0;
    std::array<Index, 2> binning = {1, 1};  ///< along u, along v

    [[nodiscard]] Span3<const float> span() const {
        return {pixels.data(), std::ssize(views), rows, columns};
    }
    /// The stack's matrices, world mm to its pixels, selected from those of all views of the scan.
    [[nodiscard]] std::vector<ProjectionMatrix> matrices(
        std::span<const ProjectionMatrix> ofScan) const;
};

/// Smooths every view by a Gaussian along u and v.
void smooth(ViewStack& stack, double sigmaPixels, int threads);

/// Makes the corrections that need all views, as a job does for all views without binning: widths
/// are in the detector's pixels, and times in the scan's views.
/// @throws ResourceError, Cancelled
void correctAllViews(ViewStack& stack, const Corrections& corrections, int threads,
                     const std::stop_token& stop);
/// Memory that one of its threads needs for a stack of that size; columns: of the stack
[[nodiscard]] Index allViewsBytes(const Corrections& corrections, Index views, Index columns,
                                  Index binning);

/// The scan as if its detector had the stack's pixels. declared: of all views of the scan
[[nodiscard]] ScanGeometry binnedGeometry(const ScanGeometry& declared, const ViewStack& stack);
/// The acquisition with which a stack's line integrals are rectified, padded, weighted and filtered
/// as in a job. declared: of the scan's views on the stack's detector, see binnedGeometry()
/// extension: of the stack's rows
/// @throws InputError where the arc is too short for the geometry, or the axis misses the detector
[[nodiscard]] std::shared_ptr<const Acquisition> acquisitionOf(const ViewStack& stack,
                                                               const ScanGeometry& declared,
                                                               FilterRows rows,
                                                               const RowExtension& extension = {});
/// The numbers of the scan's views that the stack does not have.
[[nodiscard]] std::vector<Index> viewsLeftOut(Index views, const ViewStack& stack);

/// Averages binning[0] × binning[1] pixels; the rest that fills no whole pixel is left out. view:
/// [1][v][u]; out: [1][v/binning[1]][u/binning[0]]
void binView(Span3<const float> view, std::array<Index, 2> binning, Span3<float> out);

/// World mm to pixels of a detector whose pixels are binning[0] × binning[1] of the original, from
/// row `firstRow` on.
[[nodiscard]] ProjectionMatrix binnedMatrix(const ProjectionMatrix& matrix,
                                            std::array<Index, 2> binning, Index firstRow);

/// The position of the source, which is the point that the matrix cannot project.
[[nodiscard]] Vec3 sourceOf(const ProjectionMatrix& matrix);
/// The direction from the source to a point of the detector; its length has no meaning.
[[nodiscard]] Vec3 rayThrough(const ProjectionMatrix& matrix, double u, double v);

}  // namespace gantry
