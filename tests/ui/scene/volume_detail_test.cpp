#include "ui/scene/volume/volume_detail.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "core/base/error.h"
#include "tests/ui/support/ui_test.h"
#include "ui/scene/volume/volume_overlay.h"
#include "ui/scene/volume/volume_rendering.h"

namespace gantry {
namespace {

using test::waitUntil;

// 2000³ voxels of 10 µm whose values are their places, and every coarser level; some of them are
// damaged.
class PlaceLevels final : public VolumeLevels {
  public:
    PlaceLevels() {
        const VolumeGrid own{{2000, 2000, 2000}, {0.01, 0.01, 0.01}, {1, 2, 3}};
        for (const Index step : {1, 2, 4, 8, 16})
            m_grids.push_back(coarsened(own, step));
    }
    [[nodiscard]] const std::vector<VolumeGrid>& grids() const override { return m_grids; }
    static float at(const Vec3& place) {
        return static_cast<float>(0.01 * (100 + place.x + 2 * place.y + 3 * place.z));
    }

    mutable std::atomic<Index> maxLevel = -1;
    mutable std::atomic<Index> voxelsRead = 0;
    Index damagedLevel = -1;

  private:
    [[nodiscard]] std::array<Index, 3> pieceVoxels(Index) const override { return {16, 16, 16}; }
    void readBox(Index level, const VoxelBox& box, Span3<float> voxels, int) const override {
        if (level == damagedLevel && box.x.contains(1000) && box.y.contains(1000) &&
            box.z.contains(1000))
            throw InputError("chunk 62.62.62 is damaged");
        voxelsRead += box.x.size() * box.y.size() * box.z.size();
        const VolumeGrid& grid = m_grids[static_cast<std::size_t>(level)];
        for (Index z = 0; z < box.z.size(); ++z)
            for (Index y = 0; y < box.y.size(); ++y)
                for (Index x = 0; x < box.x.size(); ++x)
                    voxels.row(z, y)[x] = at(grid.positionMm(static_cast<double>(box.x.begin + x),
                                                             static_cast<double>(box.y.begin + y),
                                                             static_cast<double>(box.z.begin + z)));
    }
    std::vector<VolumeGrid> m_grids;
};

class VolumeDetailTest : public testing::Test {
  protected:
    VolumeDetailTest() {
        QObject::connect(&detail, &VolumeDetail::changed, &detail, [this] { ++changes; });
        detail.setVolume(levels, levels->grids()[4], budget);
    }
    bool isComplete() {
        return waitUntil([&] { return detail.isComplete(); });
    }
    DetailTarget targetAt(const Vec3& focus, double pixelMm = 0) {
        return {focus, pixelMm, endsOf(levels->grids()[4])};
    }

    std::shared_ptr<PlaceLevels> levels = std::make_shared<PlaceLevels>();
    RenderBudget budget{100, 40, 2, Index{1} << 20};
    VolumeDetail detail;
    int changes = 0;
};

// The voxels are those of the file at their places, coded in 16 bits.
TEST_F(VolumeDetailTest, ReadsTheFilesVoxelsAboutThePlace) {
    detail.want(targetAt({1, 2, 3}));
    EXPECT_FALSE(detail.isComplete());
    ASSERT_TRUE(isComplete());
    ASSERT_EQ(detail.boxes().size(), 4U);
    EXPECT_GE(changes, 4);  // one by one
    double pitch = 0.16;
    for (const auto& box : detail.boxes()) {
        pitch /= 2;
        EXPECT_NEAR(box->grid.pitchMm[0], pitch, 1e-12);
        EXPECT_EQ(box->grid.voxels, (std::array<Index, 3>{40, 40, 40}));
        for (const Index i : {0, 7, 39}) {
            const auto voxel = static_cast<double>(i);
            const Vec3 place = box->grid.positionMm(voxel, 39 - voxel, voxel);
            const auto code = box->voxels[static_cast<std::size_t>((i * 40 + 39 - i) * 40 + i)];
            EXPECT_NEAR(box->low + code * (box->high - box->low) / 65535,
                        static_cast<double>(PlaceLevels::at(place)), 1e-5);
        }
    }
    EXPECT_TRUE(detail.problem().isEmpty());
}

// What is there is not read again, and stays on the screen until all of the new place is there.
TEST_F(VolumeDetailTest, MovesWithThePlace) {
    detail.want(targetAt({1, 2, 3}));
    ASSERT_TRUE(isComplete());
    const auto before = detail.boxes();
    const Index read = levels->voxelsRead;
    detail.want(targetAt({1.005, 2, 3}));  // half a voxel of the finest on
    ASSERT_TRUE(isComplete());
    EXPECT_LT(levels->voxelsRead - read, 3 * 40 * 40 * 40);
    detail.want(targetAt({3, 3, 3}));
    waitUntil([&] { return levels->voxelsRead > read + 50; });
    EXPECT_EQ(detail.boxes().size(), 4U);
    ASSERT_TRUE(isComplete());
    EXPECT_NE(detail.boxes().back(), before.back());
    EXPECT_NEAR(detail.boxes().back()->grid.centerMm[0], 3, 0.02);
    // Seen from afar, coarser ones are enough.
    detail.want(targetAt({3, 3, 3}, 0.04));
    ASSERT_TRUE(isComplete());
    EXPECT_EQ(detail.boxes().size(), 2U);
    detail.setVolume(nullptr, {}, budget);
    detail.want(targetAt({1, 2, 3}));
    EXPECT_TRUE(detail.isComplete());
    EXPECT_TRUE(detail.boxes().empty());
}

TEST_F(VolumeDetailTest, KeepsToItsMemory) {
    budget.boxBytes = 4 * 2 * 20 * 20 * 20;
    detail.setVolume(levels, levels->grids()[4], budget);
    detail.want(targetAt({1, 2, 3}));
    ASSERT_TRUE(isComplete());
    Index bytes = 0;
    for (const auto& box : detail.boxes())
        bytes += std::ssize(box->voxels) * 2;
    EXPECT_EQ(detail.boxes().size(), 4U);
    EXPECT_LE(bytes, budget.boxBytes);
    EXPECT_GT(bytes, budget.boxBytes / 2);
}

// A damaged chunk is clear, and hides nothing else.
TEST_F(VolumeDetailTest, ADamagedChunkHidesNoOther) {
    levels->damagedLevel = 0;
    detail.want(targetAt({1, 2, 3}));
    ASSERT_TRUE(isComplete());
    ASSERT_EQ(detail.boxes().size(), 4U);
    const ReducedVolume& finest = *detail.boxes().back();
    const auto clear = std::ranges::count(finest.voxels, 0);
    EXPECT_GT(clear, 0);
    EXPECT_LT(clear, finest.grid.count() / 2);
}

// In the view: finer voxels come by themselves where one looks, and the view says which it shows.
TEST(VolumeDetailView, FinerVoxelsComeAndAreTold) {
    const auto levels = std::make_shared<PlaceLevels>();
    const VolumeGrid& shown = levels->grids()[4];
    const auto voxels =
        std::make_shared<std::vector<float>>(static_cast<std::size_t>(shown.count()));
    const auto [nX, nY, nZ] = shown.voxels;
    levels->read(4, {{0, nX}, {0, nY}, {0, nZ}}, {voxels->data(), nZ, nY, nX}, 2);
    VolumeRendering view;
    view.setVolume(shown, voxels, *voxels, levels);
    view.setWindow({0.9, 1.3});
    test::show(view, {160, 130});
    const auto isFinished = [&] { return waitUntil([&] { return view.isFinished(); }); };
    ASSERT_TRUE(isFinished());
    ASSERT_TRUE(view.shownVoxels().has_value());
    EXPECT_NEAR(view.shownVoxels()->wholeMm, 0.16, 1e-9);
    EXPECT_NEAR(view.shownVoxels()->ownMm, 0.01, 1e-9);
    OrbitCamera near = view.camera();
    near.zoom = 20;
    view.look(near);
    ASSERT_TRUE(isFinished());
    const auto told = view.shownVoxels();
    EXPECT_NEAR(told->finestMm, 0.01, 1e-9);
    EXPECT_GT(told->bytes, 0);
    EXPECT_LE(told->bytes, told->maxBytes);
    const std::string text = voxelsText(*told).join("; ").toStdString();
    EXPECT_NE(text.find("0.16 mm (1/16 of the resolution)"), std::string::npos) << text;
    EXPECT_NE(text.find("the finest of 10 µm (full resolution)"), std::string::npos) << text;
    EXPECT_NE(text.find("MB of memory"), std::string::npos) << text;
    // Where the place is out of view, the view's middle has them.
    const Index before = levels->voxelsRead;
    view.setFinestAt({-8, 9, 10});
    ASSERT_TRUE(isFinished());
    EXPECT_EQ(levels->voxelsRead, before);
    view.clear();
    EXPECT_FALSE(view.shownVoxels().has_value());
}

}  // namespace
}  // namespace gantry
