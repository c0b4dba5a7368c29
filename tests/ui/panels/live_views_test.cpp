#include "ui/panels/live/live_views.h"

#include <gtest/gtest.h>

#include <QSlider>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/ui/panels/live_fixture.h"
#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

// The screen point of the isocentre in a view: the middle of the volume.
QPointF middleOf(const ImageView& view) {
    return view.viewAt({static_cast<double>(view.image().columns - 1) / 2,
                        static_cast<double>(view.image().rows - 1) / 2});
}

// On the screen: where the middle of what is dense lies, which is the same object at any voxels.
QPointF middleOfDense(const ImageView& view) {
    const GreyImage& image = view.image();
    const float dense = *std::max_element(image.pixels.begin(), image.pixels.end()) / 4;
    QPointF sum;
    double weight = 0;
    for (Index row = 0; row < image.rows; ++row)
        for (Index column = 0; column < image.columns; ++column) {
            const double value = std::max(0.0, static_cast<double>(image.at(column, row) - dense));
            sum += value * QPointF(static_cast<double>(column), static_cast<double>(row));
            weight += value;
        }
    return view.viewAt(sum / weight);
}

class LiveViewsTest : public test::LivePanelFixture {
  protected:
    void pressB() {
        view(0)->setFocus();
        QTest::keyClick(view(0), Qt::Key_B);
    }
    // Zooms as an operator does who looks at a detail off the middle.
    void zoomAndPan(int number) {
        ImageView& shown = *view(number);
        test::wheel(shown, QPointF(shown.width() * 0.3, shown.height() * 0.4), 4,
                    Qt::ControlModifier);
        test::drag(shown, shown.rect().center(), shown.rect().center() + QPoint(25, -14),
                   Qt::MiddleButton);
    }
    void move(Qt::Key key, int times) {
        const GreyImage before = view(0)->image();
        for (int i = 0; i < times; ++i)
            QTest::keyClick(part<QSlider>("parameterSlider"), key);
        waitForChange(before);
    }
};

TEST_F(LiveViewsTest, ZoomPanAndWindowStayWhileTheCentreMoves) {
    openScan(4);
    start();
    for (int i = 0; i < 4; ++i)
        zoomAndPan(i);
    test::drag(*view(0), {100, 100}, {140, 80}, Qt::RightButton);
    const GreyWindow window = view(0)->window();
    const Index columns = view(0)->image().columns;
    std::array<QPointF, 4> middles;
    std::array<double, 4> zooms = {};
    for (std::size_t i = 0; i < 4; ++i) {
        middles[i] = middleOf(*view(static_cast<int>(i)));
        zooms[i] = view(static_cast<int>(i))->screenPixelsPerColumn();
    }
    move(Qt::Key_PageUp, 3);
    ASSERT_NE(view(0)->image().columns, columns) << "the volume follows the geometry";
    for (std::size_t i = 0; i < 4; ++i) {
        const ImageView& now = *view(static_cast<int>(i));
        EXPECT_NEAR(now.screenPixelsPerColumn(), zooms[i], 1e-9) << i;
        EXPECT_NEAR(middleOf(now).x(), middles[i].x(), 1e-6) << i;
        EXPECT_NEAR(middleOf(now).y(), middles[i].y(), 1e-6) << i;
        EXPECT_EQ(now.window(), window) << i;
    }
}

TEST_F(LiveViewsTest, AWholeSliceStaysWhole) {
    openScan();
    start();
    const Index columns = view(0)->image().columns;
    move(Qt::Key_PageUp, 6);
    const GreyImage& image = view(0)->image();
    ASSERT_GT(image.columns, columns);
    const QRectF seen = view(0)->visiblePixels();
    EXPECT_NEAR(seen.width(), static_cast<double>(image.columns), 1e-3);
    EXPECT_NEAR(seen.height(), static_cast<double>(image.rows), 1e-3);
}

TEST_F(LiveViewsTest, AWindowSetWhileSlicesAreCoarseStays) {
    openScan();
    part<QPushButton>("startLive")->click();
    ASSERT_TRUE(test::waitUntil([&] { return view(0)->isVisible(); }));
    test::drag(*view(0), {100, 100}, {140, 80}, Qt::RightButton);
    const GreyWindow window = view(0)->window();
    ASSERT_TRUE(test::waitUntil([&] { return isFinest(); }));
    EXPECT_EQ(view(0)->window(), window);
}

TEST_F(LiveViewsTest, AnotherVolumeIsSeenWhole) {
    openScan();
    start();
    zoomAndPan(0);
    const GreyImage before = view(0)->image();
    VolumeGrid region = workspace.scan().request().job.volume;
    region.voxels = {60, 50, 40};
    region.centerMm = {20, 30, 0};
    chooseVolume(region);
    waitForChange(before);
    ASSERT_EQ(view(0)->image().columns, 60);
    EXPECT_NEAR(view(0)->visiblePixels().width(), 60, 1e-3);
    EXPECT_NEAR(view(0)->visiblePixels().height(), 50, 1e-3);
}

TEST_F(LiveViewsTest, ADoubleClickShowsOneAloneAndAnotherRestores) {
    openScan();
    start();
    const auto areaOf = [&](int number) {
        return view(number)->isVisible() ? view(number)->width() * view(number)->height() : 0;
    };
    const auto placeOf = [&](int number) {
        return QRect(view(number)->mapTo(&panel, QPoint(0, 0)), view(number)->size());
    };
    for (int number = 0; number < 4; ++number) {
        const QRect before = placeOf(number);
        const int small = areaOf(number);
        test::doubleClick(*view(number), {view(number)->width() / 3, view(number)->height() / 4});
        EXPECT_GT(areaOf(number), 1.5 * small) << number;
        for (int other = 0; other < 4; ++other)
            EXPECT_EQ(view(other)->isVisible(), other == number) << number << " " << other;
        if (number == 3) test::screenshots(panel, "live-maximised");
        test::doubleClick(*view(number), {view(number)->width() / 3, view(number)->height() / 4});
        EXPECT_EQ(placeOf(number), before) << number;
    }
    EXPECT_TRUE(std::ranges::all_of(std::array{0, 1, 2, 3}, areaOf));
}

TEST_F(LiveViewsTest, VoxelsOfUnequalSidesAreNotDistorted) {
    openScan();
    const std::array<double, 3> edgesMm = {160, 120, 90};
    chooseVolume({{80, 30, 15}, {2, 4, 6}, {0, 0, 0}});
    start();
    const auto heightOverWidth = [&](int number) {
        const GreyImage& image = view(number)->image();
        const QPointF size = view(number)->viewAt({static_cast<double>(image.columns), 0}) -
                             view(number)->viewAt({0, static_cast<double>(image.rows)});
        return std::abs(size.y() / size.x());
    };
    EXPECT_NEAR(heightOverWidth(0), edgesMm[1] / edgesMm[0], 1e-6);
    EXPECT_NEAR(heightOverWidth(1), edgesMm[2] / edgesMm[0], 1e-6);
    EXPECT_NEAR(heightOverWidth(2), edgesMm[2] / edgesMm[1], 1e-6);
    EXPECT_NEAR(heightOverWidth(3), 1, 1e-6);
    test::screenshots(panel, "live-unequal");
}

TEST_F(LiveViewsTest, BeforeIsInTheSamePlaceWhateverTheVoxels) {
    openScan();
    VolumeGrid grid = workspace.scan().request().job.volume;
    chooseVolume(grid);
    start();
    const GreyImage before = view(0)->image();
    for (std::size_t axis = 0; axis < 2; ++axis) {
        grid.centerMm[axis] += grid.pitchMm[axis] / 2;
        grid.pitchMm[axis] *= 1.03;
        grid.voxels[axis] -= 3;
    }
    chooseVolume(grid);
    waitForChange(before);
    zoomAndPan(0);
    const QPointF now = middleOfDense(*view(0));
    pressB();
    ASSERT_EQ(view(0)->caption(), "before");
    ASSERT_NE(view(0)->image().columns, grid.voxels[0]);
    EXPECT_NEAR(middleOfDense(*view(0)).x(), now.x(), 0.3);
    EXPECT_NEAR(middleOfDense(*view(0)).y(), now.y(), 0.3);
    pressB();
    EXPECT_NEAR(middleOfDense(*view(0)).x(), now.x(), 1e-6);
    EXPECT_NEAR(middleOfDense(*view(0)).y(), now.y(), 1e-6);
}

TEST_F(LiveViewsTest, BeforeIsMadeAgainWhereTheCrossHairIsNow) {
    openScan();
    chooseVolume(workspace.scan().request().job.volume);
    start();
    move(Qt::Key_PageUp, 3);
    const GreyImage axial = view(0)->image();
    ImageView& coronal = *view(1);
    const QPointF there(static_cast<double>(coronal.image().columns) * 0.4,
                        static_cast<double>(coronal.image().rows) * 0.7);
    QTest::mouseClick(&coronal, Qt::LeftButton, {}, coronal.viewAt(there).toPoint());
    waitForChange(axial);
    pressB();
    EXPECT_EQ(view(0)->caption(), "before, another slice than now");
    EXPECT_EQ(view(1)->caption(), "before") << "the cross-hair was moved within it";
    test::screenshots(panel, "live-before");
    ASSERT_TRUE(test::waitUntil([&] { return view(0)->caption() == "before"; }));
    std::array<GreyImage, 4> before;
    for (int i = 0; i < 4; ++i)
        before[static_cast<std::size_t>(i)] = view(i)->image();
    // They are those that the first geometry makes at the cross-hair of now.
    pressB();
    const GreyImage now = view(0)->image();
    workspace.scan().undoStack().undo();
    waitForChange(now);
    for (int i = 0; i < 4; ++i) {
        const GreyImage& made = before[static_cast<std::size_t>(i)];
        EXPECT_TRUE(std::ranges::equal(made.pixels, view(i)->image().pixels)) << i;
    }
}

TEST_F(LiveViewsTest, AnotherScanIsSeenWhole) {
    openScan();
    start();
    zoomAndPan(0);
    openScan(1, "other");
    ASSERT_TRUE(test::waitUntil([&] { return part<QPushButton>("startLive")->isVisible(); }));
    start();
    const GreyImage& image = view(0)->image();
    EXPECT_NEAR(view(0)->visiblePixels().width(), static_cast<double>(image.columns), 1e-3);
}

}  // namespace
}  // namespace gantry
