#include "ui/widgets/kept_focus.h"

#include <gtest/gtest.h>
#include <QHBoxLayout>
#include <QPushButton>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

class KeptFocusTest : public testing::Test {
  protected:
    KeptFocusTest() {
        auto* layout = new QHBoxLayout(&window);
        layout->addWidget(&part);
        layout->addWidget(&other);
        auto* within = new QHBoxLayout(&part);
        within->addWidget(&start);
        within->addWidget(&cancel);
        cancel.hide();
        test::show(window, {400, 60});
    }
    void setBusy(bool isBusy) {
        const KeptFocus focus(part, {&cancel, &start});
        start.setEnabled(!isBusy);
        cancel.setVisible(isBusy && m_canCancel);
    }

    QWidget window;
    QWidget part;
    QPushButton start, cancel, other;
    bool m_canCancel = true;
};

TEST_F(KeptFocusTest, GoesToTheHeirAndBack) {
    start.setFocus();
    setBusy(true);
    EXPECT_EQ(window.focusWidget(), &cancel);
    setBusy(false);
    EXPECT_EQ(window.focusWidget(), &start);
}

TEST_F(KeptFocusTest, WaitsWithThePartWhereThereIsNoHeir) {
    m_canCancel = false;
    start.setFocus();
    setBusy(true);
    EXPECT_EQ(window.focusWidget(), &part);
    setBusy(false);
    EXPECT_EQ(window.focusWidget(), &start);
}

TEST_F(KeptFocusTest, IsNotGivenToAGroupWhoseWidgetIsGone) {
    QWidget group(&part);
    group.setFocusProxy(&start);
    group.show();
    start.setFocus();
    {
        const KeptFocus focus(part, {&group});
        start.hide();
    }
    EXPECT_EQ(window.focusWidget(), &part);
    {
        const KeptFocus focus(part, {&group});
        start.show();
    }
    EXPECT_EQ(window.focusWidget(), &start);
}

TEST_F(KeptFocusTest, OfAnotherPartStaysThere) {
    other.setFocus();
    setBusy(true);
    EXPECT_EQ(window.focusWidget(), &other);
    setBusy(false);
    EXPECT_EQ(window.focusWidget(), &other);
}

}  // namespace
}  // namespace gantry
