#include "ui/widgets/image/histogram_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

class HistogramViewTest : public testing::Test {
  protected:
    HistogramViewTest() {
        std::vector<float> pixels;
        for (int i = 0; i <= 1000; ++i)
            pixels.push_back(static_cast<float>(i));
        m_view.setHistogram(histogramOf(pixels), "counts");
        m_view.setWindow({250, 750});
        QObject::connect(&m_view, &HistogramView::windowEdited, &m_view, [this](GreyWindow window) {
            m_window = window;
            ++m_edits;
        });
        // 8 px of air on both sides: 1 px is 2 counts.
        test::show(m_view, {516, 120});
    }

    [[nodiscard]] static QPoint at(double value) { return {static_cast<int>(8 + value / 2), 40}; }

    HistogramView m_view;
    GreyWindow m_window;
    int m_edits = 0;
};

TEST_F(HistogramViewTest, DraggingALineMovesThatEnd) {
    test::drag(m_view, at(250), at(350));
    EXPECT_NEAR(m_window.black, 350, 4);
    EXPECT_EQ(m_window.white, 750);
    test::drag(m_view, at(750), at(900));
    EXPECT_NEAR(m_window.white, 900, 4);
}

TEST_F(HistogramViewTest, DraggingBetweenThemMovesBoth) {
    test::drag(m_view, at(500), at(600));
    EXPECT_NEAR(m_window.black, 350, 4);
    EXPECT_NEAR(m_window.white, 850, 4);
}

TEST_F(HistogramViewTest, NoEndPassesTheOther) {
    test::drag(m_view, at(250), at(990));
    EXPECT_GT(m_window.width(), 0);
    EXPECT_EQ(m_window.white, 750);
}

TEST_F(HistogramViewTest, OutsideOfTheLinesNothingIsDragged) {
    test::drag(m_view, at(50), at(150));
    EXPECT_EQ(m_edits, 0);
}

TEST_F(HistogramViewTest, DoubleClickAndEnterAskForTheAutomaticWindow) {
    int asked = 0;
    QObject::connect(&m_view, &HistogramView::automaticRequested, &m_view, [&] { ++asked; });
    QTest::mouseDClick(&m_view, Qt::LeftButton, {}, at(500));
    QTest::keyClick(&m_view, Qt::Key_Return);
    EXPECT_EQ(asked, 2);
}

TEST_F(HistogramViewTest, ArrowKeysMoveAndWidenTheWindow) {
    QTest::keyClick(&m_view, Qt::Key_Right);
    EXPECT_GT(m_window.level(), 500);
    EXPECT_NEAR(m_window.width(), 500, 1e-6);
    QTest::keyClick(&m_view, Qt::Key_Up);
    EXPECT_GT(m_window.width(), 500);
}

TEST_F(HistogramViewTest, AWindowBeyondTheValuesCanStillBeReached) {
    m_view.setWindow({-1000, 3000});  // now 1 px is 8 counts
    test::drag(m_view, {8, 40}, {8 + 125, 40});
    EXPECT_NEAR(m_window.black, 0, 16);
}

TEST_F(HistogramViewTest, OddHistogramsAndWindowsAreShown) {
    const double nan = std::nan("");
    const double max = std::numeric_limits<float>::max();
    for (const Histogram& odd : {Histogram{}, Histogram{0, 0, {}, 0},
                                 Histogram{-max, max, {1, 2, 3}, 9}, Histogram{0, 1, {0, 0}, 4}}) {
        for (const GreyWindow window :
             {GreyWindow{0, 0}, GreyWindow{nan, nan}, GreyWindow{5, -5}, GreyWindow{0, max}}) {
            m_view.setHistogram(odd, "");
            m_view.setWindow(window);
            EXPECT_FALSE(m_view.grab().isNull());
            test::drag(m_view, {200, 40}, {220, 40});
        }
    }
}

}  // namespace
}  // namespace gantry
