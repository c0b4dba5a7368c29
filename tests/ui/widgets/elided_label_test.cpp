#include "ui/widgets/elided_label.h"

#include <gtest/gtest.h>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

TEST(ElidedLabel, ShortensTheMiddleAndSaysTheWholeInItsToolTip) {
    ElidedLabel label(Qt::ElideMiddle);
    const QString whole = "walnut 512 × 512 × 512 Ram-Lak 15:27:13";
    label.setWholeText(whole);
    const int wide = label.fontMetrics().horizontalAdvance(whole) + 20;
    test::show(label, {wide, 30});
    EXPECT_EQ(label.text(), whole);
    label.resize(wide / 2, 30);
    EXPECT_TRUE(label.text().startsWith("wal")) << label.text().toStdString();
    EXPECT_TRUE(label.text().contains(QChar(0x2026)));
    EXPECT_TRUE(label.text().endsWith("13"));
    EXPECT_EQ(label.toolTip(), whole);
    label.resize(wide, 30);
    EXPECT_EQ(label.text(), whole);
}

TEST(ElidedLabel, KeepsAToolTipOfItsOwn) {
    ElidedLabel label(Qt::ElideLeft);
    label.setToolTip("Where the next volume goes.");
    label.setWholeText("/data/walnut.mha");
    EXPECT_EQ(label.toolTip(), "Where the next volume goes.");
}

}  // namespace
}  // namespace gantry
