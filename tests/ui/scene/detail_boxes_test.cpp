#include "ui/scene/volume/detail_boxes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ui/scene/volume/voxel_ray.h"

namespace gantry {
namespace {

// 4000 × 3000 × 5000 voxels of 10 × 12 × 9 µm, off the centre, and every coarser level.
std::vector<VolumeGrid> levelsOf(int count) {
    const VolumeGrid own{{4000, 3000, 5000}, {0.010, 0.012, 0.009}, {3, -2, 5}};
    std::vector<VolumeGrid> levels;
    for (int i = 0; i < count; ++i)
        levels.push_back(coarsened(own, Index{1} << i));
    return levels;
}

DetailTarget targetOf(const VolumeGrid& whole, const Vec3& focus, double pixelMm) {
    return {focus, pixelMm, endsOf(whole)};
}

bool isWithin(const BoxEnds& inner, const BoxEnds& outer) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (inner.lowMm[axis] < outer.lowMm[axis] - 1e-9 ||
            inner.highMm[axis] > outer.highMm[axis] + 1e-9)
            return false;
    return true;
}

// Wherever one looks: each box lies within the one before, keeps to its size, and is of the next
// finer voxels; the last one holds the place, as far as it lies in the volume.
TEST(DetailBoxes, LieInOneAnotherAboutTheFocus) {
    const std::vector<VolumeGrid> levels = levelsOf(6);
    const VolumeGrid& shown = levels[4];
    std::mt19937 random(7);
    std::uniform_real_distribution<double> across(-0.6, 0.6);
    for (int i = 0; i < 200; ++i) {
        const auto at = [&](std::size_t axis) {
            return shown.centerMm[axis] +
                   across(random) * static_cast<double>(shown.voxels[axis]) * shown.pitchMm[axis];
        };
        const Vec3 focus{at(0), at(1), at(2)};
        const Index max = 20 + 13 * i % 300;
        const auto boxes = detailBoxes(levels, shown, targetOf(shown, focus, 0), max);
        ASSERT_EQ(boxes.size(), 4U);
        BoxEnds around = endsOf(shown);
        for (std::size_t k = 0; k < boxes.size(); ++k) {
            EXPECT_EQ(boxes[k].level, 3 - static_cast<Index>(k));
            for (const Index voxels : boxes[k].grid.voxels) {
                EXPECT_GE(voxels, 2);
                EXPECT_LE(voxels, max);
            }
            EXPECT_TRUE(isWithin(endsOf(boxes[k].grid), around));
            around = endsOf(boxes[k].grid);
        }
        const std::array<double, 3> place = axesOf(focus);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double slack = 32 * levels[0].pitchMm[axis];
            const double nearest =
                std::clamp(place[axis], endsOf(shown).lowMm[axis], endsOf(shown).highMm[axis]);
            EXPECT_GE(nearest, around.lowMm[axis] - slack);
            EXPECT_LE(nearest, around.highMm[axis] + slack);
        }
    }
}

// Voxels narrower than a pixel show nothing; neither do those that are shown already.
TEST(DetailBoxes, AreAsFineAsTheScreen) {
    const std::vector<VolumeGrid> levels = levelsOf(6);
    const Vec3 focus{3, -2, 5};
    const auto finest = [&](double pixelMm, const VolumeGrid& shown) {
        const auto boxes = detailBoxes(levels, shown, targetOf(shown, focus, pixelMm), 100);
        return boxes.empty() ? Index{-1} : boxes.back().level;
    };
    EXPECT_EQ(finest(0.001, levels[5]), 0);
    EXPECT_EQ(finest(0.013, levels[5]), 0);
    EXPECT_EQ(finest(0.025, levels[5]), 1);
    EXPECT_EQ(finest(0.2, levels[5]), 4);
    EXPECT_EQ(finest(10, levels[5]), -1);
    EXPECT_EQ(finest(0.001, levels[0]), -1);
}

// Where all that is left by clipping fits in a box, coarser ones around it are not read.
TEST(DetailBoxes, HoldNoMoreThanIsLeftByClipping) {
    const std::vector<VolumeGrid> levels = levelsOf(6);
    const VolumeGrid& shown = levels[5];
    DetailTarget target = targetOf(shown, {100, 100, 100}, 0);
    const std::vector<HalfSpace> clips = {{{2.5, 0, 0}, {2, 0, 0}},  {{3.5, 0, 0}, {-1, 0, 0}},
                                          {{0, -2.4, 0}, {0, 1, 0}}, {{0, -2, 0}, {0, -1, 0}},
                                          {{0, 0, 5.1}, {0, 0, 3}},  {{0, 0, 5.8}, {0, 0, -1}},
                                          {{3, -2, 5}, {1, 1, 0}}};
    clipEnds(target.inside, clips);
    EXPECT_EQ(target.inside.lowMm, (std::array<double, 3>{2.5, -2.4, 5.1}));
    EXPECT_EQ(target.inside.highMm, (std::array<double, 3>{3.5, -2, 5.8}));
    const auto boxes = detailBoxes(levels, shown, target, 110);
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_EQ(boxes[0].level, 0);
    EXPECT_NEAR(static_cast<double>(boxes[0].grid.voxels[0]), 100, 1);
    EXPECT_TRUE(isWithin(endsOf(boxes[0].grid), target.inside));
    const auto nested = detailBoxes(levels, shown, target, 60);
    ASSERT_EQ(nested.size(), 2U);
    EXPECT_EQ(nested[0].level, 1);
    // Nothing is left.
    target.inside.highMm[1] = target.inside.lowMm[1];
    EXPECT_TRUE(detailBoxes(levels, shown, target, 110).empty());
}

// Along any line: each point belongs to the innermost box that holds it.
TEST(RayPieces, LeadThroughTheBoxesAndOutAgain) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> place(-10, 10);
    std::vector<BoxEnds> boxes;
    for (const double half : {6.0, 4.0, 1.5})
        boxes.push_back({{1 - half, -half, -half - 0.25}, {1 + half, half, half}});
    int deepest = 0;
    for (int i = 0; i < 500; ++i) {
        const Vec3 from{place(random), place(random), place(random)};
        const Vec3 to{place(random) / 3, place(random) / 3,
                      i % 5 == 0 ? from.z : place(random) / 3};
        const Vec3 along = (1 / length(to - from)) * (to - from);
        const ViewRay target{from, along};
        double before = 0;
        for (const RayPiece& piece : RayPieces(boxes, target, 30)) {
            EXPECT_EQ(piece.beginMm, before);
            before = piece.endMm;
            if (piece.endMm - piece.beginMm < 1e-6) continue;
            const Vec3 middle = from + 0.5 * (piece.beginMm + piece.endMm) * along;
            std::size_t innermost = 0;
            for (std::size_t k = 0; k < boxes.size(); ++k)
                if (isWithin({axesOf(middle), axesOf(middle)}, boxes[k])) innermost = k + 1;
            EXPECT_EQ(piece.box, innermost);
            deepest += piece.box == 3 ? 1 : 0;
        }
        EXPECT_EQ(before, 30);
    }
    EXPECT_GT(deepest, 20);
}

// What is drawn after a box lies on the eye's side of one of its faces, and nothing else does.
TEST(GpuRegions, BeforeABoxAreThoseOnTheEyesSideOfAFace) {
    const VolumeGrid box{{11, 21, 31}, {1, 1, 1}, {0, 0, 0}};
    EXPECT_EQ(regionsBefore(box, {0, 0, 0}), 0);
    const int above = regionsBefore(box, {0, 0, 100});
    EXPECT_EQ(above, 0x1ff << 18);
    const int corner = regionsBefore(box, {-100, -100, -100});
    EXPECT_EQ(kAround & ~corner,
              (1 << 26) | (1 << 25) | (1 << 23) | (1 << 22) | (1 << 17) | (1 << 16) | (1 << 14));
    EXPECT_EQ(kAround & (1 << 13), 0);
}

}  // namespace
}  // namespace gantry
