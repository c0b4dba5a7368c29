#include "ui/panels/volume/surface_group.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSlider>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/text.h"
#include "ui/panels/volume/transfer_editor.h"
#include "ui/panels/volume/volume_panel.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

using test::waitUntil;

// A ball of 9 mm, 0.04 /mm, with a blurred edge, in 40³ voxels of 0.5 mm.
class SurfaceGroupTest : public testing::Test {
  protected:
    SurfaceGroupTest() {
        test::show(panel, {1000, 800});
        test::writeVolume(folder / "ball.mha", grid, [](Index x, Index y, Index z) {
            const auto from = [](Index i) { return 0.5 * (static_cast<double>(i) - 19.5); };
            const double inside = 9 - std::hypot(from(x), from(y), from(z));
            return static_cast<float>(std::clamp(0.02 * (1 + inside), 0.0, 0.04));
        });
        document.open(toText(folder / "ball.mha"));
        EXPECT_TRUE(waitUntil([&] { return document.volume() && rendering().isFinished(); }));
    }
    void showSurface() {
        panel.findChild<QComboBox*>("renderingMode")->setCurrentIndex(2);
        ASSERT_TRUE(waitUntil([&] { return result().contains("mm³"); })) << result().toStdString();
        ASSERT_TRUE(waitUntil([&] { return rendering().isFinished(); }));
    }
    VolumeRendering& rendering() { return *panel.findChild<VolumeRendering*>("volumeRendering"); }
    QString result() { return panel.findChild<QLabel*>("surfaceResult")->text(); }
    NumberField& attenuation() { return *panel.findChild<NumberField*>("surfaceAttenuation"); }
    // The number between two words of the result.
    double told(const QString& before, const QString& after) {
        const QString text = result();
        const auto from = text.lastIndexOf(before) + before.size();
        return text.mid(from, text.indexOf(after, from) - from).toDouble();
    }
    void type(const QString& text) {
        auto* edit = attenuation().findChild<QLineEdit*>();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }

    const VolumeGrid grid{{40, 40, 40}, {0.5, 0.5, 0.5}, {0, 0, 0}};
    test::TemporaryFolder folder;
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    VolumeDocument& document = workspace.volume();
    VolumePanel panel{workspace};
};

TEST_F(SurfaceGroupTest, ABallIsShownAndMeasured) {
    const QImage voxels = rendering().grab().toImage();
    showSurface();
    EXPECT_NE(rendering().grab().toImage(), voxels);
    test::screenshots(panel, "volume-isosurface");
    // Otsu's threshold lies anywhere between the two kinds of voxels: to 0.5 mm of the radius.
    EXPECT_NEAR(told("volume ", " mm³"), 3053.6, 0.17 * 3053.6);
    EXPECT_NEAR(told("Area ", " mm²"), 1017.9, 0.12 * 1017.9);
}

// Shaded, the picture would be the same at any attenuation.
TEST_F(SurfaceGroupTest, ItsAttenuationIsSetOnlyWhileTheSurfaceIsShown) {
    panel.findChild<QWidget*>("surfaceGroup")->findChild<QAbstractButton*>()->click();
    auto& slider = *panel.findChild<QSlider*>("surfaceAttenuationSlider");
    const double before = attenuation().value();
    QTest::mouseClick(&slider, Qt::LeftButton, {}, {1, slider.height() / 2});
    EXPECT_DOUBLE_EQ(attenuation().value(), before);
    EXPECT_FALSE(attenuation().isEnabled());
    auto& part = *slider.parentWidget();
    EXPECT_TRUE(part.toolTip().contains("Choose Isosurface")) << part.toolTip().toStdString();
    showSurface();
    EXPECT_TRUE(attenuation().isEnabled());
    EXPECT_FALSE(part.toolTip().contains("Choose"));
    QTest::mouseClick(&slider, Qt::LeftButton, {}, {1, slider.height() / 2});
    EXPECT_NE(attenuation().value(), before);
}

TEST_F(SurfaceGroupTest, FollowsTheAttenuationThatIsTypedAndItIsUndone) {
    showSurface();
    const double automatic = attenuation().value();
    const auto isVolume = [&](double radiusMm) {
        const double volume = 4.0 / 3 * 3.14159265 * radiusMm * radiusMm * radiusMm;
        // Chords: (0.5 mm)²/(8·9 mm) of the radius, thrice, and the codes' steps.
        return std::abs(told("volume ", " mm³") - volume) < 0.01 * volume;
    };
    type("0.02");
    EXPECT_TRUE(waitUntil([&] { return isVolume(9); })) << result().toStdString();
    type("0.03");
    EXPECT_TRUE(waitUntil([&] { return isVolume(8.5); })) << result().toStdString();
    QTest::keyClick(&panel, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_DOUBLE_EQ(attenuation().value(), 0.02);
    EXPECT_TRUE(waitUntil([&] { return isVolume(9); }));
    QTest::keyClick(&panel, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_DOUBLE_EQ(attenuation().value(), automatic);
}

TEST_F(SurfaceGroupTest, ItsLevelIsDraggedInTheHistogram) {
    auto& editor = *panel.findChild<TransferEditor*>("transferEditor");
    showSurface();
    const auto lineAt = [&](double level) { return editor.placeOf({level, 0.6, 0}).toPoint(); };
    test::drag(editor, lineAt(attenuation().value()), lineAt(0.03));
    EXPECT_NEAR(attenuation().value(), 0.03, 0.04 / 150);  // a pixel of the histogram
    EXPECT_TRUE(waitUntil([&] { return told("volume ", " mm³") < 2700; }))
        << result().toStdString();
    test::screenshots(panel, "volume-isosurface-level");
    const double dragged = attenuation().value();
    editor.setFocus();
    QTest::keyClick(&editor, Qt::Key_Left);
    EXPECT_LT(attenuation().value(), dragged);
    QTest::keyClick(&editor, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_DOUBLE_EQ(attenuation().value(), dragged);
}

TEST_F(SurfaceGroupTest, TellsHowFarItIsAndCanBeCancelled) {
    const VolumeGrid large{{300, 300, 300}, {0.1, 0.1, 0.1}, {}};
    test::writeVolume(folder / "large.mha", large, [](Index x, Index y, Index z) {
        return (x / 3 + y / 3 + z / 3) % 2 == 0 ? 0.02F : 0.0F;  // surface everywhere
    });
    const auto before = document.volume();
    document.open(toText(folder / "large.mha"));
    ASSERT_TRUE(waitUntil([&] { return document.volume() != before; }));
    panel.findChild<QComboBox*>("renderingMode")->setCurrentIndex(2);
    auto* progress = panel.findChild<QProgressBar*>("surfaceProgress");
    ASSERT_TRUE(waitUntil([&] { return progress->isVisible() && progress->value() > 0; }));
    EXPECT_EQ(progress->maximum(), 100);
    QTest::mouseClick(panel.findChild<QPushButton*>("cancelSurface"), Qt::LeftButton);
    EXPECT_TRUE(result().contains("cancelled")) << result().toStdString();
    EXPECT_TRUE(waitUntil([&] { return !progress->isVisible(); }));
}

TEST_F(SurfaceGroupTest, NothingMovesUnderThePointerWhileItIsMade) {
    panel.findChild<QWidget*>("surfaceGroup")->findChild<QAbstractButton*>()->click();
    auto* next = panel.findChild<QWidget*>("picturesGroup");
    auto* save = panel.findChild<QPushButton*>("saveSurface");
    auto* progress = panel.findChild<QProgressBar*>("surfaceProgress");
    test::pass(0);
    const auto places = [&] {
        return std::array{save->mapTo(&panel, QPoint()), next->mapTo(&panel, QPoint())};
    };
    const auto before = places();
    ASSERT_FALSE(progress->isVisible());
    panel.findChild<QComboBox*>("renderingMode")->setCurrentIndex(2);
    ASSERT_TRUE(waitUntil([&] { return progress->isVisible() || result().contains("mm³"); }));
    test::pass(0);
    EXPECT_EQ(places(), before) << "while it is made";
    ASSERT_TRUE(waitUntil([&] { return result().contains("mm³"); }));
    test::pass(0);
    EXPECT_EQ(places(), before) << "when it is made";
    test::screenshots(panel, "volume-isosurface-settings");
}

TEST_F(SurfaceGroupTest, NoTimerRunsOnOnceTheSurfaceIsMade) {
    const auto* group = panel.findChild<SurfaceGroup*>();
    const auto isTimed = [&] {
        const auto timers = group->findChildren<QTimer*>(QString(), Qt::FindDirectChildrenOnly);
        EXPECT_EQ(timers.size(), 2);
        return std::ranges::any_of(timers, [](const QTimer* each) { return each->isActive(); });
    };
    EXPECT_FALSE(isTimed()) << "shaded";
    showSurface();
    EXPECT_FALSE(isTimed()) << "made";
    type("0.03");
    EXPECT_TRUE(isTimed()) << "to be made";
    ASSERT_TRUE(
        waitUntil([&] { return result().contains("mm³") && told("volume ", " mm³") < 2700; }));
    EXPECT_FALSE(isTimed());
}

TEST_F(SurfaceGroupTest, IsSavedAsStl) {
    showSurface();
    QTest::mouseClick(panel.findChild<QPushButton*>("saveSurface"), Qt::LeftButton);
    auto* dialog = panel.window()->findChild<QFileDialog*>("surfaceSaveDialog");
    ASSERT_NE(dialog, nullptr);
    const auto path = folder / "Kugel groß 1.stl";
    emit dialog->fileSelected(toText(path));
    dialog->close();
    EXPECT_TRUE(waitUntil([&] { return result().contains("Saved"); })) << result().toStdString();
    EXPECT_TRUE(result().contains(toText(path)));
    EXPECT_EQ((std::filesystem::file_size(path) - 84) % 50, 0U);
    EXPECT_GT(std::filesystem::file_size(path), 50000U);
}

}  // namespace
}  // namespace gantry
