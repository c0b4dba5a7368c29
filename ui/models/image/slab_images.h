#pragma once

#include <QString>
#include <stop_token>

#include "ui/models/image/slice_images.h"

namespace gantry {

/// How a view combines the slices about the cross-hair: one of them, or several combined.
enum class SlabKind { slice, mean, maximum, minimum };

struct Slab {
    SlabKind kind = SlabKind::slice;
    double thicknessMm = 0;  ///< of the slices together; not used for a slice

    friend bool operator==(const Slab&, const Slab&) = default;
};

/// The slices of a slab about slice `index`: as many as come closest to its thickness, at least
/// one; if their number is even, one more lies below. It ends with the volume, so it is thinner
/// there. Tests: tests/ui/models/slab_images_test.cpp
[[nodiscard]] IndexRange slicesOf(const Slab& slab, const VolumeGrid& grid, SliceAxis axis,
                                  Index index);

/// The slab about slice `index`, 1/mm. A pixel with a voxel that is not finite (NaN, infinite) is
/// not finite either.
/// @throws Cancelled when `stop` is requested before it is done
[[nodiscard]] GreyImage slabImage(const VoxelData& data, SliceAxis axis, Index index,
                                  const Slab& slab, const std::stop_token& stop = {});
/// Whether making such an image may take over 10 ms.
[[nodiscard]] bool isSlowSlab(const VolumeGrid& grid, SliceAxis axis, const Slab& slab);

/// sliceText(), and below it "mean of 12 slices, 1.2 mm" if it is a slab.
[[nodiscard]] QString slabText(const VolumeGrid& grid, SliceAxis axis, Index index,
                               const Slab& slab);
/// "mean of 12 slices, 1.2 mm".
[[nodiscard]] QString slabText(SlabKind kind, Index slices, double sliceMm);

}  // namespace gantry
