#include "ui/models/image/grey_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gantry {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
const QColor kOutside("#123456");
const QColor kBroken("#ff00ff");

GreyImage imageOf(std::vector<float> pixels, Index columns, Index rows) {
    auto owner = std::make_shared<std::vector<float>>(std::move(pixels));
    GreyImage image;
    image.pixels = *owner;
    image.owner = owner;
    image.columns = columns;
    image.rows = rows;
    return image;
}

QImage drawn(const GreyImage& image, const GreyWindow& window, QSize size, double ratio = 1) {
    const auto placement = ImagePlacement::fitted(image, QSizeF(size) / ratio);
    return render(image, window, placement, size, ratio, kOutside, kBroken);
}

Index total(const Histogram& histogram) {
    return std::accumulate(histogram.bins.begin(), histogram.bins.end(), Index{0});
}

TEST(GreyHistogram, CountsFiniteValuesBetweenTheirEnds) {
    const std::vector<float> pixels = {0, 1, 2, 3, 4, kNan, kInf, -kInf};
    const Histogram histogram = histogramOf(pixels, 4);
    EXPECT_EQ(histogram.low, 0);
    EXPECT_EQ(histogram.high, 4);
    EXPECT_EQ(histogram.bins, (std::vector<Index>{1, 1, 1, 2}));
    EXPECT_EQ(histogram.notFinite, 3);
    EXPECT_EQ(histogram.extent, std::pair(0.0, 4.0));
}

TEST(GreyHistogram, IsNeverOfNoWidth) {
    const std::vector<std::vector<float>> odd = {
        {}, {kNan, kNan}, {0, 0, 0}, {-7}, std::vector<float>(1000, 1e30F), {kInf}};
    for (const auto& pixels : odd) {
        const Histogram histogram = histogramOf(pixels);
        EXPECT_GT(histogram.high, histogram.low);
        EXPECT_EQ(histogram.bins.size(), 256U);
        EXPECT_EQ(total(histogram) + histogram.notFinite, std::ssize(pixels));
        const GreyWindow window = autoWindow(pixels);
        EXPECT_GT(window.width(), 0);
        EXPECT_TRUE(std::isfinite(window.width()));
    }
    EXPECT_EQ(histogramOf(std::vector<float>{1, 2}, 0).bins.size(), 1U);
    // What is told are the values themselves.
    EXPECT_EQ(histogramOf(std::vector<float>{0, 0, 0}).extent, std::pair(0.0, 0.0));
    EXPECT_EQ(histogramOf(std::vector<float>{kNan}).extent, std::nullopt);
}

TEST(GreyHistogram, OfManyPixelsIsOfASample) {
    std::vector<float> pixels(3'000'000);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<float>(i % 1000);
    const Histogram histogram = histogramOf(pixels, 10);
    EXPECT_LT(total(histogram), 1'100'000);
    for (const Index count : histogram.bins)
        EXPECT_NEAR(double(count) / double(total(histogram)), 0.1, 0.01);
}

TEST(AutoWindow, LeavesOutAFewHotAndDeadPixels) {
    std::vector<float> pixels(1000);
    std::iota(pixels.begin(), pixels.end(), 0.0F);
    pixels[3] = 1e9F;
    pixels[500] = -1e9F;
    pixels[501] = kNan;
    const GreyWindow window = autoWindow(pixels);
    EXPECT_NEAR(window.black, 5, 2);
    EXPECT_NEAR(window.white, 994, 2);
}

TEST(AutoWindow, ShowsTheFewValuesOfAnEmptyImage) {
    std::vector<float> pixels(1000, 0.0F);
    pixels[17] = 3;
    const GreyWindow window = autoWindow(pixels);
    EXPECT_EQ(window.black, 0);
    EXPECT_EQ(window.white, 3);
}

TEST(DraggedWindow, WidensToTheRightAndDarkensUpwards) {
    const GreyWindow window{10, 20};
    const GreyWindow wider = draggedWindow(window, 50, 0);
    EXPECT_GT(wider.width(), window.width());
    EXPECT_DOUBLE_EQ(wider.level(), window.level());
    const GreyWindow darker = draggedWindow(window, 0, -50);
    EXPECT_GT(darker.level(), window.level());
    EXPECT_DOUBLE_EQ(darker.width(), window.width());
}

TEST(DraggedWindow, StaysAWindow) {
    for (const double dx : {-1e6, 0.0, 1e6}) {
        for (const GreyWindow window : {GreyWindow{0, 1}, GreyWindow{5, 5}, GreyWindow{3, -3},
                                        GreyWindow{std::nan(""), 1}, GreyWindow{0, 1e300}}) {
            const GreyWindow dragged = draggedWindow(window, dx, 3);
            EXPECT_GT(dragged.width(), 0);
            EXPECT_TRUE(std::isfinite(dragged.black) && std::isfinite(dragged.white));
        }
    }
}

TEST(ImagePlacement, FitsInTheMiddleAndGoesThereAndBack) {
    GreyImage image = imageOf(std::vector<float>(8), 4, 2);
    const auto placement = ImagePlacement::fitted(image, {400, 400});
    EXPECT_EQ(placement.zoom, 100);
    EXPECT_EQ(placement.origin, QPointF(0, 100));
    // Row 0 is at the bottom.
    EXPECT_EQ(placement.viewAt(image, {0, 0}), QPointF(50, 250));
    EXPECT_EQ(placement.pixelAt(image, {350, 150}), QPointF(3, 1));
    image.firstRowIsBottom = false;
    EXPECT_EQ(placement.viewAt(image, {0, 0}), QPointF(50, 150));
    image.pixelAspect = 2;
    const auto tall = ImagePlacement::fitted(image, {400, 400});
    EXPECT_EQ(tall.origin, QPointF(0, 0));
    EXPECT_EQ(tall.pixelAt(image, tall.viewAt(image, {2.25, 0.75})), QPointF(2.25, 0.75));
}

TEST(ImagePlacement, KeepsThePointUnderThePointerWhenZooming) {
    const GreyImage image = imageOf(std::vector<float>(100), 10, 10);
    const auto before = ImagePlacement::fitted(image, {300, 200});
    const QPointF at(170, 90);
    const auto after = before.zoomed(3, at);
    EXPECT_EQ(after.zoom, 3 * before.zoom);
    EXPECT_NEAR(after.pixelAt(image, at).x(), before.pixelAt(image, at).x(), 1e-9);
    EXPECT_NEAR(after.pixelAt(image, at).y(), before.pixelAt(image, at).y(), 1e-9);
}

TEST(Render, ShowsPixelsAsSquaresFromBlackToWhite) {
    const GreyImage image = imageOf({0, 1, 0.5, kNan}, 2, 2);  // bottom row first
    const QImage view = drawn(image, {0, 1}, {20, 20});
    EXPECT_EQ(view.pixelColor(5, 15), QColor(0, 0, 0));
    EXPECT_EQ(view.pixelColor(15, 15), QColor(255, 255, 255));
    EXPECT_EQ(view.pixelColor(5, 5), QColor(128, 128, 128));
    EXPECT_EQ(view.pixelColor(15, 5), kBroken);
    EXPECT_EQ(view.pixelColor(9, 15), QColor(0, 0, 0));
    EXPECT_EQ(view.pixelColor(10, 15), QColor(255, 255, 255));
}

TEST(Render, FillsAroundTheImageAndClampsValues) {
    const GreyImage image = imageOf({-5, 5}, 2, 1);
    const QImage view = drawn(image, {0, 1}, {20, 20});
    EXPECT_EQ(view.pixelColor(10, 1), kOutside);
    EXPECT_EQ(view.pixelColor(5, 10), QColor(0, 0, 0));
    EXPECT_EQ(view.pixelColor(15, 10), QColor(255, 255, 255));
}

TEST(Render, TakesTheMeanWhereAPixelOfTheViewShowsSeveral) {
    std::vector<float> board(400);
    for (std::size_t i = 0; i < board.size(); ++i)
        board[i] = static_cast<float>((i / 20 + i) % 2);
    const QImage view = drawn(imageOf(board, 20, 20), {0, 1}, {10, 10});
    for (int x = 0; x < 10; ++x)
        EXPECT_NEAR(view.pixelColor(x, 3).red(), 128, 1);
    board[0] = kNan;
    EXPECT_EQ(drawn(imageOf(board, 20, 20), {0, 1}, {10, 10}).pixelColor(0, 9), kBroken);
}

TEST(Render, UsesEveryPixelOfADenseScreen) {
    const GreyImage image = imageOf({0, 1, 1, 0}, 2, 2);
    const QImage view = drawn(image, {0, 1}, {30, 30}, 1.5);
    EXPECT_EQ(view.devicePixelRatio(), 1.5);
    EXPECT_EQ(view.pixelColor(14, 29), QColor(0, 0, 0));
    EXPECT_EQ(view.pixelColor(15, 29), QColor(255, 255, 255));
}

TEST(Render, SurvivesOddImagesViewsAndWindows) {
    const double nan = std::nan("");
    const GreyImage images[] = {GreyImage{}, imageOf({kNan}, 1, 1), imageOf({3}, 1, 1),
                                imageOf(std::vector<float>(100'000, 1.0F), 100'000, 1),
                                imageOf(std::vector<float>(100'000, 1.0F), 1, 100'000)};
    for (const GreyImage& image : images) {
        for (const GreyWindow window :
             {GreyWindow{0, 1}, GreyWindow{1, 1}, GreyWindow{nan, nan}, GreyWindow{2, -2}}) {
            for (const QSize size : {QSize(0, 0), QSize(1, 1), QSize(64, 48)})
                EXPECT_FALSE(drawn(image, window, size).isNull());
        }
        for (const double zoom : {1e-12, 1e12, nan}) {
            const ImagePlacement odd{zoom, {-1e7, 1e7}};
            EXPECT_FALSE(render(image, {}, odd, {9, 9}, 1, kOutside, kBroken).isNull());
        }
    }
    // Thinner than a pixel of the view, and seen all the same.
    const QImage thin = drawn(images[3], {0, 1}, {64, 48});
    EXPECT_EQ(thin.pixelColor(32, 24), QColor(255, 255, 255));
}

TEST(GreyImage, DifferencesAreBlueBelowAndRedAboveZero) {
    GreyImage image = imageOf({-2, 0, 2, -9, 9, kNan}, 3, 2);
    image.isDifference = true;
    image.firstRowIsBottom = false;
    const QImage picture = drawn(image, {-2, 2}, {3, 2});
    EXPECT_EQ(picture.pixelColor(0, 0), differenceColour(0));
    EXPECT_EQ(picture.pixelColor(2, 0), differenceColour(1));
    EXPECT_EQ(picture.pixelColor(0, 1), differenceColour(0));
    EXPECT_EQ(picture.pixelColor(1, 1), differenceColour(1));
    EXPECT_EQ(picture.pixelColor(2, 1), kBroken);
    // One of 256 steps lies beside the middle.
    EXPECT_GT(picture.pixelColor(1, 0).blue(), 252);
    EXPECT_GT(picture.pixelColor(1, 0).red(), 252);
    EXPECT_GT(differenceColour(0).blue(), differenceColour(0).red());
    EXPECT_GT(differenceColour(1).red(), differenceColour(1).blue());
}

TEST(Enlarged, CoversTheSameAreaInMorePixels) {
    // A ramp: blended it stays one, but for the half pixel at each edge.
    const GreyImage ramp = imageOf({0, 1, 2, 10, 11, 12}, 3, 2);
    const GreyImage large = enlarged(ramp, 6, 4);
    ASSERT_EQ(large.columns, 6);
    ASSERT_EQ(large.rows, 4);
    EXPECT_EQ(large.unit, ramp.unit);
    const double columns[] = {0, 0.25, 0.75, 1.25, 1.75, 2};
    const double rows[] = {0, 2.5, 7.5, 10};
    for (Index row = 0; row < 4; ++row)
        for (Index column = 0; column < 6; ++column)
            EXPECT_NEAR(large.at(column, row), columns[column] + rows[row], 1e-5)
                << column << ", " << row;
    // An image of its own size is as it was.
    const GreyImage same = enlarged(ramp, 3, 2);
    EXPECT_TRUE(std::equal(same.pixels.begin(), same.pixels.end(), ramp.pixels.begin()));
}

}  // namespace
}  // namespace gantry
