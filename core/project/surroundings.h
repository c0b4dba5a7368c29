#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/iterate/method.h"
#include "core/project/host_space.h"
#include "core/project/projector.h"

namespace gantry {

/// What an object has around a box that is reconstructed alone. Rays to the box pass it too, and
/// without it iterations would put its attenuation into the box. It is made of voxels four times
/// as wide as a pixel at the object, from nothing by OS-SART, in the whole field of view; its line
/// integrals but for what it has inside the box are then taken off the views. Inside, its values
/// between voxels are those of trilinear interpolation at the box's own voxels, so that the cut is
/// as sharp as these.
///
///     setViews(…) of all views → make(stop) → without(view, …) of each
///
/// Not thread-safe. Tests: tests/core/project/surroundings_test.cpp
class Surroundings {
  public:
    /// views: those of the scan in its order. box: the grid that is reconstructed
    Surroundings(const ProjectedViews& views, const ScanGeometry& geometry, const VolumeGrid& box,
                 VoxelBounds bounds, int threads);

    /// Line integrals of views [views.begin, views.end) of the scan; [s][v][u]
    void setViews(IndexRange views, Span3<const float> integrals);
    /// @throws InputError  views have values that are not finite; Cancelled
    void make(const std::stop_token& stop);
    /// A view of the scan without what its rays pass around the box; [1][v][u]. It lasts until the
    /// next call.
    [[nodiscard]] Span3<const float> without(Index view, Span3<const float> integrals,
                                             const std::stop_token& stop);

    /// Passes over all views through the whole, there and back, that make() takes. without() takes
    /// one more there, and one through the box.
    [[nodiscard]] static Index passes();
    /// About the voxels of the whole, for planning: their size is that of no scan.
    /// columns: of the detector, if it reached equally far to both sides of the axis
    [[nodiscard]] static VolumeGrid roughGrid(Index columns, Index rows);
    /// Host memory that it takes at its peak, bytes, at most: it does not depend on poses.
    [[nodiscard]] static Index bytesNeeded(const ProjectedViews& views, const VolumeGrid& box,
                                           int threads);

  private:
    ProjectedViews m_views;
    VolumeGrid m_box;
    VolumeGrid m_grid;
    IterativeMethod m_method;
    int m_threads;
    std::unique_ptr<HostSpace> m_space;   // until it is made
    std::unique_ptr<Projector> m_around;  // of the whole
    std::unique_ptr<Projector> m_inside;  // of the part inside the box, negative
    HostBuffer<float> m_lines;            // of a view
};

}  // namespace gantry
