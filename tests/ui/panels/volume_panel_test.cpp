#include "ui/panels/volume/volume_panel.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/image/slice_images.h"
#include "ui/models/text.h"
#include "ui/panels/volume/transfer_editor.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/folding_group.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

using test::waitUntil;

constexpr Index kCount = 32;
const VolumeGrid kCubeGrid{{kCount, kCount, kCount}, {3, 3, 3}, {0, 0, 0}};

class VolumePanelTest : public testing::Test {
  protected:
    VolumePanelTest() { test::show(panel, {900, 700}); }

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
    // The picture when it shows all that was set.
    QImage settled() {
        EXPECT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
        return picture();
    }
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

TEST_F(VolumePanelTest, CountsHaveNoUnit) {
    const auto hasUnit = [&] {
        for (const char* name : {"surfaceAttenuation", "pointValue"})
            for (const QLabel* label : panel.findChild<NumberField*>(name)->findChildren<QLabel*>())
                if (label->text() == "/mm") return true;
        return false;
    };
    openHead();
    EXPECT_TRUE(hasUnit());
    test::writeCounts(folder / "stack.mha", {16, 12, 9});
    document.open(toText(folder / "stack.mha"));
    ASSERT_TRUE(waitUntil([&] { return document.volume()->path == toText(folder / "stack.mha"); }));
    EXPECT_FALSE(hasUnit());
    ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    test::screenshots(panel, "volume-of-counts");
}

TEST_F(VolumePanelTest, TheModeIsChosen) {
    openHead();
    const QImage shaded = picture();
    auto* mode = panel.findChild<QComboBox*>("renderingMode");
    mode->setFocus();
    QTest::keyClick(mode, Qt::Key_Down);
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

TEST_F(VolumePanelTest, AMaterialIsChosenEditedAndUndone) {
    openHead();
    const QImage window = settled();
    auto* preset = panel.findChild<QComboBox*>("transferPreset");
    preset->setFocus();
    QTest::keyClick(preset, Qt::Key_Down);
    const QImage all = settled();
    EXPECT_GT(test::difference(all, window), 0.05);
    auto& editor = *panel.findChild<TransferEditor*>("transferEditor");
    editor.setFocus();
    QTest::keyClick(&editor, Qt::Key_PageUp);
    QTest::keyClick(&editor, Qt::Key_Delete);
    EXPECT_EQ(preset->currentIndex(), 5);  // points of the user's own
    EXPECT_GT(test::difference(settled(), all), 0.05);
    QTest::keyClick(&editor, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(settled(), all);
    QTest::keyClick(&editor, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(settled(), window);
    QTest::keyClick(&editor, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(settled(), all);
}

TEST_F(VolumePanelTest, AChosenPointIsTyped) {
    openHead();
    const QImage before = settled();
    auto& editor = *panel.findChild<TransferEditor*>("transferEditor");
    editor.setFocus();
    QTest::keyClick(&editor, Qt::Key_PageDown);
    auto* field = panel.findChild<NumberField*>("pointOpacity")->findChild<QLineEdit*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "40");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_DOUBLE_EQ(editor.transfer().points[1].opacity, 0.4);
    EXPECT_GT(test::difference(settled(), before), 0.02);
}

// With points of one's own the right button moves these; the window of the slices stays.
TEST_F(VolumePanelTest, ARightDragMovesOwnPointsAsOneStep) {
    openHead();
    auto* preset = panel.findChild<QComboBox*>("transferPreset");
    preset->setFocus();
    QTest::keyClick(preset, Qt::Key_Down);
    const QImage before = settled();
    const GreyWindow window = document.window();
    test::drag(rendering(), {100, 100}, {160, 60}, Qt::RightButton);
    EXPECT_EQ(document.window(), window);
    EXPECT_GT(test::difference(settled(), before), 0.02);
    rendering().setFocus();
    QTest::keyClick(&rendering(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_LT(test::difference(settled(), before), 0.01);  // but for the edge that shows the focus
}

TEST_F(VolumePanelTest, IsClippedByBoxAndPlane) {
    openHead();
    const QImage whole = settled();
    QTest::mouseClick(panel.findChild<QWidget*>("clippingGroup")->findChild<QToolButton*>(),
                      Qt::LeftButton);
    auto* slider = panel.findChild<QSlider*>("boxHighZSlider");
    slider->setFocus();
    for (int i = 0; i < 5; ++i)
        QTest::keyClick(slider, Qt::Key_PageDown);
    EXPECT_TRUE(panel.findChild<QCheckBox*>("clipBox")->isChecked());
    EXPECT_NEAR(panel.findChild<NumberField*>("boxHighZ")->value(), 0, 0.2);  // a slider's step
    const QImage boxed = settled();
    EXPECT_GT(test::difference(boxed, whole), 0.05);
    QTest::mouseClick(panel.findChild<QCheckBox*>("clipBox"), Qt::LeftButton, {}, {8, 8});
    EXPECT_EQ(settled(), whole);
    QTest::mouseClick(panel.findChild<QCheckBox*>("clipPlane"), Qt::LeftButton, {}, {8, 8});
    const QImage cut = settled();
    EXPECT_GT(test::difference(cut, whole), 0.05);
    EXPECT_GT(test::difference(cut, boxed), 0.05);
}

TEST_F(VolumePanelTest, SlicesAndCrossHairAreShownInTheScene) {
    openHead();
    const QImage before = settled();
    QTest::mouseClick(panel.findChild<QWidget*>("slicesGroup")->findChild<QToolButton*>(),
                      Qt::LeftButton);
    QTest::mouseClick(panel.findChild<QCheckBox*>("sceneSliceX"), Qt::LeftButton, {}, {8, 8});
    const QImage sliced = settled();
    EXPECT_GT(test::difference(sliced, before), 0.05);
    workspace.selection().setCrossHairMm({30, 0, 0});
    const QImage moved = settled();
    EXPECT_GT(test::difference(moved, sliced), 0.05);
    QTest::mouseClick(panel.findChild<QCheckBox*>("sceneCrossHair"), Qt::LeftButton, {}, {8, 8});
    EXPECT_GT(test::difference(picture(), moved), 0.0005);
    // Dragged at its ring, it takes the slice along.
    const QPoint ring = rendering().camera().viewPoint({30, 0, 0}, rendering().size()).toPoint();
    test::drag(rendering(), ring, ring + QPoint(-40, -30));
    const Vec3 place = workspace.selection().crossHairMm();
    EXPECT_GT(place.z, 5);
    EXPECT_NE(place.x, 30);
    const QPointF now = rendering().camera().viewPoint(place, rendering().size());
    // To the nearest voxel, which is 3 mm.
    EXPECT_LT((now - QPointF(ring + QPoint(-40, -30))).manhattanLength(), 20);
}

TEST_F(VolumePanelTest, APictureAndATurntableAreSaved) {
    openHead();
    panel.findChild<FoldingGroup*>("picturesGroup")->unfold(true);
    const auto enter = [&](const char* dialogName, const QString& text) {
        auto* dialog = panel.findChild<QFileDialog*>(dialogName);
        ASSERT_NE(dialog, nullptr);
        auto* edit = dialog->findChild<QLineEdit*>("fileNameEdit");
        edit->setText(text);
        auto* buttons = dialog->findChild<QDialogButtonBox*>();
        for (const auto which : {QDialogButtonBox::Save, QDialogButtonBox::Open})
            if (buttons->button(which)) QTest::mouseClick(buttons->button(which), Qt::LeftButton);
    };
    auto* picture = panel.findChild<QPushButton*>("savePicture");
    auto* result = panel.findChild<QLabel*>("pictureResult");
    QTest::mouseClick(picture, Qt::LeftButton);
    enter("pictureSaveDialog", "head 1");
    ASSERT_TRUE(waitUntil([&] { return result->isVisible(); }));
    const QString saved = toText(folder / "head 1.png");
    EXPECT_TRUE(result->text().contains(saved)) << result->text().toStdString();
    EXPECT_EQ(QImage(saved).size(), rendering().size());

    auto* count = panel.findChild<NumberField*>("turntableCount")->findChild<QLineEdit*>();
    count->setFocus();
    count->selectAll();
    QTest::keyClicks(count, "3");
    QTest::keyClick(count, Qt::Key_Return);
    for (const char* name : {"volume 003.png", "volume-2 003.png"}) {  // nothing is replaced
        QTest::mouseClick(panel.findChild<QPushButton*>("saveTurntable"), Qt::LeftButton);
        enter("turntableFolderDialog", toText(folder.path()));
        ASSERT_TRUE(waitUntil([&] { return !QImage(toText(folder / name)).isNull(); })) << name;
        ASSERT_TRUE(waitUntil([&] { return result->isVisible(); }));
    }
}

TEST_F(VolumePanelTest, TheSettingsAreHidden) {
    openHead();
    auto* column = panel.findChild<QScrollArea*>("volumeSettingsColumn");
    EXPECT_TRUE(column->isVisible());
    QTest::mouseClick(panel.findChild<QPushButton*>("volumeSettings"), Qt::LeftButton);
    EXPECT_FALSE(column->isVisible());
}

// More voxels than the processor renders at once: the whole of means, and the file's own voxels
// about the cross-hair, which show a wire of one voxel where the means do not. The view says what
// it shows, and in how much memory.
TEST_F(VolumePanelTest, TheFilesOwnVoxelsAreShownAboutTheCrossHair) {
    constexpr VolumeGrid kGrid{{190, 210, 170}, {0.1, 0.1, 0.1}, {1, -1, 0}};
    constexpr VoxelIndex kMiddle = {120, 100, 90};
    test::writeVolume(folder / "large.mha", kGrid, [&](Index x, Index y, Index z) {
        const bool isWire = std::abs(x - kMiddle[0]) <= 8 && y == kMiddle[1] && z == kMiddle[2];
        return isWire ? 1.0F : 0.0F;
    });
    document.open(toText(folder / "large.mha"));
    ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    document.setWindow({0.1, 0.3});
    panel.findChild<QComboBox*>("renderingMode")->setCurrentIndex(1);  // maximum
    const Vec3 place = kGrid.positionMm(120, 100, 90);
    workspace.selection().setCrossHairMm(place);
    const auto brightest = [&] {
        const QImage image = settled();
        const QPoint at = rendering().camera().viewPoint(place, rendering().size()).toPoint();
        int max = 0;
        for (int y = -4; y <= 4; ++y)
            for (int x = -4; x <= 4; ++x)
                max = std::max(max, qRed(image.pixel(at + QPoint(x, y))));
        return max;
    };
    OrbitCamera camera = rendering().camera();
    camera.focusMm = place;
    camera.zoom = 4;
    rendering().look(camera);
    EXPECT_GT(brightest(), 120);
    auto shown = rendering().shownVoxels();
    ASSERT_TRUE(shown.has_value());
    EXPECT_NEAR(shown->wholeMm, 0.2, 1e-9);
    EXPECT_NEAR(shown->finestMm, 0.1, 1e-9);
    EXPECT_LE(shown->bytes, shown->maxBytes);
    test::screenshots(panel, "volume-finer");
    // From afar, where a pixel is as wide as the means, these are enough.
    camera.zoom = 0.1;
    rendering().look(camera);
    static_cast<void>(settled());
    EXPECT_NEAR(rendering().shownVoxels()->finestMm, 0.2, 1e-9);
}

using PicturesOfVolume = VolumePanelTest;

TEST_F(PicturesOfVolume, LookAsBefore) {
    panel.resize(1000, 800);
    openHead();
    for (FoldingGroup* group : panel.findChildren<FoldingGroup*>())
        group->unfold(true);
    for (const char* name : {"sceneSliceX", "sceneSliceZ", "sceneCrossHair", "clipPlane"})
        panel.findChild<QCheckBox*>(name)->setChecked(true);
    (void)settled();
    test::comparePictures(panel, "volume");
}

}  // namespace
}  // namespace gantry
