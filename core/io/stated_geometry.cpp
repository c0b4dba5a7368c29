#include "core/io/stated_geometry.h"

#include <cmath>

namespace gantry {

bool placesDetector(const StatedGeometry& stated, const Detector& detector) {
    constexpr double kFarPart = 0.45;  // of the detector's width and height
    if (!stated.offsetMm) return false;
    const auto part = [&](std::size_t axis, Index pixels) {
        return std::abs((*stated.offsetMm)[axis]) /
               (static_cast<double>(pixels) * detector.pitchMm[axis]);
    };
    return part(0, detector.columns) <= kFarPart && part(1, detector.rows) <= kFarPart;
}

}  // namespace gantry
