#include "ui/widgets/fields/pending_edit.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QMainWindow>
#include <QScrollArea>
#include <QTest>
#include <QUndoStack>
#include <QVBoxLayout>
#include <vector>

#include "tests/ui/support/ui_test.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/fields/text_field.h"

namespace gantry {
namespace {

// A window with a form in a dock, longer than the dock, and a command with a key.
class PendingEditTest : public testing::Test {
  protected:
    PendingEditTest() {
        auto* form = new QWidget;
        auto* column = new QVBoxLayout(form);
        m_field->setValue(1100);
        column->addWidget(m_field);
        column->addSpacing(900);
        column->addWidget(m_name);
        auto* area = new QScrollArea;
        area->setWidgetResizable(true);
        area->setWidget(form);
        m_dock->setWidget(area);
        m_window.addDockWidget(Qt::LeftDockWidgetArea, m_dock);
        m_centre->setFocusPolicy(Qt::StrongFocus);
        m_window.setCentralWidget(m_centre);
        m_command->setShortcut(QKeySequence("Ctrl+R"));
        m_window.addAction(m_command);
        QObject::connect(m_command, &QAction::triggered, &m_window,
                         [this] { m_wasTaken = takePendingEdits(*m_centre); });
        QObject::connect(m_field, &NumberField::valueEdited, &m_window,
                         [this](double value, bool) { m_edits.push_back(value); });
        QObject::connect(m_name, &QLineEdit::editingFinished, &m_window, [this] {
            if (!m_name->text().contains('/')) m_name->setModified(false);
        });
        test::show(m_window, {600, 400});
        edit().setFocus();
        edit().selectAll();
    }

    [[nodiscard]] QLineEdit& edit() const { return *m_field->findChild<QLineEdit*>("edit"); }

    // Outlive the window, which takes what is being typed when it is closed.
    bool m_wasTaken = false;
    std::vector<double> m_edits;
    QMainWindow m_window;
    QDockWidget* m_dock = new QDockWidget;
    QWidget* m_centre = new QWidget;
    NumberField* m_field = new NumberField({.unit = "mm"});
    TextField* m_name = new TextField;
    QAction* m_command = new QAction(&m_window);
};

TEST_F(PendingEditTest, ACommandsKeyTakesWhatIsBeingTyped) {
    QTest::keyClicks(&edit(), "1150");
    EXPECT_TRUE(m_field->isPending());
    QTest::keyClick(&edit(), Qt::Key_R, Qt::ControlModifier);
    EXPECT_TRUE(m_wasTaken);
    EXPECT_EQ(m_edits, std::vector<double>{1150});
    EXPECT_FALSE(m_field->isPending());
}

TEST_F(PendingEditTest, ACommandThatTheEditMakesPossibleIsDone) {
    m_command->setEnabled(false);
    QObject::connect(m_field, &NumberField::valueEdited, m_command,
                     [this](double value) { m_command->setEnabled(value > 1100); });
    QTest::keyClicks(&edit(), "1150");
    QTest::keyClick(&edit(), Qt::Key_R, Qt::ControlModifier);
    EXPECT_TRUE(m_wasTaken);
}

TEST_F(PendingEditTest, KeysOfTheTextItselfTakeNothing) {
    QTest::keyClicks(&edit(), "11");
    QTest::keyClick(&edit(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&edit(), Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(&edit(), Qt::Key_Left, Qt::ControlModifier);
    QTest::keyClick(&edit(), Qt::Key_Control);
    EXPECT_TRUE(m_edits.empty());
    EXPECT_TRUE(m_field->isPending());
}

TEST_F(PendingEditTest, WhatCannotBeTakenKeepsTheFocusAndSaysWhy) {
    for (const char* text : {"11x", "1,150"}) {
        edit().selectAll();
        QTest::keyClicks(&edit(), text);
        // Elsewhere by then, with its dock hidden.
        m_centre->setFocus();
        m_dock->hide();
        EXPECT_FALSE(takePendingEdits(m_window)) << text;
        EXPECT_TRUE(m_dock->isVisible());
        EXPECT_TRUE(edit().hasFocus());
        EXPECT_FALSE(m_field->problem().isEmpty());
        EXPECT_TRUE(m_edits.empty());
    }
    QTest::keyClick(&edit(), Qt::Key_Escape);
    EXPECT_TRUE(takePendingEdits(m_window));
}

TEST_F(PendingEditTest, AFieldOutOfViewIsScrolledTo) {
    m_name->setFocus();
    QTest::keyClicks(m_name, "a/b");
    m_field->setFocus();
    test::pass(50);
    EXPECT_FALSE(takePendingEdits(m_window));
    EXPECT_TRUE(m_name->hasFocus());
    EXPECT_FALSE(m_name->visibleRegion().isEmpty());
}

TEST_F(PendingEditTest, FieldsThatAreNotAskedForDoNotCount) {
    QTest::keyClicks(&edit(), "x");
    m_centre->setFocus();
    m_field->hide();
    EXPECT_TRUE(takePendingEdits(m_window));
    m_field->show();
    m_field->setEnabled(false);
    EXPECT_TRUE(takePendingEdits(m_window));
}

TEST_F(PendingEditTest, ATextIsAppliedByCommandsAndRestoredByEscape) {
    m_name->setText("walnut");
    m_name->setFocus();
    QTest::keyClicks(m_name, "-2");
    QTest::keyClick(m_name, Qt::Key_R, Qt::ControlModifier);
    EXPECT_TRUE(m_wasTaken);
    EXPECT_FALSE(m_name->isModified());
    m_name->setText("walnut-2");
    QTest::keyClicks(m_name, "/3");
    QTest::keyClick(m_name, Qt::Key_Escape);
    EXPECT_EQ(m_name->text().toStdString(), "walnut-2");
    EXPECT_TRUE(takePendingEdits(m_window));
}

// The undo stack of a document that holds one number.
class UndoneEditTest : public PendingEditTest {
  protected:
    struct Change : QUndoCommand {
        Change(NumberField& shown, double was, double is) : field(shown), before(was), after(is) {}
        void undo() override { field.setValue(before); }
        void redo() override { field.setValue(after); }
        NumberField& field;
        double before;
        double after;
    };
    UndoneEditTest() {
        QObject::connect(m_field, &NumberField::valueEdited, &m_stack, [this](double value) {
            m_stack.push(new Change(*m_field, std::exchange(m_before, value), value));
        });
        auto* undo = m_stack.createUndoAction(&m_window);
        undo->setShortcut(QKeySequence::Undo);
        auto* redo = m_stack.createRedoAction(&m_window);
        redo->setShortcut(QKeySequence("Ctrl+Shift+Z"));
        m_window.addActions({undo, redo});
    }

    QUndoStack m_stack;
    double m_before = 1100;
};

TEST_F(UndoneEditTest, WhatWasTypedIsUndoneAsOneEditAndCanBeRedone) {
    QTest::keyClicks(&edit(), "1150");
    QTest::keyClick(&edit(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(edit().text().toStdString(), "1100");
    EXPECT_EQ(m_field->value(), 1100);
    QTest::keyClick(&edit(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(edit().text().toStdString(), "1150");
    EXPECT_EQ(m_field->value(), 1150);
}

TEST_F(UndoneEditTest, WhatCannotBeAppliedIsUndoneAsText) {
    QTest::keyClicks(&edit(), "1150");
    QTest::keyClick(&edit(), Qt::Key_Return);
    edit().deselect();
    QTest::keyClick(&edit(), Qt::Key_End);
    QTest::keyClicks(&edit(), "x");
    QTest::keyClick(&edit(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(edit().text().toStdString(), "1150");
    EXPECT_EQ(m_field->value(), 1150);
}

}  // namespace
}  // namespace gantry
