#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ui/scene/volume/cpu_ray_caster.h"
#include "ui/scene/volume/voxel_ray.h"

namespace gantry {
namespace {

const VolumeGrid kClippedGrid{{21, 34, 17}, {0.7, 0.4, 1.3}, {3, -5, 11}};

// Every place of a ray is in the voxels' box and in all half-spaces just where the ray says so.
TEST(Clipping, ARayIsSeenJustWhereAllHalfSpacesAre) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto direction = [&] { return Vec3{unit(random), unit(random), unit(random) + 1e-3}; };
    const Vec3 centre{3, -5, 11};
    for (int round = 0; round < 200; ++round) {
        Vec3 way = direction();
        way = (1 / length(way)) * way;
        const ViewRay viewRay{centre - 60.0 * way + 5.0 * direction(), way};
        const std::vector<HalfSpace> clips = {{centre + 3.0 * direction(), direction()},
                                              {centre + 3.0 * direction(), direction()},
                                              {centre, {0, 0, 1}}};
        VoxelRay ray(kClippedGrid, viewRay);
        ray.clip(kClippedGrid, clips);
        for (double mm = 30; mm < 90; mm += 0.37) {
            const Vec3 place = viewRay.originMm + mm * way;
            bool isInside = std::abs(place.x - 3) <= 10.5 * 0.7 &&
                            std::abs(place.y + 5) <= 17 * 0.4 &&
                            std::abs(place.z - 11) <= 8.5 * 1.3;
            for (const HalfSpace& half : clips)
                isInside = isInside && dot(half.inward, place - half.pointMm) >= 0;
            const double t = mm / 0.4;  // in steps of the least pitch
            EXPECT_EQ(t >= ray.begin && t <= ray.end, isInside) << round << ' ' << mm;
        }
    }
}

TEST(Clipping, OfAFilledBoxTheUpperHalfIsGone) {
    const std::vector<float> filled(static_cast<std::size_t>(kClippedGrid.count()), 1.0F);
    std::vector<float> voxels = filled;
    voxels[0] = 0;  // so that there is a range of values
    const CpuRayCaster caster(reducedVolume(kClippedGrid, voxels, 64));
    RayCastRequest request;
    request.camera.focusMm = {3, -5, 11};
    request.camera.radiusMm = 16;
    request.size = {81, 81};
    request.transfer = windowTransfer({0, 1});
    request.window = {0, 1};
    request.clips = {{{3, -5, 11}, {0, 0, -1}}};
    for (const bool isMaximum : {false, true}) {
        request.isMaximum = isMaximum;
        const QImage image = caster.cast(request, {});
        const auto alphaAt = [&](Vec3 place) {
            return qAlpha(image.pixel(request.camera.viewPoint(place, request.size).toPoint()));
        };
        EXPECT_EQ(alphaAt({3, -5, 16}), 0);
        EXPECT_GT(alphaAt({3, -5, 6}), 200);
    }
}

}  // namespace
}  // namespace gantry
