#include "ui/widgets/folding_group.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

TEST(FoldingGroup, IsUnfoldedByClickAndKey) {
    auto* content = new QLabel("Numbers");
    FoldingGroup group("Clipping", content);
    test::show(group, {200, 80});
    EXPECT_FALSE(content->isVisible());
    auto* heading = group.findChild<QToolButton*>();
    QTest::mouseClick(heading, Qt::LeftButton);
    EXPECT_TRUE(content->isVisible());
    EXPECT_TRUE(group.isUnfolded());
    heading->setFocus();
    QTest::keyClick(heading, Qt::Key_Space);
    EXPECT_FALSE(content->isVisible());
}

}  // namespace
}  // namespace gantry
