#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry/vec3.h"

namespace gantry {

/// An ellipsoid, or an elliptic cylinder along its own third axis, of constant attenuation that
/// adds to that of other shapes in the same place.
struct PhantomShape {
    enum class Kind { ellipsoid, cylinder };
    Kind kind = Kind::ellipsoid;
    Vec3 centerMm;
    std::array<double, 3> halfAxesMm = {1, 1, 1};  ///< a cylinder's third is half its height
    std::array<Vec3, 3> axes = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};  ///< orthonormal
    double value = 0;                                                          ///< 1/mm, additive
};

[[nodiscard]] PhantomShape sphere(Vec3 centerMm, double radiusMm, double perMm);

/// An object whose line integrals are all known exactly. See analytic_projector.h and voxelise.h.
struct Phantom {
    std::string name;  ///< for reports: "Shepp-Logan (Kak-Slaney)"
    std::vector<PhantomShape> shapes;

    [[nodiscard]] double attenuationAt(
        Vec3 pointMm) const;  ///< 1/mm; a surface belongs to its shape
};

/// Position and density of a built-in phantom. The tables' unit is about the radius of the object:
/// the heads reach 0.92 units from the centre, the others 1.
struct PhantomPlacement {
    double scaleMm = 1;  ///< length of the tables' unit
    Vec3 centerMm;
    double density = 1;  ///< factor on the tables' values, 1/mm
};

/// "shepp-logan" (Kak-Slaney), "shepp-logan-contrast" (the same with the contrasts of Yu, Ye and
/// Wang), "shepp-logan-toft" (Toft-Schabel), "spheres", "cylinders",
/// "ball-helix" and "ball-rings" (for calibration)
[[nodiscard]] const std::vector<std::string>& phantomNames();

/// @throws InputError listing the names, or naming the scale, centre or density that is no length,
/// place or positive number
/// Tests: tests/core/phantom/phantom_test.cpp
[[nodiscard]] Phantom makePhantom(std::string_view name, const PhantomPlacement& placement);

}  // namespace gantry
