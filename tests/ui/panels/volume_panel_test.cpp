#include "ui/panels/volume/volume_panel.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QPushButton>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/text.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/histogram_view.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

using test::waitUntil;

constexpr Index kCount = 32;
const VolumeGrid kCubeGrid{{kCount, kCount, kCount}, {3, 3, 3}, {0, 0, 0}};

class VolumePanelTest : public testing::Test {
  protected:
    VolumePanelTest() { test::show(panel, {700, 600}); }

    void openHead() {
        const Phantom phantom = makePhantom("shepp-logan-toft", {45, {}, 0.02});
        std::vector<float> head(static_cast<std::size_t>(kCubeGrid.count()));
        voxelisePhantom(phantom, kCubeGrid, {0, kCount}, 2, 2,
                        {head.data(), kCount, kCount, kCount});
        open([&](Index x, Index y, Index z) {
            return head[static_cast<std::size_t>((z * kCount + y) * kCount + x)];
        });
    }
    void open(const std::function<float(Index, Index, Index)>& voxel) {
        test::writeVolume(folder / "volume.mha", kCubeGrid, voxel);
        const auto before = document.volume();
        document.open(toText(folder / "volume.mha"));
        ASSERT_TRUE(waitUntil([&] { return document.volume() && document.volume() != before; }));
        ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    }
    VolumeRendering& rendering() { return *panel.findChild<VolumeRendering*>("volumeRendering"); }
    HistogramView& histogram() { return *panel.findChild<HistogramView*>("volumeHistogram"); }
    QImage picture() { return rendering().grab().toImage(); }
    static int greysIn(const QImage& image) {
        std::set<QRgb> colours;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                colours.insert(image.pixel(x, y));
        return static_cast<int>(colours.size());
    }

    test::TemporaryFolder folder;
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    VolumeDocument& document = workspace.volume();
    VolumePanel panel{workspace};
};

TEST_F(VolumePanelTest, WithoutAVolumeThereIsASentence) {
    EXPECT_FALSE(rendering().isVisible());
    openHead();
    EXPECT_TRUE(rendering().isVisible());
    document.close();
    EXPECT_TRUE(waitUntil([&] { return !rendering().isVisible(); }));
}

TEST_F(VolumePanelTest, AnOpenedVolumeIsRendered) {
    openHead();
    EXPECT_GT(greysIn(picture()), 100);
}

TEST_F(VolumePanelTest, TheLookIsChosen) {
    openHead();
    const QImage shaded = picture();
    auto* look = panel.findChild<QComboBox*>("volumeLook");
    look->setFocus();
    QTest::keyClick(look, Qt::Key_Down);
    ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    EXPECT_NE(picture(), shaded);
}

TEST_F(VolumePanelTest, TheWindowIsSharedBothWays) {
    openHead();
    const GreyWindow before = document.window();
    test::drag(rendering(), {100, 100}, {160, 120}, Qt::RightButton);
    EXPECT_NE(document.window(), before);
    QTest::mouseDClick(&histogram(), Qt::LeftButton, {}, histogram().rect().center());
    EXPECT_EQ(document.window(), before);

    ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    const QImage picturedBefore = picture();
    document.setWindow({before.black, before.white / 3});
    ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    EXPECT_NE(picture(), picturedBefore);
}

TEST_F(VolumePanelTest, TheCameraComesBack) {
    openHead();
    const QImage before = picture();
    test::drag(rendering(), {100, 100}, {200, 140});
    ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    EXPECT_NE(picture(), before);
    QTest::mouseClick(panel.findChild<QPushButton*>("resetView"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    EXPECT_EQ(picture(), before);
}

TEST_F(VolumePanelTest, VolumesWithoutANumberAreSurvived) {
    open([](Index, Index, Index) { return std::nanf(""); });
    open([](Index, Index, Index) { return 0.02F; });
}

TEST_F(VolumePanelTest, IsLegibleDarkAndLight) {
    openHead();
    test::screenshots(panel, "volume-panel");
}

}  // namespace
}  // namespace gantry
