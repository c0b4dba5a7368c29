#pragma once

#include <QString>
#include <stop_token>

#include "ui/models/image/slice_images.h"

namespace gantry {

/// What a view shows of the slices about the cross-hair: one of them, or several made one.
enum class SlabKind { slice, mean, maximum, minimum };

struct Slab {
    SlabKind kind = SlabKind::slice;
    double thicknessMm = 0;  ///< of the slices together; not used by a slice

    friend bool operator==(const Slab&, const Slab&) = default;
};

/// The slices of a slab about slice `index`: as many as come nearest to its thickness, at least
/// one; of an even number one more lies below. Ends with the volume, so there it is thinner.
/// Tests: tests/ui/models/slab_images_test.cpp
[[nodiscard]] IndexRange slicesOf(const Slab& slab, const VolumeGrid& grid, SliceAxis axis,
                                  Index index);

/// The slab about slice `index`, 1/mm. A pixel with a voxel that is no number (NaN, infinite) is
/// none either.
/// @throws Cancelled when `stop` is requested before it is done
[[nodiscard]] GreyImage slabImage(const VoxelData& data, SliceAxis axis, Index index,
                                  const Slab& slab, const std::stop_token& stop = {});
/// Making such an image may take over 10 ms.
[[nodiscard]] bool isSlowSlab(const VolumeGrid& grid, SliceAxis axis, const Slab& slab);

/// sliceText(), and below it "mean of 12 slices, 1.2 mm" where it is not a slice.
[[nodiscard]] QString slabText(const VolumeGrid& grid, SliceAxis axis, Index index,
                               const Slab& slab);
/// "mean of 12 slices, 1.2 mm".
[[nodiscard]] QString slabText(SlabKind kind, Index slices, double sliceMm);

}  // namespace gantry
