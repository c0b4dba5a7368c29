#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// The rays of views: from each view's source, or its direction, through the centres of its pixels.
/// Every trajectory becomes this.
struct ProjectedViews {
    std::vector<ViewPose> poses;  ///< [s]
    Index columns = 0;            ///< of every view's detector
    Index rows = 0;
};

/// The rays of a scan as it is declared.
[[nodiscard]] ProjectedViews projectedViews(const ScanGeometry& geometry);

/// Line integrals of a volume (A) and the exact transpose of that (Aᵀ), one slab at a time.
///
///     begin(grid, slices) → set(slices, voxels) … → project(views, out) …
///     begin(grid, slices) → adjoint(views, rays) … → read(slices, out) …
///
/// The volume is 0 outside its grid and linear between the centres of voxels, as Joseph (1982) has
/// it: a ray visits the planes of voxels along the axis, x or y or z, along which it makes its
/// largest steps in voxels, interpolates in each between four voxels, and their sum times the ray's
/// length from plane to plane, mm, is its line integral. The axis belongs to the detector column of
/// a view, by its middle row, and never to a voxel, because A would then not be linear in the
/// volume in the same way as Aᵀ is in the views. Rays begin at the source and have no end.
///
/// The slabs of a volume add up: A of a volume is the sum of A of its slabs, whose values beyond
/// their own slices count as 0. No sum depends on the number of threads.
///
/// Not thread-safe; one instance per device.
/// Tests: tests/core/project/
class Projector {
  public:
    virtual ~Projector() = default;

    /// Starts slices [slices.begin, slices.end) of `grid` at zero. Memory is kept between slabs.
    /// @throws ResourceError  out of memory
    virtual void begin(const VolumeGrid& grid, IndexRange slices) = 0;

    /// Replaces slices [slices.begin, slices.end) of the volume, within the slab.
    /// voxels: attenuation, 1/mm; [z][y][x], x fastest
    virtual void set(IndexRange slices, Span3<const float> voxels) = 0;

    /// Adds the slab's line integrals (no unit) to these views.
    /// out: [s][v][u] of views [views.begin, views.end), u fastest
    /// @throws Cancelled  `stop` was requested; `out` is then unusable
    virtual void project(IndexRange views, Span3<float> out, const std::stop_token& stop) = 0;

    /// Adds Aᵀ of these views' rays to the slab, mm times their unit.
    /// rays: [s][v][u] of views [views.begin, views.end), u fastest
    /// @throws Cancelled  `stop` was requested; the slab is then unusable
    virtual void adjoint(IndexRange views, Span3<const float> rays,
                         const std::stop_token& stop) = 0;

    /// Copies slices [slices.begin, slices.end) of the volume, within the slab.
    /// out: [z][y][x], x fastest
    virtual void read(IndexRange slices, Span3<float> out) = 0;

    /// Memory that it takes for a slab of that many slices, bytes.
    [[nodiscard]] virtual Index bytesNeeded(const VolumeGrid& grid, Index slices) const = 0;
};

/// Makes a projector of these views in this order, on the processor with so many threads.
using MakeProjector = std::function<std::unique_ptr<Projector>(ProjectedViews views, int threads)>;

}  // namespace gantry
