#include "ui/models/image/oblique_images.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/base/error.h"

namespace gantry {
namespace {

// Odd and even sizes, another pitch along each axis, off the centre.
const VolumeGrid kObliqueGrid{{37, 20, 13}, {0.2, 0.5, 1.25}, {10, -20, 2.5}};

template <class Value>
VoxelData voxelsOf(const VolumeGrid& grid, Value value) {
    auto voxels = std::make_shared<std::vector<float>>();
    for (Index z = 0; z < grid.voxels[2]; ++z)
        for (Index y = 0; y < grid.voxels[1]; ++y)
            for (Index x = 0; x < grid.voxels[0]; ++x)
                voxels->push_back(static_cast<float>(value(grid.positionMm(
                    static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)))));
    return {grid, voxels, *voxels};
}

VoxelData randomVolume() {
    std::mt19937 random(11);
    std::uniform_real_distribution<float> value(-0.01F, 0.08F);
    return voxelsOf(kObliqueGrid, [&](Vec3) { return value(random); });
}

double ramp(Vec3 mm) {
    return 0.01 * mm.x - 0.003 * mm.y + 0.02 * mm.z + 0.4;
}

Vec3 centreOf(const VolumeGrid& grid, const VoxelIndex& voxel) {
    return grid.positionMm(static_cast<double>(voxel[0]), static_cast<double>(voxel[1]),
                           static_cast<double>(voxel[2]));
}

bool isBetweenCentres(const VolumeGrid& grid, Vec3 mm) {
    const Vec3 low = grid.originMm();
    const Vec3 high = centreOf(grid, {grid.voxels[0] - 1, grid.voxels[1] - 1, grid.voxels[2] - 1});
    return mm.x >= low.x && mm.y >= low.y && mm.z >= low.z && mm.x <= high.x && mm.y <= high.y &&
           mm.z <= high.z;
}

TEST(ObliqueImages, UntiltedAndUnturnedAreTheSagittalSliceAndItsSlab) {
    const VoxelData data = randomVolume();
    for (const Index slice : {0, 17, 36}) {
        const PlaneRaster raster =
            obliqueRaster(kObliqueGrid, {}, centreOf(kObliqueGrid, {slice, 3, 9}));
        for (const Slab& slab : {Slab{}, Slab{SlabKind::mean, 1}, Slab{SlabKind::maximum, 0.8},
                                 Slab{SlabKind::minimum, 1.2}}) {
            const GreyImage image = obliqueImage(data, raster, slab);
            const GreyImage expected = slabImage(data, SliceAxis::x, slice, slab);
            ASSERT_EQ(image.columns, expected.columns);
            ASSERT_EQ(image.rows, expected.rows);
            EXPECT_NEAR(image.pixelAspect, expected.pixelAspect, 1e-12);
            for (std::size_t i = 0; i < expected.pixels.size(); ++i)
                // Places in double: rounding far below a float's of values up to 0.08.
                ASSERT_NEAR(image.pixels[i], expected.pixels[i], 1e-8) << slice << ' ' << i;
        }
    }
}

TEST(ObliqueImages, OfALinearRampAreThatRampAtAnyAngle) {
    const VoxelData data = voxelsOf(kObliqueGrid, ramp);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> share(-1, 1);
    for (int i = 0; i < 20; ++i) {
        const ObliqueAngles angles{180 * share(random), 90 * share(random)};
        const Vec3 through =
            Vec3{10, -20, 2.5} + Vec3{3 * share(random), 4 * share(random), 6 * share(random)};
        const PlaneRaster raster = obliqueRaster(kObliqueGrid, angles, through);
        const GreyImage image = obliqueImage(data, raster, {});
        EXPECT_NEAR(raster.slicesTo(through), 0, 1e-9);
        int inside = 0;
        for (Index row = 0; row < image.rows; ++row)
            for (Index column = 0; column < image.columns; ++column) {
                const Vec3 mm =
                    raster.placeMm({static_cast<double>(column), static_cast<double>(row)});
                if (!isBetweenCentres(kObliqueGrid, mm)) continue;
                ++inside;
                // Trilinear samples of a ramp are exact but for the rounding of voxels near 0.8 to
                // floats, 6e-8.
                ASSERT_NEAR(image.at(column, row), ramp(mm), 2e-7);
            }
        EXPECT_GT(inside, 20);
    }
}

TEST(ObliqueImages, AllOfTheVolumeIsSeenAndNothingAroundIt) {
    const VolumeGrid cube{{30, 30, 30}, {1, 1, 1}, {}};
    const VoxelData data = voxelsOf(cube, [](Vec3) { return 1; });
    const PlaneRaster raster = obliqueRaster(cube, {45, 0}, {0, 0, 0});
    // The diagonal of the cube's base is 42.4 mm.
    EXPECT_NEAR(static_cast<double>(raster.columns), 42, 1);
    EXPECT_EQ(raster.rows, 30);
    EXPECT_NEAR(length(raster.columnStepMm), 1, 1e-12);
    const GreyImage whole = obliqueImage(data, raster, {});
    EXPECT_EQ(whole.at(0, 0), 1);
    // Nearer to an edge the plane is shorter than the image.
    const GreyImage beside = obliqueImage(data, obliqueRaster(cube, {45, 0}, {14, 14, 0}), {});
    EXPECT_EQ(beside.columns, whole.columns);
    EXPECT_TRUE(std::isnan(beside.at(0, 15)));
    EXPECT_EQ(beside.at(beside.columns / 2, 15), 1);
    // A slab's mean is of those slices that are in the volume.
    EXPECT_EQ(obliqueImage(data, raster, {SlabKind::mean, 20}).at(1, 15), 1);
}

TEST(ObliqueImages, AVoxelThatIsNoNumberIsSeenInASlab) {
    VolumeGrid cube{{9, 9, 9}, {1, 1, 1}, {}};
    const VoxelData data = voxelsOf(cube, [](Vec3 mm) {
        return length(mm) < 0.5 ? std::numeric_limits<double>::quiet_NaN() : 2.0;
    });
    const PlaneRaster raster = obliqueRaster(cube, {30, 20}, {0, 0, 0});
    for (const SlabKind kind :
         {SlabKind::slice, SlabKind::mean, SlabKind::maximum, SlabKind::minimum}) {
        const GreyImage image = obliqueImage(data, raster, {kind, 3});
        const QPointF middle = raster.pixelOf({0, 0, 0});
        EXPECT_TRUE(std::isinf(image.at(std::lround(middle.x()), std::lround(middle.y()))));
        EXPECT_EQ(image.at(std::lround(middle.x()), std::lround(middle.y()) + 3), 2);
    }
}

TEST(ObliqueImages, ACoarseOneShowsTheSameInBlocks) {
    const VoxelData data = voxelsOf(kObliqueGrid, ramp);
    const PlaneRaster raster = obliqueRaster(kObliqueGrid, {20, 10}, {10, -20, 2.5});
    const GreyImage fine = obliqueImage(data, raster, {});
    const GreyImage coarse = obliqueImage(data, raster, {}, 3);
    ASSERT_EQ(coarse.columns, fine.columns);
    ASSERT_EQ(coarse.rows, fine.rows);
    const Index column = fine.columns / 2 / 3 * 3;
    const Index row = fine.rows / 2 / 3 * 3;
    EXPECT_EQ(coarse.at(column, row), coarse.at(column + 2, row + 2));
    EXPECT_NEAR(coarse.at(column, row), fine.at(column + 1, row + 1), 2e-7);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)obliqueImage(data, raster, {}, 1, stop.get_token()), Cancelled);
}

TEST(ObliqueImages, ItsLineGoesWhereItIsDragged) {
    const Vec3 middle{1, 2, 3};
    const ObliqueAngles turned = turnedTowards({0, 10}, middle, middle + Vec3{-1, 1, 0});
    EXPECT_NEAR(turned.turnDeg, 45, 1e-9);
    EXPECT_EQ(turned.tiltDeg, 10);
    for (const double turn : {0.0, 45.0, -60.0, 170.0}) {
        const Vec3 towards{0.5, 0, 1};
        const ObliqueAngles tilted = tiltedTowards({turn, 0}, middle, middle + towards);
        const Vec3 line = lineIn(SliceAxis::y, tilted);
        EXPECT_NEAR(line.x / line.z, 0.5, 1e-9) << turn;
        EXPECT_NEAR(dot(line, frameOf(tilted).normal), 0, 1e-12);
        EXPECT_EQ(tilted.turnDeg, turn);
    }
    EXPECT_EQ(length(lineIn(SliceAxis::y, {90, 0})), 0);  // it is the coronal slice
    EXPECT_EQ(tiltedTowards({0, 20}, middle, middle).tiltDeg, 20);
    EXPECT_NEAR(tiltedTowards({0, 0}, middle, middle + Vec3{1, 0, -1}).tiltDeg, 90, 1e-9);
}

TEST(ObliqueImages, MoreThanCanBeLookedAtAreCoarser) {
    const VolumeGrid large{{30000, 30000, 2}, {0.01, 0.01, 0.01}, {}};
    const PlaneRaster raster = obliqueRaster(large, {0, 90}, {0, 0, 0});
    EXPECT_LE(raster.columns * raster.rows, (Index{1} << 26) * 101 / 100);
    EXPECT_NEAR(static_cast<double>(raster.columns) * length(raster.columnStepMm), 300, 1);
}

TEST(ObliqueImages, TheirTextTellsAnglesAndSlab) {
    const PlaneRaster raster = obliqueRaster(kObliqueGrid, {}, {10, -20, 2.5});
    EXPECT_EQ(obliqueText(kObliqueGrid, {30, -12.54}, raster, {}), "turned 30.0°, tilted −12.5°");
    EXPECT_EQ(obliqueText(kObliqueGrid, {}, raster, {SlabKind::mean, 1}),
              "turned 0.0°, tilted 0.0°\nmean of 5 slices, 1 mm");
}

}  // namespace
}  // namespace gantry
