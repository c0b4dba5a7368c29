#pragma once

#include <cmath>
#include <random>

#include "core/phantom/phantom.h"

namespace gantry::test {

/// Orthonormal axes in a random position.
inline std::array<Vec3, 3> randomAxes(std::mt19937& random) {
    std::normal_distribution<double> normal;
    const auto unit = [](Vec3 a) { return (1 / length(a)) * a; };
    const Vec3 first = unit({normal(random), normal(random), normal(random)});
    const Vec3 second = unit(cross(first, {normal(random), normal(random), normal(random)}));
    return {first, second, cross(first, second)};
}

/// Rotated ellipsoids and elliptic cylinders alternately, with centres within 40 mm of the
/// isocentre and half-axes of 5 to 35 mm, that overlap and have values of either sign.
inline Phantom randomPhantom(int shapes, std::mt19937& random) {
    std::uniform_real_distribution<double> place(-23, 23);
    std::uniform_real_distribution<double> size(5, 35);
    std::uniform_real_distribution<double> value(-0.5, 1);
    Phantom phantom;
    for (int i = 0; i < shapes; ++i) {
        PhantomShape shape;
        shape.kind = i % 2 == 0 ? PhantomShape::Kind::ellipsoid : PhantomShape::Kind::cylinder;
        shape.centerMm = {place(random), place(random), place(random)};
        shape.halfAxesMm = {size(random), size(random), size(random)};
        shape.axes = randomAxes(random);
        shape.value = value(random);
        phantom.shapes.push_back(shape);
    }
    return phantom;
}

}  // namespace gantry::test
