#include "ui/scene/volume/visible_box.h"

#include <gtest/gtest.h>

#include <random>

namespace gantry {
namespace {

// Random matter of 0.01 to 0.02/mm in a box of voxels, in a volume that is odd and off the centre.
struct Piece {
    explicit Piece(unsigned seed, double outside = 0) {
        std::mt19937 random(seed);
        const auto within = [&](Index low, Index high) {
            return std::uniform_int_distribution<Index>(low, high)(random);
        };
        grid = {{within(30, 90), within(30, 90), within(30, 90)}, {0.7, 1.1, 0.9}, {13, -8, 5}};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            first[axis] = within(0, grid.voxels[axis] - 5);
            last[axis] = within(first[axis], grid.voxels[axis] - 1);
        }
        std::uniform_real_distribution<float> matter(0.01F, 0.02F);
        for (Index z = 0; z < grid.voxels[2]; ++z)
            for (Index y = 0; y < grid.voxels[1]; ++y)
                for (Index x = 0; x < grid.voxels[0]; ++x)
                    voxels.push_back(holds(x, 0) && holds(y, 1) && holds(z, 2)
                                         ? matter(random)
                                         : static_cast<float>(outside));
        const Index max = *std::max_element(grid.voxels.begin(), grid.voxels.end());
        reduced = reducedVolume(grid, voxels, max);
        request.transfer.points = {{0.004, 0, qRgb(255, 0, 0)}, {0.01, 0.2, qRgb(255, 0, 0)}};
        request.window = {0.004, 0.02};
    }
    [[nodiscard]] bool holds(Index i, std::size_t axis) const {
        return first[axis] <= i && i <= last[axis];
    }

    VolumeGrid grid;
    std::array<Index, 3> first{};
    std::array<Index, 3> last{};
    std::vector<float> voxels;
    ReducedVolume reduced;
    RayCastRequest request;
};

TEST(VisibleBox, HoldsAllMatterAndLittleMore) {
    constexpr double kBrick = 16;
    for (unsigned seed = 0; seed < 30; ++seed) {
        Piece piece(seed);
        for (const bool isMaximum : {false, true}) {
            piece.request.isMaximum = isMaximum;
            const auto box = BrickCodes(piece.reduced).visibleBox(piece.reduced, piece.request);
            ASSERT_TRUE(box) << seed;
            const auto ends = endsOf(piece.grid);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double pitch = piece.grid.pitchMm[axis];
                // Blended with its neighbours, a voxel is seen up to their centres.
                const double low =
                    ends.lowMm[axis] + pitch * static_cast<double>(piece.first[axis] - 1);
                const double high =
                    ends.lowMm[axis] + pitch * static_cast<double>(piece.last[axis] + 1);
                EXPECT_LE(box->lowMm[axis], std::max(low, ends.lowMm[axis]) + 1e-9) << seed;
                EXPECT_GE(box->highMm[axis], std::min(high, ends.highMm[axis]) - 1e-9) << seed;
                EXPECT_GE(box->lowMm[axis], low - pitch * kBrick - 1e-9) << seed;
                EXPECT_LE(box->highMm[axis], high + pitch * kBrick + 1e-9) << seed;
            }
        }
    }
}

TEST(VisibleBox, IsWholeWhereAirIsSeenAndNoneWhereNothingIs) {
    Piece piece(3);
    const BrickCodes bricks(piece.reduced);
    piece.request.transfer.points = {{-0.01, 0.1, qRgb(0, 0, 255)}, {0.002, 0, qRgb(0, 0, 255)}};
    EXPECT_EQ(bricks.visibleBox(piece.reduced, piece.request), endsOf(piece.grid));
    piece.request.transfer.points = {{0.05, 0, qRgb(0, 0, 255)}, {0.06, 1, qRgb(0, 0, 255)}};
    EXPECT_FALSE(bricks.visibleBox(piece.reduced, piece.request));
}

// Neither air nor matter is seen, but what lies between them where they blend.
TEST(VisibleBox, HoldsWhatIsSeenOnlyBetweenTheLeastAndTheLargest) {
    Piece piece(5);
    piece.request.transfer.points = {
        {0.002, 0, qRgb(0, 0, 255)}, {0.005, 0.3, qRgb(0, 0, 255)}, {0.008, 0, qRgb(0, 0, 255)}};
    const auto box = BrickCodes(piece.reduced).visibleBox(piece.reduced, piece.request);
    ASSERT_TRUE(box);
    EXPECT_LT(box->lowMm[0], box->highMm[0]);
}

TEST(VisibleBox, ClipsAreAtMostItsFacesAndTheObliqueOnes) {
    const BoxEnds box{{-3, -4, -5}, {6, 7, 8}};
    const std::vector<HalfSpace> clips = {
        {{1, 0, 0}, {2, 0, 0}}, {{0, 9, 0}, {0, -1, 0}}, {{5, -5, 0}, {1, 2, 0}}};
    const std::vector<HalfSpace> all = clipsWithin(box, clips);
    ASSERT_EQ(all.size(), 7U);
    EXPECT_EQ(all[0], (HalfSpace{{1, -4, -5}, {1, 0, 0}}));  // the tighter of two
    EXPECT_EQ(all[3], (HalfSpace{{6, 7, 8}, {0, -1, 0}}));
    EXPECT_EQ(all[6], clips[2]);
}

}  // namespace
}  // namespace gantry
