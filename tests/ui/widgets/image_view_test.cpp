#include "ui/widgets/image/image_view.h"
#include "ui/widgets/style/theme.h"

#include <gtest/gtest.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

// Values count upwards: pixel (column, row) is row · columns + column.
GreyImage counted(Index columns, Index rows) {
    auto pixels = std::make_shared<std::vector<float>>(static_cast<std::size_t>(columns * rows));
    std::iota(pixels->begin(), pixels->end(), 0.0F);
    GreyImage image;
    image.pixels = *pixels;
    image.owner = pixels;
    image.columns = columns;
    image.rows = rows;
    image.unit = "counts";
    return image;
}

class ImageViewTest : public testing::Test {
  protected:
    ImageViewTest() {
        m_view.setImage(counted(40, 20));
        m_view.setWindow({0, 800});
        test::show(m_view, {400, 200});  // 10 px a pixel, no margins
        m_view.setFocus();
        QObject::connect(&m_view, &ImageView::crosshairMoved, &m_view,
                         [this](QPointF pixel) { m_crosshair = pixel; });
        QObject::connect(&m_view, &ImageView::regionEdited, &m_view,
                         [this](QRectF region, bool isFinal) {
                             m_region = region;
                             m_finals += isFinal;
                         });
        QObject::connect(&m_view, &ImageView::scrolled, &m_view,
                         [this](int steps) { m_scrolled += steps; });
    }

    [[nodiscard]] QPoint at(double column, double row) const {
        return m_view.viewAt({column, row}).toPoint();
    }

    ImageView m_view;
    QPointF m_crosshair{-1, -1};
    QRectF m_region;
    int m_finals = 0;
    int m_scrolled = 0;
};

// The longest run of the texts' colour in a row of what is seen.
int longestRun(const QImage& image) {
    int longest = 0;
    for (int y = 0; y < image.height(); ++y) {
        int run = 0;
        for (int x = 0; x < image.width(); ++x) {
            run = image.pixelColor(x, y) == QColor(0xF0, 0xF2, 0xF5) ? run + 1 : 0;
            longest = std::max(longest, run);
        }
    }
    return longest;
}

TEST_F(ImageViewTest, TheScaleBarHasItsLengthAtEveryZoom) {
    m_view.setWindow({1e6, 2e6});
    const int without = longestRun(m_view.grab().toImage());
    m_view.setScale(0.13);  // 76.9 px a mm; a quarter of the view is 1.3 mm: 1 mm
    EXPECT_NEAR(longestRun(m_view.grab().toImage()), 10 / 0.13, 1);
    test::wheel(m_view, {200, 100}, 3, Qt::ControlModifier);  // 150 px a mm: 0.5 mm
    const double zoom = m_view.viewAt({1, 0}).x() - m_view.viewAt({0, 0}).x();
    ASSERT_GT(zoom, 15);
    EXPECT_NEAR(longestRun(m_view.grab().toImage()), 0.5 * zoom / 0.13, 1);
    m_view.setScale(0);
    EXPECT_EQ(longestRun(m_view.grab().toImage()), without);
}

TEST_F(ImageViewTest, ShowsRowZeroAtTheBottomAndBrighterUpwards) {
    const QImage image = m_view.grab().toImage();
    EXPECT_LT(image.pixelColor(200, 190).red(), 20);
    EXPECT_GT(image.pixelColor(200, 10).red(), 235);
    EXPECT_EQ(at(0, 0), QPoint(5, 195));
}

TEST_F(ImageViewTest, TellsTheValueUnderThePointer) {
    QPointF pixel;
    double value = 0;
    QObject::connect(&m_view, &ImageView::hovered, &m_view, [&](QPointF p, double v) {
        pixel = p;
        value = v;
    });
    QTest::mouseMove(&m_view, at(7, 3));
    ASSERT_TRUE(test::waitUntil([&] { return value == 3 * 40 + 7; }));
    EXPECT_NEAR(pixel.x(), 7, 0.51);
    EXPECT_NEAR(pixel.y(), 3, 0.51);
    m_view.resize(400, 400);  // the image is in the middle now
    QTest::mouseMove(&m_view, {200, 20});
    ASSERT_TRUE(test::waitUntil([&] { return std::isnan(value); }));
}

TEST_F(ImageViewTest, LeftDragsTheCrosshairAndStaysInTheImage) {
    m_view.setCrosshair(QPointF(5, 5));
    test::drag(m_view, at(5, 5), at(12, 9));
    EXPECT_NEAR(m_crosshair.x(), 12, 0.51);
    EXPECT_NEAR(m_crosshair.y(), 9, 0.51);
    test::drag(m_view, at(5, 5), {399, -500});
    EXPECT_NEAR(m_crosshair.x(), 39, 0.51);
    EXPECT_EQ(m_crosshair.y(), 19);
}

TEST_F(ImageViewTest, TheCrosshairIsDrawnWithAGapInItsColours) {
    m_view.setCrosshair(QPointF(20, 10), "#ff0000", "#00ff00");
    const QImage image = m_view.grab().toImage();
    const QPoint centre = at(20, 10);
    EXPECT_EQ(image.pixelColor(centre.x(), 20), QColor("#ff0000"));
    EXPECT_EQ(image.pixelColor(20, centre.y()), QColor("#00ff00"));
    const QColor middle = image.pixelColor(centre);
    EXPECT_EQ(middle.red(), middle.green());
}

TEST_F(ImageViewTest, ArrowsMoveTheCrosshairAsTheyPoint) {
    m_view.setCrosshair(QPointF(5, 5));
    QTest::keyClick(&m_view, Qt::Key_Up);
    EXPECT_EQ(m_crosshair, QPointF(5, 6));
    QTest::keyClick(&m_view, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(m_crosshair, QPointF(15, 6));
}

TEST_F(ImageViewTest, ARowLineIsDraggedAndMovedByKeys) {
    double row = -1;
    QObject::connect(&m_view, &ImageView::rowLineMoved, &m_view, [&](double r) { row = r; });
    m_view.setRowLine(4);
    test::drag(m_view, at(3, 4), at(20, 11));
    EXPECT_NEAR(row, 11, 0.51);
    EXPECT_EQ(m_crosshair, QPointF(-1, -1));
    m_view.setRowLine(11);
    QTest::keyClick(&m_view, Qt::Key_Down);
    EXPECT_EQ(row, 10);
}

TEST_F(ImageViewTest, RightDragsWindowAndLevel) {
    GreyWindow window;
    QObject::connect(&m_view, &ImageView::windowEdited, &m_view,
                     [&](const GreyWindow& w) { window = w; });
    test::drag(m_view, {100, 100}, {150, 100}, Qt::RightButton);
    EXPECT_GT(window.width(), 800);
    EXPECT_NEAR(window.level(), 400, 1e-6);
    EXPECT_EQ(m_view.window(), window);
    m_view.setWindow({0, 800});
    test::drag(m_view, {100, 100}, {100, 50}, Qt::RightButton);
    EXPECT_GT(window.level(), 400);
    QTest::keyClick(&m_view, Qt::Key_Left, Qt::AltModifier);
    EXPECT_LT(window.width(), 800);
}

TEST_F(ImageViewTest, WheelAndPageKeysScroll) {
    test::wheel(m_view, {50, 50}, 2);
    test::wheel(m_view, {50, 50}, -1);
    QTest::keyClick(&m_view, Qt::Key_PageUp);
    EXPECT_EQ(m_scrolled, 2);
}

TEST_F(ImageViewTest, CtrlWheelZoomsAtThePointerMiddlePansAndZeroFits) {
    const QPointF under(105, 55);
    const auto shifted = [&] { return QPointF(at(10, 14)) - under; };
    EXPECT_LT(std::hypot(shifted().x(), shifted().y()), 1);
    test::wheel(m_view, under, 4, Qt::ControlModifier);
    EXPECT_LT(std::hypot(shifted().x(), shifted().y()), 2);
    EXPECT_GT(at(11, 14).x() - at(10, 14).x(), 20);
    EXPECT_EQ(m_scrolled, 0);
    const QPoint before = at(10, 14);
    test::drag(m_view, {200, 100}, {230, 90}, Qt::MiddleButton);
    EXPECT_EQ(at(10, 14) - before, QPoint(30, -10));
    test::drag(m_view, {0, 0}, {9000, 9000}, Qt::MiddleButton);
    EXPECT_LT(at(0, 19).x(), 400);  // some of it stays visible
    m_view.setImage(counted(40, 20));
    EXPECT_NE(at(0, 0), QPoint(5, 195));  // the zoom is kept
    QTest::keyClick(&m_view, Qt::Key_0);
    EXPECT_EQ(at(0, 0), QPoint(5, 195));
    QTest::keyClick(&m_view, Qt::Key_Plus);
    m_view.setImage(counted(20, 10));
    EXPECT_EQ(at(0, 0), QPoint(10, 190));
}

TEST_F(ImageViewTest, DoubleClickAndEnterAskToBeMaximised) {
    int asked = 0;
    QObject::connect(&m_view, &ImageView::maximiseRequested, &m_view, [&] { ++asked; });
    QTest::mouseDClick(&m_view, Qt::LeftButton, {}, {50, 50});
    QTest::keyClick(&m_view, Qt::Key_Return);
    EXPECT_EQ(asked, 2);
}

TEST_F(ImageViewTest, ADoubleClickLeavesTheCrosshairWhereItWas) {
    m_view.setCrosshair(QPointF(3, 4));
    QPointF last(3, 4);
    QObject::connect(&m_view, &ImageView::crosshairMoved, &m_view, [&](QPointF at) { last = at; });
    QTest::mouseClick(&m_view, Qt::LeftButton, {}, {150, 90});
    EXPECT_NE(last, QPointF(3, 4));
    QTest::mouseDClick(&m_view, Qt::LeftButton, {}, {150, 90});
    EXPECT_EQ(last, QPointF(3, 4));
}

TEST_F(ImageViewTest, WordsAreLegibleOnWhite) {
    m_view.setWindow({-2, -1});  // all of it is white
    m_view.setTitle("Axial");
    m_view.setCaption("volume.mha of walnut; the scan open is tooth", true);
    m_view.setCorner("z 3 of 10");
    const QImage picture = m_view.grab().toImage();
    // Around the letters is no white: the ground of each line is dark enough for light letters.
    const int line = m_view.fontMetrics().height();
    for (const int y : {kSpacing + line / 2, kSpacing + 4 + 3 * line / 2,
                        m_view.height() - kSpacing - line / 2}) {
        int brightest = 0;
        const QRgb ground = picture.pixel(kSpacing + 1, y);
        brightest = std::max(brightest, qGray(ground));
        EXPECT_LT(brightest, 110) << y;
    }
    test::screenshots(m_view, "image-white");
}

TEST_F(ImageViewTest, ALongCaptionLeavesThePictureFreeAndIsWholeInAToolTip) {
    const QString name = "a_very_long_name_of_a_volume_that_somebody_has_given_it_in_2026.mha";
    const QString text = name + " of a_scan_whose_name_is_just_as_long_as_that_of_the_volume";
    const QImage without = m_view.grab().toImage();
    m_view.setTitle("Axial");
    m_view.setCaption(text);
    const QImage with = m_view.grab().toImage();
    test::screenshots(m_view, "image-long-caption");
    const QRect covered = test::changedArea(without, with);
    EXPECT_GT(covered.width(), 60);
    EXPECT_LE(covered.right(), m_view.width() / 3 + 3 * kSpacing);
    EXPECT_LE(covered.bottom(), m_view.height() / 2);
    // The pointer rests on the caption, then on the picture beside it.
    EXPECT_TRUE(test::toolTipAt(m_view, covered.center() + QPoint(0, kSpacing)).contains(text));
    EXPECT_EQ(test::toolTipAt(m_view, {m_view.width() - 60, 100}), QString());
    m_view.setCaption("v.mha");
    EXPECT_EQ(test::toolTipAt(m_view, {kSpacing + 10, 40}), QString()) << "it is whole already";
}

TEST_F(ImageViewTest, TheRegionsHandlesAndInsideAreDragged) {
    m_view.setRegion(QRectF(10, 5, 10, 8));
    // Its upper edge in the view is its greatest row.
    test::drag(m_view, at(15, 13), at(15, 16));
    EXPECT_EQ(m_region, QRectF(10, 5, 10, 11));
    EXPECT_EQ(m_finals, 1);
    test::drag(m_view, at(10, 5), at(8, 4));
    EXPECT_EQ(m_region, QRectF(8, 4, 12, 12));
    test::drag(m_view, at(14, 9), at(16, 9));
    EXPECT_EQ(m_region, QRectF(10, 4, 12, 12));
    EXPECT_EQ(m_crosshair, QPointF(-1, -1));
}

TEST_F(ImageViewTest, WithACrosshairTheRegionIsMovedByItsMiddleOnly) {
    m_view.setRegion(QRectF(10, 4, 12, 12));
    m_view.setCrosshair(QPointF(2, 2));
    test::drag(m_view, at(16, 10), at(18, 10));
    EXPECT_EQ(m_region, QRectF(12, 4, 12, 12));
    test::drag(m_view, at(20, 7), at(21, 7));
    EXPECT_NEAR(m_crosshair.x(), 21, 0.51);
}

TEST_F(ImageViewTest, TheRegionIsMovedAndSizedByKeys) {
    m_view.setRegion(QRectF(10, 5, 10, 8));
    QTest::keyClick(&m_view, Qt::Key_Right, Qt::ControlModifier);
    EXPECT_EQ(m_region, QRectF(11, 5, 10, 8));
    QTest::keyClick(&m_view, Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(m_region, QRectF(11, 5, 11, 8));
    QTest::keyClick(&m_view, Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(m_region, QRectF(11, 4, 11, 9));
}

TEST_F(ImageViewTest, TheCursorShowsWhatADragWouldDo) {
    m_view.setRegion(QRectF(10, 5, 10, 8));
    QTest::mouseMove(&m_view, at(20, 9));
    EXPECT_TRUE(test::waitUntil([&] { return m_view.cursor().shape() == Qt::SizeHorCursor; }));
    QTest::mouseMove(&m_view, at(30, 9));
    EXPECT_TRUE(test::waitUntil([&] { return m_view.cursor().shape() == Qt::CrossCursor; }));
}

TEST_F(ImageViewTest, TheImageMayGoInTheMiddleOfADrag) {
    m_view.setRegion(QRectF(10, 5, 10, 8));
    QTest::mousePress(&m_view, Qt::LeftButton, {}, at(20, 9));
    m_view.setRegion({});
    m_view.setImage({});
    QTest::mouseMove(&m_view, {10, 10});
    QTest::mouseRelease(&m_view, Qt::LeftButton, {}, {10, 10});
    EXPECT_FALSE(m_view.grab().isNull());
}

TEST_F(ImageViewTest, WithoutAnImageItSaysWhatIsMissing) {
    const QImage before = m_view.grab().toImage();
    m_view.setImage({});
    const QImage empty = m_view.grab().toImage();
    m_view.setPlaceholder("Open a scan to see its projections.");
    EXPECT_NE(m_view.grab().toImage(), empty);
    EXPECT_NE(empty, before);
    for (const int key : {Qt::Key_Up, Qt::Key_Plus, Qt::Key_0, Qt::Key_Return})
        QTest::keyClick(&m_view, static_cast<Qt::Key>(key));
    test::drag(m_view, {10, 10}, {50, 50});
    test::wheel(m_view, {10, 10}, 3, Qt::ControlModifier);
    EXPECT_EQ(m_crosshair, QPointF(-1, -1));
}

TEST_F(ImageViewTest, ShowsThatItWorksOnlyWhenItTakesLong) {
    const QImage before = m_view.grab().toImage();
    m_view.setBusy(true);
    EXPECT_EQ(m_view.grab().toImage(), before);
    EXPECT_TRUE(test::waitUntil([&] { return m_view.grab().toImage() != before; }));
    m_view.setBusy(false);
    EXPECT_EQ(m_view.grab().toImage(), before);
}

TEST_F(ImageViewTest, SurvivesOddImages) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    auto broken = std::make_shared<std::vector<float>>(12, nan);
    GreyImage allNan = counted(4, 3);
    allNan.pixels = *broken;
    allNan.owner = broken;
    GreyImage lying = counted(4, 3);
    lying.rows = 3000;
    GreyImage flat = counted(4, 3);
    flat.pixelAspect = 0;
    for (const GreyImage& image : {counted(1, 1), counted(30'000, 1), counted(1, 30'000), allNan,
                                   lying, flat, GreyImage{}}) {
        m_view.setImage(image);
        m_view.setCrosshair(QPointF(0, 0));
        m_view.setRegion(QRectF(-0.5, -0.5, 1, 1));
        for (const QSize size : {QSize(1, 1), QSize(96, 80), QSize(400, 200)}) {
            m_view.resize(size);
            test::wheel(m_view, {0, 0}, 40, Qt::ControlModifier);
            test::wheel(m_view, {0, 0}, -80, Qt::ControlModifier);
            test::drag(m_view, {0, 0}, {5, 5});
            test::drag(m_view, {0, 0}, {50, -5}, Qt::MiddleButton);
            EXPECT_FALSE(m_view.grab().isNull());
            m_view.fit();
        }
    }
}

}  // namespace
}  // namespace gantry
