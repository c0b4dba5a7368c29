#pragma once

#include <array>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/engine/acquisition.h"
#include "core/filter/filter_spec.h"
#include "core/geometry/vec3.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A parallelogram anywhere in the world, seen as a picture of columns × rows pixels. Its edges are
/// the outer edges of the pixels: pixel (column, row) has its centre at
/// originMm + (column + ½)/columns·alongRowMm + (row + ½)/rows·alongColumnMm.
struct Plane {
    Vec3 originMm;       ///< the corner at pixel (0,0)
    Vec3 alongRowMm;     ///< the edge from there past the last column
    Vec3 alongColumnMm;  ///< the edge from there past the last row
    Index columns = 0;
    Index rows = 0;

    [[nodiscard]] Vec3 positionMm(double column, double row) const;
};

/// The parts of the planes through a point that lie within the grid: across z (rows along x,
/// columns along y), across y (x, z) and across x (y, z). Pixels are the grid's voxels, or, with
/// pixelsAlongLongest > 0, so many along the grid's axis with the most voxels and in proportion
/// along the others.
[[nodiscard]] std::array<Plane, 3> orthogonalPlanes(const VolumeGrid& grid, Vec3 throughMm,
                                                    Index pixelsAlongLongest = 0);

/// A square centred on a point: the axial plane, rotated about z, then tilted about its own rows.
/// It is as wide as the grid's longest edge, in pixels of the grid's smallest pitch, at most
/// maxPixels wide.
[[nodiscard]] Plane obliquePlane(const VolumeGrid& grid, Vec3 throughMm, double turnDeg,
                                 double tiltDeg, Index maxPixels);

/// A projection matrix on a plane's pixels: m·(column, row, 1) = (u·z, v·z, z), z in mm.
using PlaneMatrix = std::array<std::array<double, 3>, 3>;
[[nodiscard]] PlaneMatrix onPlanePixels(const ProjectionMatrix& matrix, const Plane& plane);

/// Reconstructs planes of any position and direction from filtered views that stay in place while
/// the geometry and the planes change, which a live preview needs at every step of a drag.
/// Pixel: Σ_s (1/z)²·interp2(Q_s, u, v), with BackProjector's interp2; matrices may be of any kind.
///     setViews(views) → setGeometry(matrices) → render(planes) → setGeometry … → render …
/// or, where views are filtered again and again on the device:
///     setLineIntegrals(views) → setFilter(…) → filter({0, views}) → setGeometry(matrices) → …
/// Not thread-safe; one instance per device.
/// Tests: tests/core/cpu/cpu_plane_preview_test.cpp, tests/gpu/engine/plane_preview_test.cpp
class PlanePreview {
  public:
    /// quick: texture hardware may interpolate, with fractions of 8 bits.
    enum class Precision { quick, exact };

    virtual ~PlanePreview() = default;

    /// views: all of the scan, filtered for FDK; [s][v][u], u fastest. They must stay unchanged
    /// until the next setViews(). A geometry set before is forgotten.
    /// @throws ResourceError  the device has no room for them
    /// @throws Cancelled  there are then no views
    virtual void setViews(Span3<const float> views, const std::stop_token& stop) = 0;

    /// Sets views to be filtered; nothing can be rendered until all of them are.
    /// views: line integrals, [s][v][u], u fastest, neither rectified nor padded
    /// @returns whether it made a copy; if not, the views must stay while filter() is called
    /// @throws ResourceError, Cancelled
    virtual bool setLineIntegrals(Span3<const float> views, const std::stop_token& stop) = 0;
    /// Sets how filter() rectifies, pads, weights and ramps from now on. Filtered views stay as
    /// they are until filter() is called for them again, unless their size changes. acquisition: of
    /// the line integrals; only its rectifier, redundancy and geometry are used
    /// @throws InputError  the cut-off is out of range; ResourceError
    virtual void setFilter(std::shared_ptr<const Acquisition> acquisition,
                           const FilterSpec& filter) = 0;
    /// Filters those views. @throws Cancelled, which leaves them undefined; ResourceError
    virtual void filter(IndexRange views, const std::stop_token& stop) = 0;

    /// matrices: one a view, world mm to pixels. What the filter has folded into the views
    /// (angular steps, distances, redundancy) stays as it was when they were filtered.
    virtual void setGeometry(std::span<const ProjectionMatrix> matrices) = 0;

    /// @returns one picture a plane, attenuation in 1/mm, [0][row][column], column fastest, in
    ///          memory of this object: valid until the next call of render()
    /// @throws Cancelled, ResourceError
    virtual std::vector<Span3<const float>> render(std::span<const Plane> planes,
                                                   Precision precision,
                                                   const std::stop_token& stop) = 0;
};

/// Wraps one picture a plane, [0][row][column], which lie one after the other from `pixels` on.
[[nodiscard]] std::vector<Span3<const float>> picturesOf(std::span<const Plane> planes,
                                                         const float* pixels);
/// Pixels of all planes. @throws InternalError when one has none
[[nodiscard]] Index pixelCount(std::span<const Plane> planes);

}  // namespace gantry
