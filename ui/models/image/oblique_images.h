#pragma once

#include <QString>
#include <stop_token>

#include "ui/models/image/plane_raster.h"
#include "ui/models/image/slab_images.h"

namespace gantry {

/// The number of slices of a slab about an oblique slice: as many as come closest to its thickness,
/// and no more than the volume has in that direction.
[[nodiscard]] Index slicesOf(const Slab& slab, const VolumeGrid& grid, const PlaneRaster& raster);

/// The values at the pixels of a raster, trilinear, 1/mm, combined over all slices of the slab; if
/// their number is even, one more lies behind. NaN if none of them is in the volume; infinite if a
/// voxel with weight is not finite. coarseness: so many pixels along each side get one value, for
/// speed
/// @throws Cancelled when `stop` is requested before it is done
/// Tests: tests/ui/models/oblique_images_test.cpp
[[nodiscard]] GreyImage obliqueImage(const VoxelData& data, const PlaneRaster& raster,
                                     const Slab& slab, Index coarseness = 1,
                                     const std::stop_token& stop = {});

/// "turned 30.0°, tilted −12.5°", and below it "mean of 12 slices, 1.2 mm" for a slab.
[[nodiscard]] QString obliqueText(const VolumeGrid& grid, const ObliqueAngles& angles,
                                  const PlaneRaster& raster, const Slab& slab);

}  // namespace gantry
