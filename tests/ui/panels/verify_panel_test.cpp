#include "ui/panels/verify/verify_panel.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>
#include <algorithm>
#include <filesystem>

#include "core/base/file.h"
#include "tests/ui/panels/verify_panel_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/image/slice_images.h"
#include "ui/models/text.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

using test::VerifyPanelTest;
using test::waitUntil;

TEST_F(VerifyPanelTest, ItsFiguresAreTheCommandLines) {
    openScan();
    verify();
    test::screenshots(panel, "verify-panel");
    expectFiguresOf({toText(folder / "scan" / "scan.json")});
    EXPECT_TRUE(verdict().contains("nothing is wrong with the geometry"));
}

TEST_F(VerifyPanelTest, TheKeyboardStaysInThePanelWhileItRuns) {
    openScan(64);
    part<QComboBox>("verifyPhantom")->setCurrentIndex(1);  // the shortest
    auto* start = part<QPushButton>("startVerify");
    start->setFocus();
    QTest::keyClick(start, Qt::Key_Space);
    EXPECT_EQ(panel.window()->focusWidget(), part<QPushButton>("cancelVerify"));
    ASSERT_TRUE(waitUntil([&] { return start->isEnabled(); }));
    EXPECT_EQ(panel.window()->focusWidget(), start);
}

TEST_F(VerifyPanelTest, FiguresAreReadWholeInASmallWindow) {
    // The panel has this size in a window of 1280 × 800.
    panel.resize(600, 690);
    openScan();
    verify();
    test::screenshots(panel, "verify-narrow");
    EXPECT_EQ(panel.width(), 600);
    const QTableWidget& table = *figures();
    int names = 0;
    for (int row = 0; row < table.rowCount(); ++row)
        names = std::max(names, table.fontMetrics().horizontalAdvance(table.item(row, 0)->text()));
    for (const int width : {890, 840, 600}) {
        panel.resize(width, 690);
        test::pass(50);
        EXPECT_GT(table.columnWidth(0), names) << width;
    }
    EXPECT_GE(table.viewport()->height(), 4 * table.rowHeight(0));
    EXPECT_GE(view(0)->height(), 120);
    // A low one, with other docks unfolded, is not pushed up by it.
    panel.resize(600, 480);
    EXPECT_EQ(panel.height(), 480);
    EXPECT_GE(view(0)->height(), 80);
    EXPECT_GE(part<ProfilePlot>("verifyPlot")->height(), 90);
}

TEST_F(VerifyPanelTest, OneCrossHairGoesThroughAllThreePictures) {
    openScan();
    part<QComboBox>("verifyPhantom")->setCurrentIndex(2);  // the cylinder
    verify();
    EXPECT_EQ(part<QComboBox>("verifyShown")->count(), 1);
    const GreyImage truth = view(0)->image();
    const GreyImage result = view(1)->image();
    const QPointF at(60, 50);
    EXPECT_NEAR(valueAt(view(2)->image(), at), valueAt(result, at) - valueAt(truth, at), 1e-7);
    // The wheel over one takes all three to another slice.
    const auto before = view(0)->corner();
    const GreyImage difference = view(2)->image();
    test::wheel(*view(1), view(1)->rect().center(), 5);
    EXPECT_NE(view(0)->corner(), before);
    EXPECT_NE(view(1)->image().pixels.data(), result.pixels.data());
    EXPECT_NE(view(2)->image().pixels.data(), difference.pixels.data());
    // The MTF falls from 100 %, and the table's 50 % is where the curve has it.
    auto* curve = part<QComboBox>("verifyCurve");
    auto* mtf = part<ProfilePlot>("verifyMtf");
    ASSERT_TRUE(curve->isVisible());
    curve->setFocus();
    QTest::keyClick(curve, Qt::Key_Down);
    QTest::keyClick(curve, Qt::Key_Down);
    ASSERT_TRUE(mtf->isVisible());
    const double fifty = figureOf("MTF 50 %");
    ASSERT_GT(fifty, 0);
    double above = 0;  // the last frequency under the pointer with more than 50 %
    double below = 0;  // and the one after it
    for (int x = 0; x < mtf->width() && below == 0; ++x) {
        QTest::mouseMove(mtf, QPoint(x, mtf->height() / 2));
        const QStringList lines = mtf->readOut().split('\n');
        if (lines.size() < 3) continue;
        (numberIn(lines[2]) > 50 ? above : below) = numberIn(lines[0]);
    }
    constexpr double kDigit = 0.001;
    EXPECT_LE(above, fifty + kDigit);
    EXPECT_GE(below, fifty - kDigit) << "the pointer never came there";
    ASSERT_EQ(mtf->marks().size(), 2U);
    EXPECT_NEAR(mtf->marks()[0].x, fifty, 0.0005);  // the table's three digits
    EXPECT_EQ(mtf->marks()[0].text, "50 %: " + textOf("MTF 50 %"));
    EXPECT_EQ(mtf->marks()[1].text, "10 %: " + textOf("MTF 10 %"));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(mtf, &leave);
    test::screenshots(panel, "verify-mtf");
    curve->setCurrentIndex(0);
    // A click in one moves the line of the profiles.
    test::screenshots(panel, "verify-cylinder");
    const QImage plot = part<ProfilePlot>("verifyPlot")->grab().toImage();
    QTest::mouseClick(view(2), Qt::LeftButton, {},
                      view(2)->viewAt({60, 5}).toPoint());  // above the cylinder
    EXPECT_NE(part<ProfilePlot>("verifyPlot")->grab().toImage(), plot);
}

TEST_F(VerifyPanelTest, ProfilesGoThroughThePlaceUnderThePointer) {
    openScan();
    part<QComboBox>("verifyPhantom")->setCurrentIndex(1);  // the head
    verify();
    const QPointF at(30, 41);
    const double truth = valueAt(view(0)->image(), at);
    const double result = valueAt(view(1)->image(), at);
    const QString before = view(1)->caption();
    auto* plot = part<ProfilePlot>("verifyPlot");
    QTest::mouseMove(view(2), view(2)->viewAt(at).toPoint());
    // All three tell their values there, and the curves are marked there.
    ASSERT_TRUE(waitUntil([&] { return view(1)->caption() == numberText(result) + " /mm"; }));
    EXPECT_EQ(view(0)->caption(), numberText(truth) + " /mm");
    test::screenshots(panel, "verify-profile");
    const VolumeGrid& grid = workspace.scan().request().job.volume;
    const auto expectMarksAt = [&](std::size_t axis, double index) {
        ASSERT_EQ(plot->marks().size(), 3U);
        for (const ProfilePlot::Mark& mark : plot->marks())
            EXPECT_NEAR(mark.x, positionMm(grid, axis, index), 1e-9);
        EXPECT_EQ(plot->marks()[0].value, truth);
        EXPECT_EQ(plot->marks()[1].value, result);
        EXPECT_EQ(plot->marks()[2].value, result - truth);
    };
    expectMarksAt(0, at.x());
    part<QComboBox>("verifyCurve")->setCurrentIndex(1);
    expectMarksAt(1, at.y());
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(view(2), &leave);
    EXPECT_EQ(view(1)->caption(), before);
}

TEST_F(VerifyPanelTest, EditsAreVerifiedAndMakeFiguresOld) {
    openScan();
    part<QComboBox>("verifyPhantom")->setCurrentIndex(3);  // the spheres
    verify();
    const QString mtf = figures()->item(0, 1)->text();
    workspace.scan().editJob(
        [](JobSpec& job) {
            job.filter = {FilterWindow::hann, 0.5};
        },
        "filter", "filter");
    EXPECT_TRUE(verdict().contains("have changed since")) << verdict().toStdString();
    verify();
    EXPECT_FALSE(verdict().contains("have changed since"));
    EXPECT_NE(figures()->item(0, 1)->text(), mtf);
}

TEST_F(VerifyPanelTest, AGeometryThatIsWrongOnPurposeIsNamed) {
    openScan();
    part<QComboBox>("verifyPhantom")->setCurrentIndex(3);  // the spheres
    auto* wrong = part<QComboBox>("verifyWrong");
    wrong->setFocus();
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(wrong, Qt::Key_Down);
    ASSERT_EQ(wrong->currentText(), "detector's roll");
    auto* amount = part<QWidget>("verifyAmount_roll");
    ASSERT_TRUE(amount->isVisible());
    EXPECT_FALSE(part<QWidget>("verifyAmount_sod")->isVisible());
    auto* typed = amount->findChild<QLineEdit*>();
    QTest::mouseClick(typed, Qt::LeftButton);
    typed->selectAll();
    QTest::keyClicks(typed, "1.5");  // and no Enter: what is typed counts
    verify();
    test::screenshots(panel, "verify-wrong");
    EXPECT_TRUE(verdict().contains("Wrong on purpose: the detector's roll, by 1.5°."))
        << verdict().toStdString();
    EXPECT_TRUE(verdict().contains("the detector's roll is off by about 1."))
        << verdict().toStdString();
    expectFiguresOf({toText(folder / "scan" / "scan.json"), "--phantom", "spheres", "--perturb",
                     "roll=1.5deg"});
    // The saved report is read without the panel.
    save(folder / "wrong.html");
    const std::string page = readTextFile(folder / "wrong.html", 10'000'000);
    EXPECT_NE(page.find("Wrong on purpose: the detector's roll, by 1.5°."), std::string::npos);
    // Another question makes them old.
    wrong->setCurrentIndex(0);
    EXPECT_TRUE(verdict().contains("have changed since"));
}

TEST_F(VerifyPanelTest, OwnShapesAreVerified) {
    openScan();
    writeFileAtomically(folder / "Kugeln ü.json",
                        R"({"gantryShapes": 1, "shapes": [
        {"kind": "sphere", "centerMm": [0, 0, 0], "radiusMm": 9, "attenuation": 0.05},
        {"kind": "sphere", "centerMm": [35, 0, 5], "radiusMm": 9, "attenuation": 0.05},
        {"kind": "sphere", "centerMm": [0, 30, -25], "radiusMm": 9, "attenuation": 0.05}]})");
    auto* piece = part<QComboBox>("verifyPhantom");
    piece->setFocus();
    QTest::keyClick(piece, Qt::Key_End);
    auto* dialog = panel.findChild<QFileDialog*>("shapesDialog");
    ASSERT_TRUE(dialog);
    dialog->reject();
    EXPECT_EQ(piece->currentIndex(), 0);
    QTest::keyClick(piece, Qt::Key_End);
    choose("shapesDialog", folder / "Kugeln ü.json");
    EXPECT_EQ(piece->currentText(), "Own shapes: Kugeln ü.json");
    verify();
    EXPECT_EQ(part<QComboBox>("verifyShown")->currentText(), "Own shapes");
    EXPECT_TRUE(verdict().contains("nothing is wrong with the geometry"))
        << verdict().toStdString();
    expectFiguresOf(
        {toText(folder / "scan" / "scan.json"), "--shapes", toText(folder / "Kugeln ü.json")});
}

TEST_F(VerifyPanelTest, TheReportIsSaved) {
    openScan();
    part<QComboBox>("verifyPhantom")->setCurrentIndex(2);
    verify();
    save(folder / "größe.html");
    const std::string page = readTextFile(folder / "größe.html", 10'000'000);
    EXPECT_NE(page.find((folder / "scan" / "scan.json").string()), std::string::npos);
    EXPECT_NE(page.find("MTF 10 %"), std::string::npos);
    save(folder / "größe.PDF");
    EXPECT_TRUE(readTextFile(folder / "größe.PDF", 10'000'000).starts_with("%PDF-"));
    // Where nothing can be written, that is said.
    QString told;
    QObject::connect(&workspace, &Workspace::messageRaised, &panel,
                     [&](const Message& message) { told = message.text; });
    QTest::mouseClick(part<QPushButton>("saveVerification"), Qt::LeftButton);
    choose("verificationDialog", folder / "nowhere" / "report.pdf");
    ASSERT_TRUE(waitUntil([&] { return told.contains("report.pdf"); }));
    EXPECT_FALSE(told.contains("was saved")) << told.toStdString();
}

TEST_F(VerifyPanelTest, CanBeCancelledAndSaysWhatFailed) {
    EXPECT_FALSE(part<QPushButton>("startVerify")->isVisible());  // without a scan
    openScan();
    QTest::mouseClick(part<QPushButton>("startVerify"), Qt::LeftButton);
    QTest::mouseClick(part<QPushButton>("cancelVerify"), Qt::LeftButton);
    EXPECT_TRUE(part<QPushButton>("startVerify")->isEnabled());
    EXPECT_EQ(figures()->rowCount(), 0);
    // Too coarse for any test piece.
    Request request = workspace.scan().request();
    request.job.volume = fitGrid(request.job.scan.geometry, 20);
    request.volumeIsFitted = false;
    workspace.scan().edit(request, "volume");
    QTest::mouseClick(part<QPushButton>("startVerify"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return part<QPushButton>("startVerify")->isEnabled(); }));
    EXPECT_TRUE(verdict().contains("too coarse")) << verdict().toStdString();
    EXPECT_FALSE(part<QPushButton>("saveVerification")->isVisible());
}

using PicturesOfVerification = VerifyPanelTest;

TEST_F(PicturesOfVerification, LookAsBefore) {
    panel.resize(940, 640);
    openScan();
    verify();
    test::comparePictures(panel, "verify", {.isLightToo = false, .masked = {}});
}

}  // namespace
}  // namespace gantry
