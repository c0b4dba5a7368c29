#include "core/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/backproject/cpu_kernels.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr auto kExact = PlanePreview::Precision::exact;

using test::Noise;

Span3<const float> viewsOf(const ScanGeometry& scan, const std::vector<float>& pixels) {
    return {pixels.data(), scan.views(), scan.detector.rows, scan.detector.columns};
}

std::unique_ptr<PlanePreview> projectorOf(const ScanGeometry& scan,
                                          const std::vector<float>& pixels) {
    auto projector = makeCpuPlanePreview(2);
    projector->setViews(viewsOf(scan, pixels), {});
    projector->setGeometry(projectionMatrices(scan));
    return projector;
}

TEST(PlanePreview, OrthogonalPlanesAreSlicesOfTheVolume) {
    ScanGeometry scan = test::scanOf(47, 39, 11);
    scan.detector.offsetMm = {3, -2};
    VolumeGrid grid = test::gridOf(scan, {21, 17, 13}, 1.6);
    grid.centerMm = {4, -3, 2};
    const auto views = test::randomViews(scan, Noise::uniform);
    const auto volume =
        test::backProject(*makeReferenceBackProjector(2), scan, grid, {0, 13}, views);
    const auto voxel = [&](Index x, Index y, Index z) {
        return volume[static_cast<std::size_t>((z * 17 + y) * 21 + x)];
    };

    const auto planes = orthogonalPlanes(grid, grid.positionMm(5, 11, 9));
    const auto projector = projectorOf(scan, views);
    const auto pictures = projector->render(planes, kExact, {});

    ASSERT_EQ(pictures.size(), 3U);
    const float peak = *std::max_element(volume.begin(), volume.end());
    // Both sum in double and are written as float.
    const float tolerance = 1e-6F * peak;
    for (Index row = 0; row < 17; ++row)
        for (Index column = 0; column < 21; ++column)
            ASSERT_NEAR(pictures[0](0, row, column), voxel(column, row, 9), tolerance);
    for (Index row = 0; row < 13; ++row)
        for (Index column = 0; column < 21; ++column)
            ASSERT_NEAR(pictures[1](0, row, column), voxel(column, 11, row), tolerance);
    for (Index row = 0; row < 13; ++row)
        for (Index column = 0; column < 17; ++column)
            ASSERT_NEAR(pictures[2](0, row, column), voxel(5, column, row), tolerance);
}

// Bilinear interpolation is exact for views that are linear in u and v, so that the sum over the
// views can be written down from the geometry alone.
TEST(PlanePreview, ObliquePlanesTurnAboutTheirMiddle) {
    const VolumeGrid grid = {{30, 20, 50}, {1, 2, 0.5}, {3, -2, 1}};
    const Vec3 through = {4, 5, -6};
    for (const auto& [turn, tilt] : {std::array{0.0, 0.0}, {30.0, 0.0}, {-20.0, 70.0}}) {
        const Plane plane = obliquePlane(grid, through, turn, tilt, 1000);
        EXPECT_EQ(plane.columns, 80) << "the longest edge of 40 mm in the smallest pitch";
        EXPECT_NEAR(length(plane.positionMm(39.5, 39.5) - through), 0, 1e-9);
        EXPECT_NEAR(length(plane.alongRowMm), 40, 1e-9);
        EXPECT_NEAR(dot(plane.alongRowMm, plane.alongColumnMm), 0, 1e-9);
        EXPECT_NEAR(plane.alongRowMm.z, 0, 1e-9);
        EXPECT_NEAR(plane.alongColumnMm.z, 40 * std::sin(radians(tilt)), 1e-9);
        EXPECT_NEAR(plane.alongRowMm.y, 40 * std::sin(radians(turn)), 1e-9);
    }
    EXPECT_EQ(obliquePlane(grid, through, 0, 0, 64).columns, 64);
}

TEST(PlanePreview, SumsLinearViewsExactlyOnObliquePlanesOfAnyDetector) {
    const ScanGeometry scan = test::turnedScanOf(61, 53, 7);
    const std::vector<float> views = test::linearViews(scan);
    const Plane plane = {{-20, -12, -15}, {31, 18, 9}, {-6, 11, 25}, 19, 23};

    const auto reference = makeReferencePlanePreview(2);
    reference->setViews(viewsOf(scan, views), {});
    reference->setGeometry(projectionMatrices(scan));
    const auto picture = reference->render({&plane, 1}, kExact, {}).front();

    const auto matrices = projectionMatrices(scan);
    for (Index row = 0; row < 23; ++row)
        for (Index column = 0; column < 19; ++column) {
            const double across = (static_cast<double>(column) + 0.5) / 19;
            const double up = (static_cast<double>(row) + 0.5) / 23;
            double expected = 0;
            for (const ProjectionMatrix& matrix : matrices) {
                const auto p =
                    matrix.project(-20 + 31 * across - 6 * up, -12 + 18 * across + 11 * up,
                                   -15 + 9 * across + 25 * up);
                expected += test::linearView(p.u, p.v) / (p.z * p.z);
            }
            // Sums in double, written as float.
            ASSERT_NEAR(picture(0, row, column), expected, 1e-7 * expected);
        }
}

// Planes reach from single pixels to rows that fill no register.
TEST(PlanePreview, EveryInstructionSetAgreesWithSumsInDouble) {
    for (const auto& [columns, rows] : {std::pair<Index, Index>{147, 190}, {1031, 68}}) {
        ScanGeometry scan = test::scanOf(columns, rows, 11);
        scan.detector.rollDeg = 2;
        scan.detector.tiltDeg = -3;
        const Plane planes[] = {
            {{-20, -12, -15}, {31, 18, 9}, {-6, 11, 25}, 61, 23},  // oblique, within the views
            {{-60, -70, 2}, {120, 0, 0}, {0, 140, 0}, 131, 97},    // partly beyond the detector
            {{0, -900, -20}, {0, 1800, 0}, {0, 0, 40}, 333, 9},    // behind the source, too
            {{-30, 5, -40}, {60, 1, 0}, {0, 0, 80}, 16, 40},       // across
            {{1, 2, 3}, {0.5, 0, 0}, {0, 0.5, 0}, 1, 1},
        };
        for (const Noise noise : {Noise::uniform, Noise::zeroMean}) {
            const auto views = test::randomViews(scan, noise);
            const auto render = [&](PlanePreview& preview) {
                preview.setViews(viewsOf(scan, views), {});
                preview.setGeometry(projectionMatrices(scan));
                std::vector<std::vector<float>> pictures;
                for (const auto& picture : preview.render(planes, kExact, {}))
                    pictures.emplace_back(picture.data(), picture.data() + picture.count());
                return pictures;
            };
            const auto exact = render(*makeReferencePlanePreview(2));
            for (const SimdLevel level : supportedSimdLevels()) {
                const auto found = render(*makeCpuPlanePreview(2, level));
                // Places are good to some 1e-6 of a pixel, by which noise changes as much as it
                // is large; sums in single precision.
                const double max = noise == Noise::uniform ? 1e-6 : 5e-6;
                for (std::size_t i = 0; i < exact.size(); ++i)
                    EXPECT_LT(test::relativeRmse(found[i], exact[i]), max)
                        << name(level) << ", plane " << i << " of " << columns;
            }
        }
    }
}

TEST(PlanePreview, ShowsNothingWhereNoViewLooks) {
    ScanGeometry scan = test::scanOf(31, 31, 1);
    scan.cone().startDeg = 0;  // the source is at (0, −500, 0)
    const std::vector<float> views(31 * 31, 1.0F);
    const Plane planes[] = {
        {{-10, -10, 900}, {20, 0, 0}, {0, 20, 0}, 5, 4},    // above the detector
        {{-10, -700, -10}, {20, 0, 0}, {0, 0, 20}, 4, 5},   // behind the source
        {{-10, -1500, 0}, {20, 0, 0}, {0, 2000, 0}, 3, 8},  // half of it behind the source
    };
    const auto projector = projectorOf(scan, views);
    const auto pictures = projector->render(planes, kExact, {});
    for (const auto& picture : {pictures[0], pictures[1]})
        for (Index i = 0; i < picture.count(); ++i)
            ASSERT_EQ(picture.data()[i], 0);
    for (Index row = 0; row < 8; ++row)
        for (Index column = 0; column < 3; ++column)
            ASSERT_EQ(pictures[2](0, row, column) > 0, row >= 4) << "row " << row;
}

TEST(PlanePreview, FollowsTheGeometryWhileTheViewsStay) {
    const ScanGeometry scan = test::scanOf(45, 37, 9);
    ScanGeometry moved = scan;
    moved.detector.offsetMm[0] = 2.5;
    const auto views = test::randomViews(scan, Noise::zeroMean);
    const VolumeGrid grid = test::gridOf(scan, {16, 12, 8}, 2);
    const auto planes = orthogonalPlanes(grid, {1, 2, 3});
    const auto render = [&](PlanePreview& projector) {
        std::vector<float> all;
        for (const auto& picture : projector.render(planes, kExact, {}))
            all.insert(all.end(), picture.data(), picture.data() + picture.count());
        return all;
    };
    const auto projector = projectorOf(scan, views);
    const auto before = render(*projector);
    projector->setGeometry(projectionMatrices(moved));
    const auto after = render(*projector);
    EXPECT_GT(test::relativeRmse(after, before), 0.1);
    EXPECT_EQ(after, render(*projectorOf(moved, views)));
    projector->setGeometry(projectionMatrices(scan));
    EXPECT_EQ(before, render(*projector));
}

TEST(PlanePreview, StopsOnRequest) {
    const ScanGeometry scan = test::scanOf(8, 8, 2);
    const auto views = test::randomViews(scan, Noise::uniform);
    const auto planes = orthogonalPlanes(test::gridOf(scan, {64, 64, 64}, 1), {0, 0, 0});
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)projectorOf(scan, views)->render(planes, kExact, stop.get_token()),
                 Cancelled);
}

TEST(PlanePreview, RefusesAGeometryOfOtherViews) {
    const ScanGeometry scan = test::scanOf(8, 8, 4);
    const auto views = test::randomViews(scan, Noise::uniform);
    const auto projector = makeCpuPlanePreview(1);
    projector->setViews(viewsOf(scan, views), {});
    const auto planes = orthogonalPlanes(test::gridOf(scan, {4, 4, 4}, 1), {0, 0, 0});
    EXPECT_ERROR((void)projector->render(planes, kExact, {}), InternalError,
                 "no views or geometry");
    EXPECT_ERROR(projector->setGeometry(projectionMatrices(test::scanOf(8, 8, 5))), InternalError,
                 "of other views");
}

TEST(PlanePreview, RefusesAPlaneWithoutPixels) {
    const ScanGeometry scan = test::scanOf(8, 8, 2);
    const auto views = test::randomViews(scan, Noise::uniform);
    const auto projector = projectorOf(scan, views);
    auto planes = orthogonalPlanes(test::gridOf(scan, {4, 4, 4}, 1), {0, 0, 0});
    EXPECT_NO_THROW((void)projector->render(planes, kExact, {}));
    for (Index Plane::*side : {&Plane::columns, &Plane::rows}) {
        planes[1].*side = 0;
        EXPECT_ERROR((void)projector->render(planes, kExact, {}), InternalError, "without pixels");
        planes[1].*side = 4;
    }
}

TEST(OrthogonalPlanes, CoverTheGridThroughThePointWithTheResolutionAskedFor) {
    const VolumeGrid grid = {{200, 100, 50}, {0.5, 1, 3}, {10, 20, 30}};
    const Vec3 point = {12, 5, -7};
    const auto planes = orthogonalPlanes(grid, point, 64);
    const std::array<std::array<Index, 2>, 3> sizes = {{{64, 32}, {64, 16}, {32, 16}}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(planes[i].columns, sizes[i][0]);
        EXPECT_EQ(planes[i].rows, sizes[i][1]);
    }
    // The outer edges of the grid: 100, 100 and 150 mm about its centre.
    EXPECT_EQ(planes[0].originMm, (Vec3{-40, -30, -7}));
    EXPECT_EQ(planes[0].originMm + planes[0].alongRowMm + planes[0].alongColumnMm,
              (Vec3{60, 70, -7}));
    EXPECT_EQ(planes[1].originMm, (Vec3{-40, 5, -45}));
    EXPECT_EQ(planes[1].originMm + planes[1].alongRowMm + planes[1].alongColumnMm,
              (Vec3{60, 5, 105}));
    EXPECT_EQ(planes[2].originMm, (Vec3{12, -30, -45}));
    EXPECT_EQ(planes[2].originMm + planes[2].alongRowMm + planes[2].alongColumnMm,
              (Vec3{12, 70, 105}));
}

}  // namespace
}  // namespace gantry
