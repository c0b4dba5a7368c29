#include "ui/widgets/fields/number_field.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <cmath>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

struct Edit {
    double value;
    bool isFinal;
    friend bool operator==(const Edit&, const Edit&) = default;
};

class NumberFieldTest : public testing::Test {
  protected:
    explicit NumberFieldTest(NumberField::Style style = {.unit = "mm", .range = {{1, 2000}}})
        : m_field(std::move(style), &m_window), m_label("Source–object distance", &m_window) {
        m_field.attachLabel(&m_label);
        m_field.setValue(600);
        auto* column = new QVBoxLayout(&m_window);
        column->addWidget(&m_label);
        column->addWidget(&m_field);
        column->addWidget(&m_other);
        column->addStretch();
        QObject::connect(&m_field, &NumberField::valueEdited, &m_field,
                         [this](double value, bool isFinal) {
                             m_edits.push_back({value, isFinal});
                         });
        test::show(m_window, {240, 200});
        m_edit = m_field.findChild<QLineEdit*>("edit");
        m_edit->setFocus();
        m_edit->selectAll();
    }

    [[nodiscard]] std::string text() const { return m_edit->text().toStdString(); }

    QWidget m_window;
    NumberField m_field;
    QLabel m_label;
    QLineEdit m_other;
    QLineEdit* m_edit = nullptr;
    std::vector<Edit> m_edits;
};

TEST_F(NumberFieldTest, TypingThatIsForgottenIsNotApplied) {
    QTest::keyClicks(m_edit, "70");
    m_field.forgetTyping();
    EXPECT_EQ(text(), "600");
    m_other.setFocus();
    EXPECT_TRUE(m_edits.empty());
}

TEST_F(NumberFieldTest, EnterAppliesWhatWasTypedInAnyUnitAndWithAnyDecimalSign) {
    QTest::keyClicks(m_edit, "60,5 cm");
    EXPECT_TRUE(m_edits.empty());
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_EQ(m_edits, (std::vector<Edit>{{605, true}}));
    EXPECT_EQ(text(), "605");
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_EQ(m_edits.size(), 1U);
}

TEST_F(NumberFieldTest, LeavingAppliesAndEscapeRestores) {
    QTest::keyClicks(m_edit, "700");
    QTest::keyClick(m_edit, Qt::Key_Escape);
    EXPECT_EQ(text(), "600");
    QTest::keyClicks(m_edit, "800");
    m_other.setFocus();
    EXPECT_EQ(m_edits, (std::vector<Edit>{{800, true}}));
}

class ZeroFieldTest : public NumberFieldTest {
  protected:
    ZeroFieldTest() : NumberFieldTest({.range = {{0, 50}}, .zero = "usual"}) {}
};

TEST_F(ZeroFieldTest, AWordStandsInPlaceOfZero) {
    EXPECT_EQ(m_edit->placeholderText().toStdString(), "usual");
    QTest::keyClick(m_edit, Qt::Key_Delete);
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_EQ(m_edits, (std::vector<Edit>{{0, true}}));
    EXPECT_EQ(text(), "");
    QTest::keyClicks(m_edit, "12");
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_EQ(text(), "12");
    QTest::keyClick(m_edit, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(m_edit, "0");
    m_other.setFocus();
    EXPECT_EQ(text(), "");
    EXPECT_EQ(m_edits.back(), (Edit{0, true}));
    EXPECT_EQ(m_field.problem().toStdString(), "");
}

TEST_F(NumberFieldTest, WhatIsOutOfRangeStaysVisibleWithTheReason) {
    QTest::keyClicks(m_edit, "5000");
    EXPECT_EQ(m_field.problem().toStdString(), "At most 2000 mm.");
    QTest::keyClick(m_edit, Qt::Key_Return);
    m_other.setFocus();
    EXPECT_TRUE(m_edits.empty());
    EXPECT_EQ(m_field.value(), 600);
    EXPECT_EQ(text(), "5000");
    m_field.setValue(600);  // others tell what they had told before
    EXPECT_EQ(text(), "5000");
    EXPECT_TRUE(m_field.findChild<QLabel*>("problem")->isVisible());
    m_field.setValue(601);
    EXPECT_EQ(text(), "601");
    EXPECT_TRUE(m_field.problem().isEmpty());
}

TEST_F(NumberFieldTest, SaysWhatIsNoNumberAndForgivesWhatIsNotYetOne) {
    QTest::keyClicks(m_edit, "1e");
    EXPECT_TRUE(m_field.problem().isEmpty());
    QTest::keyClicks(m_edit, "x");
    EXPECT_FALSE(m_field.problem().isEmpty());
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_NE(m_field.problem().indexOf("600 mm"), -1);
    EXPECT_TRUE(m_edits.empty());
    QTest::keyClick(m_edit, Qt::Key_Escape);
    EXPECT_TRUE(m_field.problem().isEmpty());
}

TEST_F(NumberFieldTest, AValueFromElsewhereDoesNotDisturbTyping) {
    QTest::keyClicks(m_edit, "70");
    m_field.setValue(650);
    EXPECT_EQ(text(), "70");
    QTest::keyClick(m_edit, Qt::Key_Escape);
    EXPECT_EQ(text(), "650");
    EXPECT_TRUE(m_edits.empty());
}

TEST_F(NumberFieldTest, ArrowKeysStepAndStopAtTheRange) {
    QTest::keyClick(m_edit, Qt::Key_Up);
    QTest::keyClick(m_edit, Qt::Key_Up, Qt::ShiftModifier);
    QTest::keyClick(m_edit, Qt::Key_Down, Qt::ControlModifier);
    EXPECT_DOUBLE_EQ(m_field.value(), 610.9);
    m_field.setValue(1999.5);
    QTest::keyClick(m_edit, Qt::Key_Up);
    EXPECT_EQ(m_field.value(), 2000);
    ASSERT_TRUE(test::waitUntil([&] { return m_edits.back().isFinal; }));
    EXPECT_EQ(m_edits.back(), (Edit{2000, true}));
    EXPECT_FALSE(m_edits.front().isFinal);
}

TEST_F(NumberFieldTest, TheWheelCountsOnlyWhereThePointerHasClickedSinceItCameIn) {
    // The focus alone, by the keyboard, is no click.
    test::wheel(*m_edit, {5, 5}, 2);
    EXPECT_EQ(m_field.value(), 600);
    QTest::mouseMove(m_edit, {5, 5});
    ASSERT_TRUE(test::waitUntil([&] { return m_edit->underMouse(); }));
    QTest::mouseClick(m_edit, Qt::LeftButton, {}, {5, 5});
    test::wheel(*m_edit, {5, 5}, 2);
    EXPECT_EQ(m_field.value(), 602);
    // Gone and back again: no click since.
    QTest::mouseMove(&m_window, {5, 195});
    ASSERT_TRUE(test::waitUntil([&] { return !m_edit->underMouse(); }));
    QTest::mouseMove(m_edit, {5, 5});
    test::wheel(*m_edit, {5, 5}, 2);
    EXPECT_EQ(m_field.value(), 602);
    EXPECT_TRUE(m_edit->hasFocus());
    QTest::mouseClick(m_edit, Qt::LeftButton, {}, {5, 5});
    m_other.setFocus();
    EXPECT_EQ(m_edits.back(), (Edit{602, true}));
    test::wheel(*m_edit, {5, 5}, 2);
    EXPECT_EQ(m_field.value(), 602);
}

TEST_F(NumberFieldTest, DraggingTheLabelScrubs) {
    EXPECT_EQ(m_label.cursor().shape(), Qt::SizeHorCursor);
    test::drag(m_label, {10, 5}, {60, 5});
    EXPECT_EQ(m_field.value(), 650);
    EXPECT_EQ(m_edits.back(), (Edit{650, true}));
    ASSERT_GT(m_edits.size(), 2U);
    EXPECT_FALSE(m_edits.front().isFinal);
    m_edits.clear();
    test::drag(m_label, {60, 5}, {10, 5}, Qt::LeftButton, Qt::ControlModifier);
    EXPECT_DOUBLE_EQ(m_field.value(), 645);
}

TEST_F(NumberFieldTest, AClickOnTheLabelGoesToTheField) {
    m_other.setFocus();
    QTest::mouseClick(&m_label, Qt::LeftButton);
    EXPECT_TRUE(m_edit->hasFocus());
    EXPECT_TRUE(m_edits.empty());
}

TEST_F(NumberFieldTest, ADisabledFieldIsNotChanged) {
    m_field.setEnabled(false);
    test::drag(m_label, {10, 5}, {60, 5});
    EXPECT_EQ(m_field.value(), 600);
}

TEST_F(NumberFieldTest, ShowsProblemsOfOthersAndGuesses) {
    auto* problem = m_field.findChild<QLabel*>("problem");
    auto* guess = m_field.findChild<QLabel*>("guess");
    EXPECT_FALSE(problem->isVisible());
    m_field.setProblem("The detector is nearer than the object.", true);
    m_field.setGuess("From the image's tags");
    EXPECT_TRUE(problem->isVisible());
    EXPECT_TRUE(guess->isVisible());
    EXPECT_EQ(guess->toolTip(), "From the image's tags");
    // What is typed goes first, and the other comes back after it.
    QTest::keyClicks(m_edit, "x");
    EXPECT_NE(m_field.problem(), "The detector is nearer than the object.");
    QTest::keyClick(m_edit, Qt::Key_Escape);
    EXPECT_EQ(m_field.problem(), "The detector is nearer than the object.");
    m_field.setProblem({}, true);
    m_field.setGuess({});
    EXPECT_FALSE(problem->isVisible());
    EXPECT_FALSE(guess->isVisible());
}

TEST_F(NumberFieldTest, IsNamedForThoseWhoListen) {
    EXPECT_EQ(m_edit->accessibleName().toStdString(), "Source–object distance, mm");
}

TEST_F(NumberFieldTest, NaNIsAnEmptyFieldThatCanBeFilled) {
    m_field.setValue(std::nan(""));
    EXPECT_EQ(text(), "");
    EXPECT_TRUE(m_edits.empty());
    QTest::keyClicks(m_edit, "5");
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_EQ(m_edits, (std::vector<Edit>{{5, true}}));
}

class WholeNumberFieldTest : public NumberFieldTest {
  protected:
    WholeNumberFieldTest() : NumberFieldTest({.unit = "", .whole = true, .range = {{1, 4096}}}) {}
};

TEST_F(WholeNumberFieldTest, RefusesFractionsAndStepsByOneAtLeast) {
    QTest::keyClicks(m_edit, "2.5");
    QTest::keyClick(m_edit, Qt::Key_Return);
    EXPECT_TRUE(m_edits.empty());
    EXPECT_FALSE(m_field.problem().isEmpty());
    QTest::keyClick(m_edit, Qt::Key_Escape);
    QTest::keyClick(m_edit, Qt::Key_Up, Qt::ControlModifier);
    EXPECT_EQ(m_field.value(), 601);
}

TEST_F(NumberFieldTest, LeavesTheWheelToTheScrollAreaAroundItUnlessItWasClicked) {
    const auto isTaken = [&] {
        QWheelEvent event({5, 5}, m_edit->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton,
                          {}, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_edit, &event);
        return event.isAccepted();
    };
    EXPECT_FALSE(isTaken());
    QTest::mouseClick(m_edit, Qt::LeftButton, {}, {5, 5});
    EXPECT_TRUE(isTaken());
}

}  // namespace
}  // namespace gantry
