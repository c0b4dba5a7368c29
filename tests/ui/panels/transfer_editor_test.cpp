#include "ui/panels/volume/transfer_editor.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QTest>
#include <optional>
#include <vector>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

class TransferEditorTest : public testing::Test {
  protected:
    TransferEditorTest() {
        std::vector<float> voxels(1000, 0.0F);
        for (std::size_t i = 0; i < 400; ++i)
            voxels[i] = 0.02F + 1e-5F * static_cast<float>(i);
        voxels[999] = 0.05F;
        editor.setHistogram(histogramOf(voxels), "/mm");
        editor.setTransfer({{{0.01, 0, qRgb(0, 0, 255)}, {0.04, 0.5, qRgb(255, 0, 0)}}});
        test::show(editor, {300, 160});
        QObject::connect(&editor, &TransferEditor::edited, &editor,
                         [this](const TransferFunction&, bool isFinal) { finals += isFinal; });
        QObject::connect(&editor, &TransferEditor::colourRequested, &editor,
                         [this] { ++colourRequests; });
    }
    [[nodiscard]] const std::vector<TransferPoint>& points() const {
        return editor.transfer().points;
    }
    [[nodiscard]] QPoint placeOf(std::size_t i) const {
        return editor.placeOf(points()[i]).toPoint();
    }

    TransferEditor editor;
    int finals = 0;
    int colourRequests = 0;
};

TEST_F(TransferEditorTest, APointIsDraggedAndStaysBetweenItsNeighbours) {
    const QPoint from = placeOf(1);
    test::drag(editor, from, from + QPoint(-40, 20));
    EXPECT_LT(points()[1].value, 0.04);
    EXPECT_LT(points()[1].opacity, 0.5);
    EXPECT_EQ(points()[1].colour, qRgb(255, 0, 0));
    EXPECT_EQ(finals, 1);
    test::drag(editor, placeOf(1), placeOf(0) + QPoint(-30, 0));
    EXPECT_GT(points()[1].value, points()[0].value);
}

TEST_F(TransferEditorTest, ADoubleClickAddsAPointAndDeleteRemovesIt) {
    const QPoint between = (placeOf(0) + placeOf(1)) / 2 - QPoint(0, 15);
    QTest::mouseDClick(&editor, Qt::LeftButton, {}, between);
    ASSERT_EQ(points().size(), 3U);
    EXPECT_LT((editor.placeOf(points()[1]) - between).manhattanLength(), 2);
    EXPECT_GT(qRed(points()[1].colour), 50);  // of what was there
    EXPECT_GT(qBlue(points()[1].colour), 50);
    QTest::keyClick(&editor, Qt::Key_Delete);
    EXPECT_EQ(points().size(), 2U);
    QTest::keyClick(&editor, Qt::Key_Delete);
    EXPECT_EQ(points().size(), 2U);  // two are left
    EXPECT_EQ(finals, 2);
}

TEST_F(TransferEditorTest, ADoubleClickOnAPointAsksForItsColour) {
    QTest::mouseDClick(&editor, Qt::LeftButton, {}, placeOf(1));
    EXPECT_EQ(points().size(), 2U);
    EXPECT_EQ(editor.chosen(), 1U);
    EXPECT_EQ(colourRequests, 1);
}

TEST_F(TransferEditorTest, TheKeyboardDoesAll) {
    editor.setFocus();
    QTest::keyClick(&editor, Qt::Key_PageDown);
    EXPECT_EQ(editor.chosen(), 1U);
    QTest::keyClick(&editor, Qt::Key_Right);
    EXPECT_GT(points()[1].value, 0.04);
    const double far = points()[1].value;
    QTest::keyClick(&editor, Qt::Key_Left, Qt::ControlModifier);
    EXPECT_LT(points()[1].value, far);
    EXPECT_GT(points()[1].value, 0.04);
    QTest::keyClick(&editor, Qt::Key_Up);
    EXPECT_GT(points()[1].opacity, 0.5);
    QTest::keyClick(&editor, Qt::Key_Insert);
    EXPECT_EQ(points().size(), 3U);
    QTest::keyClick(&editor, Qt::Key_Return);
    EXPECT_EQ(colourRequests, 1);
}

TEST_F(TransferEditorTest, TheSurfacesLineIsDraggedAndMovedByKeys) {
    double level = 0;
    int levelFinals = 0;
    QObject::connect(&editor, &TransferEditor::levelEdited, &editor,
                     [&](double moved, bool isFinal) {
                         level = moved;
                         levelFinals += isFinal;
                     });
    const auto lineAt = [&](double attenuation) {
        return editor.placeOf({attenuation, 0.95, 0}).toPoint();
    };
    // Without a surface there is no line to be caught.
    test::drag(editor, lineAt(0.02), lineAt(0.03));
    EXPECT_EQ(levelFinals, 0);
    editor.setLevel(0.02);
    const QImage picture = editor.grab().toImage();
    test::drag(editor, lineAt(0.02), lineAt(0.03));
    EXPECT_EQ(levelFinals, 1);
    EXPECT_NEAR(level, 0.03, 0.05 / 250);  // a pixel
    EXPECT_NE(editor.grab().toImage(), picture);
    EXPECT_EQ(finals, 0);  // no point was moved
    // Chosen, the keys move it, finely with Ctrl; it ends with the histogram.
    const double dragged = level;
    QTest::keyClick(&editor, Qt::Key_Left);
    EXPECT_LT(level, dragged);
    const double coarse = level;
    QTest::keyClick(&editor, Qt::Key_Right, Qt::ControlModifier);
    EXPECT_GT(level, coarse);
    EXPECT_LT(level, dragged);
    test::drag(editor, lineAt(level), {editor.width() + 50, 40});
    EXPECT_NEAR(level, 0.05, 1e-6);
    // By Page down it comes after the last point.
    QTest::keyClick(&editor, Qt::Key_PageDown);
    EXPECT_EQ(editor.chosen(), 0U);
    QTest::keyClick(&editor, Qt::Key_Right);
    EXPECT_EQ(finals, 1);
    QTest::keyClick(&editor, Qt::Key_PageUp);
    const double before = level;
    QTest::keyClick(&editor, Qt::Key_Left);
    EXPECT_LT(level, before);
    editor.setLevel(std::nullopt);
    QTest::keyClick(&editor, Qt::Key_Left);
    EXPECT_EQ(finals, 2);  // a point again
}

TEST_F(TransferEditorTest, OpacityEndsAtNothingAndAtAll) {
    test::drag(editor, placeOf(1), placeOf(1) + QPoint(0, -400));
    EXPECT_EQ(points()[1].opacity, 1);
    test::drag(editor, placeOf(1), placeOf(1) + QPoint(0, 400));
    EXPECT_EQ(points()[1].opacity, 0);
}

}  // namespace
}  // namespace gantry
