// Which fields a scan has depends on its beam.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/io/scan_file/scan_fields.h"

namespace gantry {

ScanGeometry withBeam(const ScanGeometry& geometry, Beam beam) {
    if (!geometry.hasAngles() || geometry.isParallel() == (beam == Beam::parallel)) return geometry;
    ScanGeometry changed = geometry;
    if (beam == Beam::parallel) {
        changed.trajectory.emplace<ParallelBeam>();
        changed.detector.slantDeg = 0;
    } else {
        auto& cone = changed.trajectory.emplace<CircularCone>();
        cone.sourceToIsocenterMm = 600;
        cone.sourceToDetectorMm = 1200;
    }
    changed.angles() = geometry.angles();
    return changed;
}

bool hasField(const ScanGeometry& geometry, const FieldShape& shape) {
    if (shape.section != "trajectory" || geometry.isCone()) return true;
    constexpr std::array<std::string_view, 4> kOfAngles = {"startDeg", "arcDeg", "views",
                                                           "anglesDeg"};
    return geometry.hasAngles() && std::ranges::find(kOfAngles, shape.name) != kOfAngles.end();
}

}  // namespace gantry
