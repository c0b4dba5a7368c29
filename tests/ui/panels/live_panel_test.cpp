#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTest>
#include <algorithm>

#include "tests/ui/panels/live_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/panels/shared/scan_form.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/image_view.h"

namespace gantry {
namespace {

using test::waitUntil;
using LivePanelTest = test::LivePanelFixture;

// Σ |∇f|² within the middle of a slice: largest where its edges are sharp.
double sharpnessOf(const GreyImage& image) {
    double sum = 0;
    for (Index y = image.rows / 5; y < image.rows * 4 / 5; ++y)
        for (Index x = image.columns / 5; x < image.columns * 4 / 5; ++x) {
            const double across = image.at(x + 1, y) - image.at(x - 1, y);
            const double up = image.at(x, y + 1) - image.at(x, y - 1);
            sum += across * across + up * up;
        }
    return sum;
}

TEST_F(LivePanelTest, SaysWhatItTakesBeforeItStarts) {
    openScan();
    EXPECT_TRUE(part<QPushButton>("startLive")->isVisible());
    EXPECT_TRUE(part<QLabel>("liveAbout")->text().startsWith("Four slices"));
    EXPECT_TRUE(part<QLabel>("liveNeeds")->text().contains("MB of memory"))
        << part<QLabel>("liveNeeds")->text().toStdString();
    start();
    EXPECT_FALSE(view(0)->image().isEmpty());
    test::screenshots(panel, "live-panel");
    part<QPushButton>("stopLive")->click();
    EXPECT_TRUE(part<QPushButton>("startLive")->isVisible());
}

TEST_F(LivePanelTest, TheKeyboardGoesFromTheButtonToTheSliderAndBack) {
    openScan();
    part<QPushButton>("startLive")->setFocus();
    start();
    EXPECT_EQ(panel.window()->focusWidget(), part<QSlider>("parameterSlider"));
    auto* stop = part<QPushButton>("stopLive");
    stop->setFocus();
    QTest::keyClick(stop, Qt::Key_Space);
    EXPECT_EQ(panel.window()->focusWidget(), part<QPushButton>("startLive"));
}

TEST_F(LivePanelTest, TheSliderMakesSlicesSharperTowardsTheTrueCentre) {
    openScan(3.4);
    start();
    auto* slider = part<QSlider>("parameterSlider");
    // By its keys: a pixel, and a twentieth.
    const auto sharpnessAfter = [&](int pages, int steps) {
        const GreyImage before = view(0)->image();
        for (int i = 0; i < pages; ++i)
            QTest::keyClick(slider, Qt::Key_PageUp);
        for (int i = 0; i < steps; ++i)
            QTest::keyClick(slider, Qt::Key_Right);
        waitForChange(before);
        return sharpnessOf(view(0)->image());
    };
    const double wrong = sharpnessOf(view(0)->image());
    const double half = sharpnessAfter(1, 14);
    const double right = sharpnessAfter(1, 14);
    const double beyond = sharpnessAfter(1, 12);
    EXPECT_GT(right, 1.02 * wrong);
    EXPECT_GT(right, 1.02 * half);
    EXPECT_GT(right, 1.02 * beyond);
    EXPECT_NEAR(workspace.scan().geometry().detector.offsetMm[0], 2.5 * (3.4 - 5), 1e-9);
    EXPECT_EQ(part<QLabel>("parameterValue")->text(), "81.1 px");
    // One drag is one step of undo.
    const GreyImage before = view(0)->image();
    workspace.scan().undoStack().undo();
    waitForChange(before);
    EXPECT_NEAR(workspace.scan().geometry().detector.offsetMm[0], 2.5 * 3.4, 1e-9);
    EXPECT_EQ(slider->value(), 0);
}

TEST_F(LivePanelTest, ShowsHowItWasOnOneKey) {
    openScan(2);
    start();
    const double was = sharpnessOf(view(0)->image());
    const GreyImage before = view(0)->image();
    part<QSlider>("parameterSlider")->setValue(40);
    waitForChange(before);
    EXPECT_NE(sharpnessOf(view(0)->image()), was);
    view(0)->setFocus();
    QTest::keyClick(view(0), Qt::Key_B);
    EXPECT_EQ(sharpnessOf(view(0)->image()), was);
    EXPECT_EQ(view(0)->caption(), "before");
    QTest::keyClick(view(0), Qt::Key_B);
    EXPECT_NE(sharpnessOf(view(0)->image()), was);
    EXPECT_EQ(view(0)->caption(), "");
}

TEST_F(LivePanelTest, OtherSlicesFollowTheCrosshair) {
    openScan();
    start();
    const GreyImage before = view(0)->image();
    emit view(1)->crosshairMoved({30, 20});
    waitForChange(before);
    EXPECT_NE(sharpnessOf(view(0)->image()), sharpnessOf(before));
    EXPECT_EQ(view(0)->image().columns, before.columns);
}

TEST_F(LivePanelTest, AGeometryThatCannotBeUsedLeavesTheSlicesAsTheyAre) {
    openScan();
    start();
    workspace.scan().editJob([](JobSpec& job) { job.scan.geometry.cone().sourceToDetectorMm = 10; },
                             "wrong");
    EXPECT_TRUE(part<QLabel>("liveState")->text().contains("errors"));
    EXPECT_FALSE(view(0)->image().isEmpty());
    workspace.scan().undoStack().undo();
    EXPECT_TRUE(waitUntil([&] { return isFinest(); }));
}

TEST_F(LivePanelTest, TheSliderMovesWhicheverParameterIsChosen) {
    openScan();
    start();
    auto* choice = part<QComboBox>("liveParameter");
    auto* slider = part<QSlider>("parameterSlider");
    const auto chosen = [&](const QString& name) {
        choice->setCurrentIndex(choice->findText(name));
        EXPECT_EQ(slider->value(), 0) << name.toStdString();
        const GreyImage before = view(0)->image();
        slider->setValue(20);
        waitForChange(before);
        return workspace.scan().geometry();
    };
    EXPECT_NEAR(chosen("Roll").detector.rollDeg, 0.4, 1e-9);
    EXPECT_EQ(part<QLabel>("parameterValue")->text(), "0.4 °");
    EXPECT_NEAR(chosen("Tilt").detector.tiltDeg, 1, 1e-9);
    EXPECT_NEAR(chosen("Source–detector").cone().sourceToDetectorMm, 1204, 1e-9);
    EXPECT_EQ(part<QLabel>("parameterValue")->text(), "1204 mm");
    choice->setCurrentIndex(choice->findText("Roll"));
    EXPECT_EQ(slider->value(), 20);
}

TEST_F(LivePanelTest, TheSliderHasTheNumberOfTheFormsFieldAndMovesItTheSameWay) {
    ScanForm form(workspace.scan(), scanFields());
    openScan(2);
    start();
    auto* choice = part<QComboBox>("liveParameter");
    auto* slider = part<QSlider>("parameterSlider");
    for (int number = 0; number < choice->count(); ++number) {
        choice->setCurrentIndex(number);
        const QString name = choice->currentText();
        const auto labels = form.findChildren<QLabel*>();
        const auto label = std::ranges::find(labels, name, &QLabel::text);
        ASSERT_NE(label, labels.end()) << name.toStdString();
        const auto* field = (*label)->buddy()->findChild<QLineEdit*>("edit");
        const auto shownBySlider = [&] {
            return part<QLabel>("parameterValue")->text().section(' ', 0, 0);
        };
        const double before = field->text().toDouble();
        EXPECT_EQ(shownBySlider(), field->text()) << name.toStdString();
        QTest::keyClick(slider, Qt::Key_Right);
        EXPECT_EQ(shownBySlider(), field->text()) << name.toStdString();
        EXPECT_GT(field->text().toDouble(), before) << name.toStdString();
        EXPECT_EQ(workspace.scan().undoStack().undoText().section(' ', 0, 0), "Change");
    }
    choice->setCurrentIndex(0);
    for (int i = 0; i < 74; ++i)
        QTest::keyClick(slider, Qt::Key_Right);
    EXPECT_EQ(part<QLabel>("parameterValue")->text(), "81.25 px") << "75 steps of a twentieth";
    EXPECT_NEAR(workspace.scan().geometry().axisColumn(), 77.5 + 3.75, 1e-6);
}

TEST_F(LivePanelTest, TheObliqueSliceIsTurnedAndTilted) {
    openScan();
    start();
    const auto type = [&](const char* field, const char* text) {
        const GreyImage before = view(3)->image();
        auto* line = part<NumberField>(field)->findChild<QLineEdit*>();
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
        ASSERT_TRUE(waitUntil(
            [&] { return view(3)->image().pixels.data() != before.pixels.data() && isFinest(); }));
    };
    type("obliqueTilt", "0");
    const GreyImage axial = view(0)->image();
    const GreyImage flat = view(3)->image();
    // Not tilted it is the axial slice; both have the cross-hair in their middle.
    ASSERT_EQ(flat.columns, axial.columns);
    for (Index i = 0; i < axial.columns; i += 7)
        EXPECT_NEAR(flat.at(i, axial.rows / 2 + flat.rows / 2 - axial.rows / 2),
                    axial.at(i, axial.rows / 2), 1e-6);
    type("obliqueTurn", "90");
    for (Index i = 0; i < axial.rows; i += 7)
        EXPECT_NEAR(view(3)->image().at(i, flat.rows / 2),
                    axial.at(axial.columns - 1 - flat.rows / 2, i), 1e-6);
}

TEST_F(LivePanelTest, AnotherScanEndsThem) {
    openScan();
    start();
    workspace.scan().close();
    EXPECT_TRUE(waitUntil([&] { return !part<QPushButton>("stopLive")->isVisible(); }));
}

using PicturesOfLiveSlices = test::LivePanelFixture;

TEST_F(PicturesOfLiveSlices, LookAsBefore) {
    panel.resize(800, 560);
    openScan();
    start();
    test::comparePictures(panel, "live", {.isLightToo = false, .masked = {}});
}

}  // namespace
}  // namespace gantry
