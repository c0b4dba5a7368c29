#pragma once

#include <QPointF>

#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"
#include "ui/models/image/slice_images.h"

namespace gantry {

/// The pixels of a flat image of a volume, in the world: pixel (column, row) has its centre at
/// firstMm + column·columnStepMm + row·rowStepMm; the steps are perpendicular to each other, and
/// row 0 is the lowest. Tests: tests/ui/models/oblique_images_test.cpp
struct PlaneRaster {
    Vec3 firstMm;
    Vec3 columnStepMm;
    Vec3 rowStepMm;
    Vec3 normalStepMm;  ///< to the next slice
    Index columns = 0;
    Index rows = 0;

    [[nodiscard]] Vec3 placeMm(QPointF pixel) const;
    /// The pixel of a point in the plane; for another point, that of the nearest one.
    [[nodiscard]] QPointF pixelOf(Vec3 placeMm) const;
    /// The distance of a point from the plane, in steps to the next slice.
    [[nodiscard]] double slicesTo(Vec3 placeMm) const;
    /// The pixel, or the nearest one at the image's edge.
    [[nodiscard]] QPointF inside(QPointF pixel) const;

    friend bool operator==(const PlaneRaster&, const PlaneRaster&) = default;
};

/// The raster of a plain slice: the pixels are those of the voxels in memory, the slice is one of
/// the volume's own, which may be finer.
[[nodiscard]] PlaneRaster sliceRaster(const SlicePlane& plane, const VolumeGrid& pixels,
                                      const VolumeGrid& volume, Index slice);

/// The orientation of an oblique slice: the sagittal one turned about the z axis, counter-clockwise
/// seen from above, and then tilted about its horizontal line, its upper part towards the viewer.
struct ObliqueAngles {
    double turnDeg = 0;
    double tiltDeg = 0;

    friend bool operator==(const ObliqueAngles&, const ObliqueAngles&) = default;
};

/// Unit vectors of the oblique slice's image: to the right (horizontal), upwards, and towards the
/// viewer.
struct ObliqueFrame {
    Vec3 right;
    Vec3 up;
    Vec3 normal;
};
[[nodiscard]] ObliqueFrame frameOf(const ObliqueAngles& angles);

/// The pixels of the oblique slice through a point: they cover the whole volume seen along the
/// normal, with steps between the voxels' edges along the axes, so that without turn and tilt they
/// are the voxels of the sagittal slice. At most 2²⁶ pixels; beyond that, coarser ones. grid: has
/// voxels
[[nodiscard]] PlaneRaster obliqueRaster(const VolumeGrid& grid, const ObliqueAngles& angles,
                                        Vec3 throughMm);

/// The angles for which the slice's line in a view through `throughMm` goes through `towards`: in
/// an axial view the turn changes, in a coronal one the tilt.
[[nodiscard]] ObliqueAngles turnedTowards(ObliqueAngles angles, Vec3 throughMm, Vec3 towards);
[[nodiscard]] ObliqueAngles tiltedTowards(ObliqueAngles angles, Vec3 throughMm, Vec3 towards);

/// The direction of its line's upper end in a plain slice, mm; none if both are nearly parallel.
[[nodiscard]] Vec3 lineIn(SliceAxis slice, const ObliqueAngles& angles);

}  // namespace gantry
