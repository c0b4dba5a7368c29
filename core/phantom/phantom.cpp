#include "core/phantom/phantom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/base/error.h"
#include "core/phantom/named_phantoms.h"
#include "core/phantom/shape_math.h"

namespace gantry {

double Phantom::attenuationAt(Vec3 pointMm) const {
    double sum = 0;
    for (const PhantomShape& shape : shapes)
        if (contains(shape, pointMm)) sum += shape.value;
    return sum;
}

const std::vector<std::string>& phantomNames() {
    static const std::vector<std::string> names = {
        "shepp-logan", "shepp-logan-contrast", "shepp-logan-toft", "spheres",
        "cylinders",   "ball-helix",           "ball-rings"};
    return names;
}

namespace {

Phantom inTableUnits(std::string_view name) {
    if (name == "shepp-logan") return sheppLoganKakSlaney();
    if (name == "shepp-logan-contrast") return sheppLoganYuYeWang();
    if (name == "shepp-logan-toft") return sheppLoganToftSchabel();
    if (name == "spheres") return spheresPhantom();
    if (name == "cylinders") return cylindersPhantom();
    if (name == "ball-helix") return ballHelixPhantom();
    if (name == "ball-rings") return ballRingsPhantom();
    throw InputError(fmt::format("There is no phantom \"{}\". The phantoms are {}.", name,
                                 fmt::join(phantomNames(), ", ")));
}

void check(const PhantomPlacement& placement) {
    if (!std::isfinite(placement.scaleMm) || placement.scaleMm <= 0)
        throw InputError(
            fmt::format("The phantom's scale is {} mm; it must be greater than 0 and finite.",
                        placement.scaleMm));
    if (!std::isfinite(placement.density) || placement.density <= 0)
        throw InputError(
            fmt::format("The phantom's density is {} /mm; it must be greater than 0 and finite.",
                        placement.density));
    const Vec3& center = placement.centerMm;
    if (!std::isfinite(center.x) || !std::isfinite(center.y) || !std::isfinite(center.z))
        throw InputError(fmt::format("The phantom's centre is ({}, {}, {}) mm; it must be finite.",
                                     center.x, center.y, center.z));
}

}  // namespace

Phantom makePhantom(std::string_view name, const PhantomPlacement& placement) {
    Phantom phantom = inTableUnits(name);
    check(placement);
    for (PhantomShape& shape : phantom.shapes) {
        shape.centerMm = placement.centerMm + placement.scaleMm * shape.centerMm;
        for (double& halfAxis : shape.halfAxesMm)
            halfAxis *= placement.scaleMm;
        shape.value *= placement.density;
    }
    return phantom;
}

}  // namespace gantry
