#include "ui/widgets/image/profile_plot.h"

#include <gtest/gtest.h>

#include <QTest>
#include <cmath>
#include <limits>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

const QColor kRaw("#56b4e9");
const QColor kFiltered("#e69f00");

// Below the legend, also where a line is blended with what is behind it.
bool shows(const QImage& image, const QColor& colour) {
    for (int y = 20; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor seen = image.pixelColor(x, y);
            if (seen.saturation() > 90 && std::abs(seen.hue() - colour.hue()) < 12) return true;
        }
    }
    return false;
}

std::vector<double> ramp(int count, double factor) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(i * factor);
    return values;
}

TEST(ProfilePlot, DrawsEachCurveInItsColourAndTellsTheValuesUnderThePointer) {
    ProfilePlot plot;
    plot.setCurves(
        {{"before", "counts", kRaw, ramp(100, 10)}, {"after", "/mm", kFiltered, ramp(100, -0.001)}},
        "detector column");
    test::show(plot, {500, 200});
    const QImage image = plot.grab().toImage();
    EXPECT_TRUE(shows(image, kRaw));
    EXPECT_TRUE(shows(image, kFiltered));
    EXPECT_TRUE(plot.readOut().isEmpty());
    QTest::mouseMove(&plot, {250, 100});
    ASSERT_TRUE(test::waitUntil([&] { return !plot.readOut().isEmpty(); }));
    const QStringList lines = plot.readOut().split('\n');
    ASSERT_EQ(lines.size(), 3);
    const int column = lines[0].section(' ', -1).toInt();
    EXPECT_NEAR(column, 50, 6);
    EXPECT_EQ(lines[1].toStdString(), "before " + std::to_string(10 * column) + " counts");
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&plot, &leave);
    EXPECT_TRUE(plot.readOut().isEmpty());
}

TEST(ProfilePlot, AnAxisMayBeginAtAValueAndHaveAUnit) {
    ProfilePlot plot;
    plot.setCurves({{"misfit", "", kRaw, ramp(41, 1)}},
                   ProfilePlot::XAxis{"change", "px", -10, 0.5});
    test::show(plot, {500, 200});
    const QImage image = plot.grab().toImage();
    EXPECT_TRUE(shows(image, kRaw));
    for (int x = 2; x < 500; x += 3) {
        QTest::mouseMove(&plot, {x, 100});
        test::pass(0);
        if (plot.readOut().isEmpty()) continue;
        const QString place = plot.readOut().section('\n', 0, 0);
        const double value = place.section(' ', 1, 1).toDouble();
        EXPECT_EQ(place.toStdString(), QString("change %1 px").arg(value).toStdString());
        EXPECT_EQ(plot.readOut().section('\n', 1).toStdString(),
                  QString("misfit %1").arg(2 * (value + 10)).toStdString());
    }
}

TEST(ProfilePlot, MarksPlacesUntilOtherCurvesAreSet) {
    ProfilePlot plot;
    test::show(plot, {500, 200});
    plot.setCurves({{"MTF", "%", kRaw, {100, 80, 60, 40, 20, 0}}},
                   ProfilePlot::XAxis{"frequency", "lp/mm", 0, 0.1});
    EXPECT_FALSE(shows(plot.grab().toImage(), kFiltered));
    plot.setMarks({{0.25, 50, kFiltered, "50 %: 0.250 lp/mm"}, {0.4, 20, kFiltered, {}}});
    EXPECT_TRUE(shows(plot.grab().toImage(), kFiltered));
    plot.setMarks({{0.9, 50, kFiltered, "beside the plot"}});
    EXPECT_FALSE(shows(plot.grab().toImage(), kFiltered));
    plot.setCurves({{"MTF", "%", kRaw, {100, 0}}}, "frequency");
    EXPECT_TRUE(plot.marks().empty());
}

TEST(ProfilePlot, LosesNoPeakOfALongCurve) {
    ProfilePlot plot;
    std::vector<double> values(100'000, 0.0);
    values[54'321] = 1;
    plot.setCurves({{"row", "/mm", kRaw, values}}, "column");
    test::show(plot, {400, 160});
    const QImage image = plot.grab().toImage();
    // Above the middle of the plot there is but the peak.
    EXPECT_TRUE(shows(image.copy(0, 0, image.width(), image.height() / 2), kRaw));
}

TEST(ProfilePlot, BreaksTheLineWhereThereIsNoNumber) {
    ProfilePlot plot;
    std::vector<double> values(100, 1.0);
    for (std::size_t i = 40; i < 60; ++i)
        values[i] = std::nan("");
    plot.setCurves({{"row", "", kRaw, values}}, "column");
    test::show(plot, {500, 160});
    const QImage image = plot.grab().toImage();
    EXPECT_FALSE(shows(image.copy(240, 0, 40, 160), kRaw));
    EXPECT_TRUE(shows(image.copy(350, 0, 40, 160), kRaw));
    QTest::mouseMove(&plot, {265, 80});
    ASSERT_TRUE(test::waitUntil([&] { return plot.readOut().contains("no number"); }));
}

TEST(ProfilePlot, SurvivesOddCurvesAndSizes) {
    const double inf = std::numeric_limits<double>::infinity();
    const double max = std::numeric_limits<double>::max();
    ProfilePlot plot;
    test::show(plot, {300, 120});
    for (const std::vector<double>& values :
         {std::vector<double>{}, {3}, {0, 0, 0}, {std::nan(""), inf, -inf}, {-max, max}}) {
        plot.setCurves(
            {{"a", "x", kRaw, values}, {"b", "y", kFiltered, {1, 2}}, {"c", "z", kRaw, {}}},
            "column");
        for (const QSize size : {QSize(1, 1), QSize(40, 20), QSize(300, 120)}) {
            plot.resize(size);
            EXPECT_FALSE(plot.grab().isNull());
        }
    }
    plot.setCurves({}, "");
    EXPECT_FALSE(plot.grab().isNull());
}

}  // namespace
}  // namespace gantry
