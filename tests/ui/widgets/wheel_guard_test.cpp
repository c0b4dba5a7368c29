#include "ui/widgets/style/wheel_guard.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

// Down by one step, as the window system tells it: only then it goes on to the widgets around.
void turnWheel(QWidget& widget) {
    const QPointF at(5, 5);
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, -120}, Qt::NoButton, {},
                      Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&event);
    qApp->notify(&widget, &event);
}

// A form that is longer than its window, with every kind of field that the wheel could change.
class WheelGuardTest : public testing::Test {
  protected:
    WheelGuardTest() {
        auto* form = new QWidget;
        auto* column = new QVBoxLayout(form);
        m_box->addItems({"Ram-Lak", "Cosine", "Hann"});
        m_slider->setRange(0, 100);
        for (QWidget* field : {static_cast<QWidget*>(m_box), static_cast<QWidget*>(m_slider),
                               static_cast<QWidget*>(m_number)})
            column->addWidget(field);
        column->addSpacing(900);
        m_form.setWidget(form);
        m_form.setWidgetResizable(true);
        test::show(m_form, {230, 300});
        QTest::mouseMove(&m_form, {100, 290});
    }

    // How far the form is scrolled by a turn over a field.
    int scrolledBy(QWidget& field) {
        m_form.verticalScrollBar()->setValue(0);
        turnWheel(field);
        return m_form.verticalScrollBar()->value();
    }

    QScrollArea m_form;
    QComboBox* m_box = new QComboBox;
    QSlider* m_slider = new QSlider(Qt::Horizontal);
    QSpinBox* m_number = new QSpinBox;
};

TEST_F(WheelGuardTest, TheWheelScrollsTheFormOverFieldsThatWereNotClicked) {
    m_number->setValue(7);
    m_slider->setValue(40);
    m_number->setFocus();
    EXPECT_GT(scrolledBy(*m_box), 0);
    EXPECT_GT(scrolledBy(*m_slider), 0);
    EXPECT_GT(scrolledBy(*m_number), 0);
    EXPECT_GT(scrolledBy(*m_number->findChild<QLineEdit*>()), 0);
    EXPECT_EQ(m_box->currentIndex(), 0);
    EXPECT_EQ(m_slider->value(), 40);
    EXPECT_EQ(m_number->value(), 7);
    EXPECT_TRUE(m_number->hasFocus());
}

TEST_F(WheelGuardTest, AClickGivesTheWheelUntilThePointerLeaves) {
    m_number->setValue(7);
    auto* text = m_number->findChild<QLineEdit*>();
    QTest::mouseMove(text, {5, 5});
    ASSERT_TRUE(test::waitUntil([&] { return m_number->underMouse(); }));
    QTest::mouseClick(text, Qt::LeftButton, {}, {5, 5});
    EXPECT_EQ(scrolledBy(*text), 0);
    EXPECT_EQ(m_number->value(), 6);
    QTest::mouseMove(&m_form, {100, 290});
    ASSERT_TRUE(test::waitUntil([&] { return !m_number->underMouse(); }));
    QTest::mouseMove(text, {5, 5});
    EXPECT_GT(scrolledBy(*text), 0);
    EXPECT_EQ(m_number->value(), 6);
}

}  // namespace
}  // namespace gantry
