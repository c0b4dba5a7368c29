// "1,000" and "1.000" typed into a number field.
#include "ui/widgets/fields/number_question.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QVBoxLayout>
#include <vector>

#include "tests/ui/support/ui_test.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

class NumberQuestionTest : public testing::Test {
  protected:
    NumberQuestionTest() {
        m_field.setValue(600);
        auto* column = new QVBoxLayout(&m_window);
        column->addWidget(&m_field);
        column->addWidget(&m_other);
        column->addStretch();
        QObject::connect(&m_field, &NumberField::valueEdited, &m_field,
                         [this](double value, bool) { m_edits.push_back(value); });
        test::show(m_window, {240, 160});
        m_edit->setFocus();
        m_edit->selectAll();
    }

    void type(const QString& text) {
        m_edit->selectAll();
        QTest::keyClicks(m_edit, text);
        QTest::keyClick(m_edit, Qt::Key_Return);
    }
    [[nodiscard]] bool isAsked() const { return m_question->isVisible(); }
    [[nodiscard]] QPushButton& reading(int i) const {
        return *m_question->findChild<QPushButton*>(QString("reading%1").arg(i));
    }
    [[nodiscard]] std::string text() const { return m_edit->text().toStdString(); }

    // The window takes them with it.
    QWidget m_window;
    NumberField& m_field = *new NumberField({.unit = "mm", .digits = 8}, &m_window);
    QLineEdit& m_other = *new QLineEdit(&m_window);
    QLineEdit* m_edit = m_field.findChild<QLineEdit*>("edit");
    NumberQuestion* m_question = m_field.findChild<NumberQuestion*>();
    std::vector<double> m_edits;
};

TEST_F(NumberQuestionTest, WhatCanBeReadInTwoWaysIsAskedBackAndNotApplied) {
    QTest::keyClicks(m_edit, "1,000");
    EXPECT_FALSE(isAsked()) << "it may yet become 1,0005";
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_TRUE(isAsked());
    EXPECT_EQ(reading(0).text().toStdString(), "1000 mm");
    EXPECT_EQ(reading(1).text().toStdString(), "1 mm");
    EXPECT_TRUE(m_field.problem().startsWith("1,000 can be read in two ways"));
    EXPECT_EQ(text(), "1,000");
    EXPECT_TRUE(m_field.isPending());
    m_other.setFocus();
    EXPECT_TRUE(isAsked());
    EXPECT_TRUE(m_edits.empty());
    test::screenshots(m_window, "number-question");
}

TEST_F(NumberQuestionTest, AClickChooses) {
    type("1.000");
    QTest::mouseClick(&reading(0), Qt::LeftButton);
    EXPECT_EQ(m_edits, std::vector<double>{1000});
    EXPECT_EQ(text(), "1000");
    EXPECT_FALSE(isAsked());
    EXPECT_TRUE(m_field.problem().isEmpty());
    EXPECT_TRUE(m_edit->hasFocus());
}

TEST_F(NumberQuestionTest, TheKeyboardReachesBothReadings) {
    type("12.500");
    QTest::keyClick(m_edit, Qt::Key_Tab);
    EXPECT_TRUE(reading(0).hasFocus());
    QTest::keyClick(&reading(0), Qt::Key_Tab);
    ASSERT_TRUE(reading(1).hasFocus());
    QTest::keyClick(&reading(1), Qt::Key_Return);
    EXPECT_EQ(m_edits, std::vector<double>{12.5});
    type("1,000");
    QTest::keyClick(m_edit, Qt::Key_Down);
    ASSERT_TRUE(reading(0).hasFocus());
    QTest::keyClick(&reading(0), Qt::Key_Space);
    EXPECT_EQ(m_edits, (std::vector<double>{12.5, 1000}));
}

TEST_F(NumberQuestionTest, EscapeRestoresFromTheFieldAndFromTheButtons) {
    type("1,000");
    QTest::keyClick(m_edit, Qt::Key_Escape);
    EXPECT_EQ(text(), "600");
    EXPECT_FALSE(isAsked());
    type("1,000");
    QTest::keyClick(m_edit, Qt::Key_Tab);
    QTest::keyClick(&reading(0), Qt::Key_Escape);
    EXPECT_EQ(text(), "600");
    EXPECT_FALSE(isAsked());
    EXPECT_TRUE(m_edit->hasFocus());
    EXPECT_TRUE(m_edits.empty());
}

TEST_F(NumberQuestionTest, MoreTypingTakesTheQuestionAway) {
    type("1,000");
    QTest::keyClick(m_edit, Qt::Key_End);
    QTest::keyClicks(m_edit, "5");
    EXPECT_FALSE(isAsked());
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_EQ(m_edits, std::vector<double>{1.0005});
}

TEST_F(NumberQuestionTest, WhatTheFieldShowsIsTakenBackAsItIs) {
    m_field.setValue(1.125);
    m_edit->selectAll();
    QTest::keyClick(m_edit, Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(m_edit, Qt::Key_V, Qt::ControlModifier);
    ASSERT_EQ(QApplication::clipboard()->text().toStdString(), "1.125");
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_FALSE(isAsked());
    EXPECT_TRUE(m_edits.empty());
    EXPECT_FALSE(m_field.isPending());
}

TEST_F(NumberQuestionTest, ThePointThatTheFieldShowedPartsDecimals) {
    m_field.setValue(1.125);
    m_edit->deselect();
    QTest::keyClick(m_edit, Qt::Key_End);
    QTest::keyClick(m_edit, Qt::Key_Backspace);
    QTest::keyClicks(m_edit, "6");
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_EQ(m_edits, std::vector<double>{1.126});
    // Typed over, it is the user's point.
    type("1.127");
    EXPECT_TRUE(isAsked());
}

TEST_F(NumberQuestionTest, ArrowKeysDoNotGuess) {
    m_edit->selectAll();
    QTest::keyClicks(m_edit, "1,000");
    QTest::keyClick(m_edit, Qt::Key_Up);
    EXPECT_TRUE(isAsked());
    EXPECT_TRUE(m_edits.empty());
}

}  // namespace
}  // namespace gantry
