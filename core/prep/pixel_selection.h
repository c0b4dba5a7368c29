#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/geometry/pixel_block.h"

namespace gantry {

inline constexpr Index kMaxBin = 16;

/// Which pixels of the detector a scan is made of: a part of it, and bin × bin of them as one.
struct PixelSelection {
    /// First column, first row, and one past the last of both, in the detector's pixels as stored;
    /// empty: the whole detector.
    std::vector<Index> crop = {};
    /// bin × bin pixels become one; those at the upper ends that fill none are left out.
    Index bin = 1;

    /// Whether all of them lie on this detector.
    [[nodiscard]] bool isOn(const Detector& detector) const;
    [[nodiscard]] bool isWhole() const { return crop.empty() && bin == 1; }
    friend bool operator==(const PixelSelection&, const PixelSelection&) = default;
};

/// The pixels of this detector that are selected.
/// @throws InputError of the field prep.crop or prep.bin where they are not on the detector
/// Tests: tests/core/prep/pixel_selection_test.cpp
[[nodiscard]] PixelBlock blockOf(const PixelSelection& selection, const Detector& detector);

/// The scan as if its detector had these pixels alone. @throws as blockOf()
[[nodiscard]] ScanGeometry selected(const ScanGeometry& declared, const PixelSelection& selection);

}  // namespace gantry
