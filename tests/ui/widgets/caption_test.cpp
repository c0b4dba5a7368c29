#include "ui/widgets/image/caption.h"

#include <gtest/gtest.h>

#include <QFont>
#include <QFontMetrics>
#include <QString>

namespace gantry {
namespace {

const QChar kEllipsis(0x2026);

int linesOf(const QString& text, const QFontMetrics& metrics, int width) {
    const QRect place(0, 0, width, 10'000);
    return metrics.boundingRect(place, Qt::TextWordWrap, text).height() / metrics.lineSpacing();
}

TEST(Caption, TakesAThirdOfThePicture) {
    EXPECT_EQ(captionWidth(600), 200);
    EXPECT_GE(captionWidth(60), 60) << "a narrower one would tell nothing";
}

TEST(Caption, ShortOnesStayAsTheyAre) {
    const QFontMetrics metrics{QFont()};
    EXPECT_EQ(fittedCaption("volume.mha of walnut", metrics, 150), "volume.mha of walnut");
    EXPECT_EQ(fittedCaption("", metrics, 150), "");
}

TEST(Caption, NamesLoseTheirMiddle) {
    const QFontMetrics metrics{QFont()};
    const QString text = "2026-11-27_walnut_512_ram-lak_final_version.mha of walnut";
    const QString shown = fittedCaption(text, metrics, 120);
    EXPECT_TRUE(shown.startsWith("2026")) << shown.toStdString();
    EXPECT_TRUE(shown.contains(kEllipsis));
    EXPECT_TRUE(shown.endsWith(".mha of walnut")) << shown.toStdString();
    EXPECT_LE(metrics.boundingRect({0, 0, 120, 10'000}, Qt::TextWordWrap, shown).width(), 120);
}

TEST(Caption, NeverTakesMoreThanFourLines) {
    const QFontMetrics metrics{QFont()};
    QString text = "first";
    for (int i = 0; i < 60; ++i)
        text += " word";
    const QString shown = fittedCaption(text + " last.mha", metrics, 120);
    EXPECT_LE(linesOf(shown, metrics, 120), 4);
    EXPECT_GE(linesOf(shown, metrics, 120), 3);
    EXPECT_TRUE(shown.startsWith("first ")) << shown.toStdString();
    EXPECT_TRUE(shown.endsWith(" last.mha")) << shown.toStdString();
    EXPECT_TRUE(shown.contains(kEllipsis));
}

}  // namespace
}  // namespace gantry
