#include "core/phantom/voxelise.h"

#include <gtest/gtest.h>

#include "tests/core/phantom/random_shapes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

std::vector<float> voxelise(const Phantom& phantom, const VolumeGrid& grid, int supersampling,
                            int threads = 2) {
    std::vector<float> volume(static_cast<std::size_t>(grid.count()), -1.0F);
    const Span3<float> out(volume.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]);
    voxelisePhantom(phantom, grid, {0, grid.voxels[2]}, supersampling, threads, out);
    return volume;
}

// The mean of the phantom over supersampling³ points, point by point.
float meanAt(const Phantom& phantom, const VolumeGrid& grid, Index x, Index y, Index z, int n) {
    double sum = 0;
    const auto at = [n](Index voxel, int i) {
        return static_cast<double>(voxel) + (i + 0.5) / n - 0.5;
    };
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                sum += phantom.attenuationAt(grid.positionMm(at(x, i), at(y, j), at(z, k)));
    return static_cast<float>(sum / (n * n * n));
}

TEST(Voxelise, EqualsTheMeanOfItsPointsOnAnAnisotropicOffCentreGrid) {
    std::mt19937 random(17);
    const VolumeGrid grid = {{23, 19, 14}, {3.1, 4.3, 5.7}, {4, -9, 7}};
    for (const int n : {1, 2, 3, 5}) {
        const Phantom phantom = test::randomPhantom(6, random);
        const std::vector<float> volume = voxelise(phantom, grid, n);
        std::size_t i = 0;
        for (Index z = 0; z < 14; ++z)
            for (Index y = 0; y < 19; ++y)
                for (Index x = 0; x < 23; ++x, ++i)
                    // Sums of six values below 1 in another order, rounded to float.
                    ASSERT_NEAR(volume[i], meanAt(phantom, grid, x, y, z, n), 3e-7F)
                        << n << ": " << x << ", " << y << ", " << z;
    }
}

TEST(Voxelise, VoxelsInsideHoldTheExactSum) {
    const Phantom head = makePhantom("shepp-logan", {100, {}, 0.02});
    const VolumeGrid grid = {{51, 51, 51}, {4, 4, 4}, {}};
    for (const int n : {1, 3, 7}) {
        const std::vector<float> volume = voxelise(head, grid, n);
        EXPECT_EQ(volume[(25 * 51 + 25) * 51 + 25], static_cast<float>(head.attenuationAt({})));
    }
}

TEST(Voxelise, MassIsThatOfTheEllipsoidAndTheCylinder) {
    std::mt19937 random(23);
    PhantomShape shape;
    shape.centerMm = {1.7, -2.9, 0.6};
    shape.halfAxesMm = {17, 11, 23};
    shape.axes = test::randomAxes(random);
    shape.value = 0.02;
    const VolumeGrid grid = {{64, 64, 64}, {0.95, 0.95, 0.95}, {}};
    const double box = 17 * 11 * 23;
    for (const bool round : {true, false}) {
        shape.kind = round ? PhantomShape::Kind::ellipsoid : PhantomShape::Kind::cylinder;
        Phantom phantom;
        phantom.shapes = {shape};
        double mass = 0;
        for (const float value : voxelise(phantom, grid, 4))
            mass += static_cast<double>(value) * 0.95 * 0.95 * 0.95;
        const double expected = 0.02 * box * (round ? 4.0 / 3 : 2.0) * kPi;
        // Points 0.24 mm apart see the surface (about 6 000 mm², 1e5 points, each of 0.013 mm³
        // wrong by half at random) to 0.5·0.013·√1e5 = 2 mm³ of 18 000: 1e-4.
        EXPECT_NEAR(mass / expected, 1, 3e-4);
    }
}

TEST(Voxelise, SurfacePointsBelongToTheShapeOnBothSides) {
    // Faces and poles fall on the centres of voxels.
    PhantomShape shape;
    shape.halfAxesMm = {3, 3, 3};
    shape.value = 1;
    const VolumeGrid grid = {{9, 9, 9}, {1, 1, 1}, {}};
    for (const auto kind : {PhantomShape::Kind::ellipsoid, PhantomShape::Kind::cylinder}) {
        shape.kind = kind;
        Phantom phantom;
        phantom.shapes = {shape};
        const std::vector<float> volume = voxelise(phantom, grid, 1);
        const Span3<const float> v(volume.data(), 9, 9, 9);
        for (const Index end : {1, 7}) {
            EXPECT_EQ(v(4, 4, end), 1.0F);
            EXPECT_EQ(v(4, end, 4), 1.0F);
            EXPECT_EQ(v(end, 4, 4), 1.0F);
        }
        EXPECT_EQ(v(4, 4, 0), 0.0F);
        EXPECT_EQ(v(8, 4, 4), 0.0F);
    }
}

TEST(Voxelise, SlabsAndThreadsMakeNoDifference) {
    const Phantom phantom = makePhantom("cylinders", {30, {2, 3, 4}, 0.02});
    const VolumeGrid grid = {{37, 41, 29}, {1.9, 1.7, 2.3}, {}};
    const std::vector<float> whole = voxelise(phantom, grid, 3, 1);
    EXPECT_EQ(voxelise(phantom, grid, 3, 4), whole);
    std::vector<float> slab(static_cast<std::size_t>(37 * 41 * 7));
    voxelisePhantom(phantom, grid, {12, 19}, 3, 2, {slab.data(), 7, 41, 37});
    for (std::size_t i = 0; i < slab.size(); ++i)
        ASSERT_EQ(slab[i], whole[12 * 37 * 41 + i]);
}

TEST(Voxelise, ShapesBeyondTheGridAreCut) {
    Phantom phantom;
    PhantomShape around;
    around.halfAxesMm = {1000, 1000, 1000};
    around.value = 0.3;
    PhantomShape away = around;
    away.halfAxesMm = {5, 5, 5};
    away.centerMm = {-500, 400, 300};
    phantom.shapes = {around, away};
    for (const float value : voxelise(phantom, {{5, 6, 7}, {2, 2, 2}, {}}, 2))
        EXPECT_EQ(value, 0.3F);
}

TEST(Voxelise, RefusesSupersamplingOutOfRange) {
    const VolumeGrid grid = {{2, 2, 2}, {1, 1, 1}, {}};
    std::vector<float> volume(8);
    const Span3<float> out(volume.data(), 2, 2, 2);
    EXPECT_ERROR(voxelisePhantom({}, grid, {0, 2}, 0, 1, out), InputError, "supersampling is 0");
    EXPECT_ERROR(voxelisePhantom({}, grid, {0, 2}, 17, 1, out), InputError, "supersampling is 17");
    EXPECT_ERROR(voxelisePhantom({}, grid, {0, 1}, 1, 1, out), InternalError, "wrong size");
}

}  // namespace
}  // namespace gantry
