#include "ui/widgets/placeholder.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

TEST(Placeholder, SaysHowToGetSomethingAndDoesIt) {
    Placeholder placeholder("Open a scan to see its projections.", "Open…");
    int clicks = 0;
    QObject::connect(&placeholder, &Placeholder::clicked, &placeholder, [&] { ++clicks; });
    test::show(placeholder, {300, 200});
    auto* sentence = placeholder.findChild<QLabel*>("sentence");
    EXPECT_EQ(sentence->text().toStdString(), "Open a scan to see its projections.");
    auto* button = placeholder.findChild<QPushButton*>("action");
    EXPECT_NEAR(button->geometry().center().x(), 150, 2);
    QTest::mouseClick(button, Qt::LeftButton);
    placeholder.setFocus();
    QTest::keyClick(button, Qt::Key_Space);
    EXPECT_EQ(clicks, 2);
    placeholder.setSentence("The scan has no projections.");
    EXPECT_EQ(sentence->text().toStdString(), "The scan has no projections.");
}

TEST(Placeholder, HasNoButtonWhereThereIsNothingToDo) {
    const Placeholder placeholder("The job waits for its turn.");
    EXPECT_EQ(placeholder.findChild<QPushButton*>("action"), nullptr);
}

}  // namespace
}  // namespace gantry
