// The slab of the slices panel (several slices shown as one), and its scale bars.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QTest>

#include "tests/ui/panels/slices_fixture.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

using SlicesSlabTest = test::SlicesPanelFixture;

TEST_F(SlicesSlabTest, ASlabIsChosenByKeyboardAndFollowsTheCrosshair) {
    openVolume();
    auto& kind = find<QComboBox>("slabKind");
    auto& thickness = find<NumberField>("slabThickness");
    EXPECT_FALSE(thickness.isVisible());
    QTest::keyClick(&panel, Qt::Key_S, Qt::AltModifier);
    ASSERT_TRUE(kind.hasFocus());
    QTest::keyClick(&kind, Qt::Key_Down);  // mean
    ASSERT_TRUE(thickness.isVisible());
    EXPECT_DOUBLE_EQ(thickness.value(), 5);  // ten of the thinnest slices
    auto* edit = thickness.findChild<QLineEdit*>();
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, "2.5");
    QTest::keyClick(edit, Qt::Key_Return);
    // Two of z: 4 and 5; five of y: 6 to 10; five of x: 8 to 12.
    EXPECT_EQ(axial->image().at(4, 3), (test::numbered(4, 3, 4) + test::numbered(4, 3, 5)) / 2);
    EXPECT_EQ(coronal->image().at(4, 3), test::numbered(4, 8, 3));
    EXPECT_EQ(sagittal->image().at(4, 3), test::numbered(10, 4, 3));
    EXPECT_EQ(axial->corner(), QStringLiteral("z 5 of 0–10, 5.0 mm\nmean of 2 slices, 2.5 mm"));
    EXPECT_EQ(sagittal->corner().section('\n', 1), "mean of 5 slices, 2.5 mm");

    kind.setFocus();
    QTest::keyClick(&kind, Qt::Key_Down);  // maximum
    EXPECT_EQ(sagittal->image().at(4, 3), test::numbered(12, 4, 3));
    test::wheel(*sagittal, {50, 50}, 100);  // to the volume's end, where the slab is thinner
    EXPECT_EQ(sagittal->image().at(4, 3), test::numbered(20, 4, 3));
    EXPECT_EQ(sagittal->corner().section('\n', 1), "maximum of 3 slices, 1.5 mm");
    QTest::keyClick(&kind, Qt::Key_Down);  // minimum
    EXPECT_EQ(sagittal->image().at(4, 3), test::numbered(18, 4, 3));
    QTest::keyClick(&kind, Qt::Key_Home);  // one slice
    EXPECT_EQ(sagittal->image().at(4, 3), test::numbered(20, 4, 3));
    EXPECT_FALSE(thickness.isVisible());
}

TEST_F(SlicesSlabTest, AThickSlabIsMadeInTheBackgroundAsTheLastChoiceHasIt) {
    const VolumeGrid large{{160, 160, 160}, {1, 1, 1}, {}};
    openVolume(large, [](Index x, Index y, Index z) { return static_cast<float>(x + y + z); });
    auto& thickness = find<NumberField>("slabThickness");
    auto& kind = find<QComboBox>("slabKind");
    kind.setCurrentText("Maximum");
    auto* edit = thickness.findChild<QLineEdit*>();
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, "160");
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_FALSE(axial->corner().contains("160 slices"));  // not yet
    kind.setFocus();
    QTest::keyClick(&kind, Qt::Key_End);  // minimum; what was under way is dropped
    ASSERT_TRUE(test::waitUntil([&] { return axial->corner().contains("of 160 slices, 160 mm"); }));
    EXPECT_TRUE(axial->corner().contains("minimum")) << axial->corner().toStdString();
    EXPECT_EQ(axial->image().at(3, 4), 7);
}

TEST_F(SlicesSlabTest, TheScaleBarCanBeHidden) {
    openVolume();
    const auto picture = [&] { return axial->grab().toImage(); };
    const QImage with = picture();
    QTest::keyClick(&panel, Qt::Key_B, Qt::AltModifier);
    EXPECT_TRUE(test::waitUntil([&] { return picture() != with; }));
    QTest::keyClick(&panel, Qt::Key_B, Qt::AltModifier);
    EXPECT_TRUE(test::waitUntil([&] { return picture() == with; }));
}

}  // namespace
}  // namespace gantry
