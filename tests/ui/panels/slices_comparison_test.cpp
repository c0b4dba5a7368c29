// Two volumes in the tab of slices.
#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include "core/report/compare_volumes.h"
#include "tests/ui/panels/slices_fixture.h"
#include "ui/models/image/projection_images.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

using test::kSlicesGrid;
using test::numbered;
using test::waitUntil;

float shifted(Index x, Index y, Index z) {
    return numbered(x, y, z) + (x == 4 && y == 6 && z == 2 ? 500.0F : static_cast<float>(x));
}

class SlicesComparisonTest : public test::SlicesPanelFixture {
  protected:
    void compareWith(const VolumeGrid& grid, const std::function<float(Index, Index, Index)>& voxel,
                     const char* name = "other ä.mha") {
        test::writeVolume(folder / name, grid, voxel);
        workspace.comparison().open(toText(folder / name));
        ASSERT_TRUE(waitUntil([this] { return workspace.comparison().figures().has_value(); }));
        ASSERT_TRUE(waitUntil([this] { return !view("Z", "A").image().isEmpty(); }));
    }
    ImageView& view(const char* axis, const char* which) {
        const std::string name = std::string("compared") + axis + which;
        return find<ImageView>(name.c_str());
    }
    void choose(int mode) { find<QComboBox>("comparisonMode").setCurrentIndex(mode); }
};

TEST_F(SlicesComparisonTest, BothAreSeenSideBySideAndMoveTogether) {
    openVolume();
    compareWith(kSlicesGrid, shifted);
    EXPECT_TRUE(view("Z", "B").isVisible());
    EXPECT_EQ(view("Z", "A").caption(), "A: volume.mha");
    EXPECT_EQ(view("Z", "B").caption(), "B: other ä.mha");
    const double a = valueAt(view("Z", "A").image(), {4, 3});
    EXPECT_EQ(valueAt(view("Z", "B").image(), {4, 3}), a + 4);
    // Zoomed in one, both are.
    test::wheel(view("Z", "A"), {60, 60}, 3, Qt::ControlModifier);
    const QPointF from = view("Z", "A").viewAt({0, 0});
    const QPointF to = view("Z", "A").viewAt({1, 0});
    EXPECT_NEAR(view("Z", "B").viewAt({1, 0}).x() - view("Z", "B").viewAt({0, 0}).x(),
                to.x() - from.x(), 1e-6);
    // The cross-hair is the window's.
    emit view("Z", "B").crosshairMoved({2, 3});
    EXPECT_NEAR(workspace.selection().crossHairMm().x, kSlicesGrid.positionMm(2, 3, 0).x, 1e-9);
    test::screenshots(panel, "slices-compared");
}

TEST_F(SlicesComparisonTest, TheDifferenceIsAboutZeroAndItsFiguresAreTheCommands) {
    openVolume();
    compareWith(kSlicesGrid, shifted);
    choose(2);
    EXPECT_FALSE(view("Z", "B").isVisible());
    EXPECT_TRUE(view("Z", "A").image().isDifference);
    EXPECT_EQ(valueAt(view("Z", "A").image(), {4, 3}), -4);
    EXPECT_DOUBLE_EQ(view("Z", "A").window().black, -view("Z", "A").window().white);
    // Dragged wherever, it stays about zero.
    emit view("Z", "A").windowEdited({-10, 70});
    EXPECT_EQ(find<NumberField>("differenceReach").value(), 40);
    EXPECT_EQ(view("X", "A").window(), (GreyWindow{-40, 40}));
    const VolumeComparison command = compareVolumes(readVolume(folder / "volume.mha"),
                                                    readVolume(folder / "other ä.mha"), {}, 2);
    const QString text = find<QLabel>("comparisonFigures").text();
    for (const auto& row : errorTable(command.error))
        EXPECT_TRUE(row[0] == "Error" ||
                    text.contains(QString::fromStdString(row[0] + "  " + row[1])))
            << row[0];
    EXPECT_TRUE(text.contains("gantry compare"));
    QTest::mouseClick(&find<QPushButton>("goToLargest"), Qt::LeftButton);
    EXPECT_LT(length(workspace.selection().crossHairMm() - kSlicesGrid.positionMm(4, 6, 2)), 1e-9);
    test::screenshots(panel, "slices-difference");
}

TEST_F(SlicesComparisonTest, AKeyFlipsBetweenThemAndEscapeEndsIt) {
    openVolume();
    compareWith(kSlicesGrid, shifted);
    view("Z", "A").setFocus();
    const double a = valueAt(view("Z", "A").image(), {4, 3});
    QTest::keyClick(&view("Z", "A"), Qt::Key_B);
    EXPECT_EQ(view("Z", "A").caption(), "A: volume.mha");
    EXPECT_EQ(valueAt(view("Z", "A").image(), {4, 3}), a);
    QTest::keyClick(&view("Z", "A"), Qt::Key_B);
    EXPECT_EQ(view("Z", "A").caption(), "B: other ä.mha");
    EXPECT_EQ(valueAt(view("Z", "A").image(), {4, 3}), a + 4);
    find<QSlider>("blend").setValue(25);
    EXPECT_EQ(view("Z", "A").caption(), "A 75 %, B 25 %");
    EXPECT_NEAR(valueAt(view("Z", "A").image(), {4, 3}), a + 1, 0.01);  // floats of 50,000
    QTest::keyClick(&view("Z", "A"), Qt::Key_Escape);
    EXPECT_TRUE(waitUntil([this] { return !view("Z", "A").isVisible(); }));
    EXPECT_TRUE(axial->isVisible());
}

TEST_F(SlicesComparisonTest, OtherVoxelsAreInterpolatedAndSaidToBe) {
    openVolume(kSlicesGrid, [](Index x, Index, Index) { return static_cast<float>(x); });
    // Half the pitch along x, in the same place: the same values at A's voxels.
    VolumeGrid finer = kSlicesGrid;
    finer.voxels[0] = 2 * kSlicesGrid.voxels[0] - 1;
    finer.pitchMm[0] /= 2;
    compareWith(finer, [](Index x, Index, Index) { return static_cast<float>(x) / 2; });
    EXPECT_NEAR(valueAt(view("Z", "B").image(), {7, 3}), 7, 1e-5);
    EXPECT_TRUE(find<QLabel>("comparisonFigures").text().contains("interpolated"));
}

TEST_F(SlicesComparisonTest, WithoutAVolumeItIsOfferedNothing) {
    workspace.comparison().open(toText(folder / "none.mha"));
    EXPECT_FALSE(workspace.comparison().isActive());
    openVolume();
    QSignalSpy asked(&panel, &SlicesPanel::compareRequested);
    ASSERT_TRUE(waitUntil([this] { return find<QToolButton>("compareWith").isVisible(); }));
    find<QAction>("compareWithFile").trigger();
    EXPECT_EQ(asked.count(), 1);
    QSignalSpy askedForFolder(&panel, &SlicesPanel::compareFolderRequested);
    find<QAction>("compareWithFolder").trigger();
    EXPECT_EQ(askedForFolder.count(), 1);
}

}  // namespace
}  // namespace gantry
