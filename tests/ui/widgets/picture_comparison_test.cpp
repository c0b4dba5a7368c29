#include "tests/ui/support/picture_comparison.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <functional>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

// A small panel as the program has them, in both themes, and its baselines.
class PictureComparisonTest : public testing::TestWithParam<ThemeKind> {
  protected:
    void SetUp() override {
        applyTheme(application(), GetParam());
        m_muted->setProperty("muted", true);
        m_primary->setProperty("primary", true);
        m_tool->setIcon(icon("trash"));
        m_tool->setGeometry(280, 190, 28, 28);
        m_check->setChecked(true);
        m_check->setGeometry(10, 40, 140, 24);
        m_title->setGeometry(10, 10, 140, 20);
        m_muted->setGeometry(160, 10, 150, 20);
        m_name->setGeometry(10, 76, 200, 26);
        m_window->addItems({"Ram-Lak", "Hann"});
        m_window->setGeometry(10, 110, 200, 26);
        m_primary->setGeometry(10, 150, 120, 28);
        m_plain->setGeometry(140, 150, 120, 28);
        m_disabled->setEnabled(false);
        m_disabled->setGeometry(10, 190, 120, 28);
        test::show(m_panel, {320, 230});
        m_baseline = test::baselineOf(picture());
    }
    void TearDown() override { applyTheme(application(), ThemeKind::dark); }

    static QApplication& application() {
        return *static_cast<QApplication*>(QCoreApplication::instance());
    }
    [[nodiscard]] QImage picture() {
        if (QWidget* focused = m_panel.focusWidget()) focused->clearFocus();
        test::pass(20);
        return m_panel.grab().toImage();
    }
    [[nodiscard]] bool isSeen() { return !test::compare(picture(), m_baseline).sentence.isEmpty(); }
    // The panel with another colour in place of that one.
    [[nodiscard]] bool isSeenInPlaceOf(const QColor& colour, const QColor& other) {
        QImage image = picture().convertToFormat(QImage::Format_RGB32);
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (image.pixel(x, y) == colour.rgb()) image.setPixel(x, y, other.rgb());
        return !test::compare(image, m_baseline).sentence.isEmpty();
    }

    QWidget m_panel;
    QLabel* m_title = new QLabel("Centre of rotation", &m_panel);
    QLabel* m_muted = new QLabel("0 px off", &m_panel);
    QCheckBox* m_check = new QCheckBox("Only a region", &m_panel);
    QLineEdit* m_name = new QLineEdit("walnut", &m_panel);
    QComboBox* m_window = new QComboBox(&m_panel);
    QPushButton* m_primary = new QPushButton("Reconstruct", &m_panel);
    QPushButton* m_plain = new QPushButton("Export…", &m_panel);
    QPushButton* m_disabled = new QPushButton("Cancel", &m_panel);
    QToolButton* m_tool = new QToolButton(&m_panel);
    QImage m_baseline;
};

TEST_P(PictureComparisonTest, ThePictureIsAsItsBaselineAlsoWhenItHasBeenAFile) {
    EXPECT_FALSE(isSeen());
    const test::TemporaryFolder folder;
    const QString file = QString::fromStdString((folder / "baseline.png").string());
    ASSERT_TRUE(m_baseline.save(file));
    m_baseline = QImage(file);
    EXPECT_FALSE(isSeen());
    EXPECT_LE(m_baseline.colorCount(), 256);
    EXPECT_EQ(m_baseline.size(), m_panel.size() / 2);
}

TEST_P(PictureComparisonTest, AnotherSizeIsSeen) {
    m_panel.resize(321, 230);
    EXPECT_TRUE(isSeen());
    EXPECT_EQ(test::compare(picture(), m_baseline).sentence,
              "its size is 321 x 230 instead of 320 x 230 pixels");
    EXPECT_EQ(test::compare(picture(), QImage()).sentence, "there is none");
}

TEST_P(PictureComparisonTest, WhatVanishesIsSeen) {
    for (auto* part : m_panel.findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        part->hide();
        EXPECT_TRUE(isSeen()) << part->metaObject()->className();
        part->show();
        EXPECT_FALSE(isSeen()) << part->metaObject()->className();
    }
}

TEST_P(PictureComparisonTest, WhatMovesByEightPixelsIsSeen) {
    for (auto* part : m_panel.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        for (const QPoint by : {QPoint(8, 0), QPoint(-8, 0), QPoint(0, 8), QPoint(0, -8)}) {
            part->move(part->pos() + by);
            EXPECT_TRUE(isSeen()) << part->metaObject()->className() << " by " << by.x() << ", "
                                  << by.y();
            part->move(part->pos() - by);
        }
    EXPECT_FALSE(isSeen());
}

TEST_P(PictureComparisonTest, WhatLosesItsTextIsSeen) {
    const std::function<void()> changes[] = {
        [&] { m_title->clear(); },          [&] { m_muted->clear(); },
        [&] { m_check->setText({}); },      [&] { m_name->clear(); },
        [&] { m_window->clear(); },         [&] { m_primary->setText({}); },
        [&] { m_plain->setText({}); },      [&] { m_disabled->setText({}); },
        [&] { m_check->setChecked(false); }};
    for (const auto& change : changes) {
        change();
        const QImage image = picture();
        EXPECT_TRUE(isSeen()) << &change - changes;
        m_baseline = test::baselineOf(image);
    }
}

TEST_P(PictureComparisonTest, AnotherColourOfThePaletteIsSeen) {
    const Theme theme = themeFor(GetParam());
    for (const QColor& surface : {theme.background, theme.panel, theme.accent}) {
        const int change = surface.blue() < 128 ? 4 : -4;
        const QColor other(surface.red(), surface.green(), surface.blue() + change);
        EXPECT_TRUE(isSeenInPlaceOf(surface, other)) << surface.name().toStdString();
    }
    for (const auto& [label, other] : {std::pair(m_title, theme.muted), {m_muted, theme.error}}) {
        label->setStyleSheet("color: " + other.name());
        EXPECT_TRUE(isSeen()) << other.name().toStdString();
        label->setStyleSheet({});
        EXPECT_FALSE(isSeen()) << other.name().toStdString();
    }
}

// FreeType's versions and settings draw letters differently.
TEST_P(PictureComparisonTest, OtherLettersAreTolerated) {
    QFont font = m_panel.font();
    for (const auto hinting : {QFont::PreferNoHinting, QFont::PreferVerticalHinting}) {
        font.setHintingPreference(hinting);
        m_panel.setFont(font);
        EXPECT_FALSE(isSeen()) << hinting;
    }
}

TEST_P(PictureComparisonTest, APixelIsTolerated) {
    for (QWidget* part : {static_cast<QWidget*>(m_title), static_cast<QWidget*>(m_muted)})
        for (const QPoint by : {QPoint(1, 0), QPoint(-1, 0), QPoint(0, 1), QPoint(0, -1)}) {
            part->move(part->pos() + by);
            EXPECT_FALSE(isSeen()) << by.x() << ", " << by.y();
            part->move(part->pos() - by);
        }
}

TEST_P(PictureComparisonTest, TheSheetShowsBothAndWhere) {
    m_primary->hide();
    const QImage now = picture();
    const test::PictureDifference difference = test::compare(now, m_baseline);
    ASSERT_FALSE(difference.squares.empty());
    QRect where;
    for (const QRect& square : difference.squares)
        where |= square;
    EXPECT_TRUE(where.contains(m_primary->geometry().center()));
    EXPECT_FALSE(where.intersects(m_plain->geometry().adjusted(16, 0, 0, 0)));
    const QImage sheet = test::comparisonSheet(now, m_baseline, difference);
    EXPECT_GE(sheet.width(), 3 * now.width());
    EXPECT_EQ(sheet.height(), now.height());
}

INSTANTIATE_TEST_SUITE_P(Pictures, PictureComparisonTest,
                         testing::Values(ThemeKind::dark, ThemeKind::light), [](const auto& theme) {
                             return theme.param == ThemeKind::dark ? "Dark" : "Light";
                         });

}  // namespace
}  // namespace gantry
