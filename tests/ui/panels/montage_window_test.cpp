#include "ui/panels/montage/montage_window.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "core/base/file.h"
#include "core/simulate/simulate_scan.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/text.h"
#include "ui/panels/montage/montage_form.h"
#include "ui/panels/montage/montage_grid.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

using test::waitUntil;

constexpr const char* kCentre = "detector.axisColumn";

class MontageWindowTest : public testing::Test {
  protected:
    // A scan of a head whose axis is seen on column 79.5, and on 77.5 as its file says.
    void openScan(const char* name = "walnut") {
        SimulationSpec spec;
        spec.name = name;
        spec.geometry.cone().sourceToIsocenterMm = 600;
        spec.geometry.cone().sourceToDetectorMm = 1200;
        spec.geometry.cone().views = 120;
        spec.geometry.detector = {.columns = 160, .rows = 96, .pitchMm = {2.5, 2.5}};
        const auto made = simulateScan(spec, folder / name, false, {}).scanFile;
        ScanFile wrong = readScanFile(made);
        wrong.geometry.detector.offsetMm[0] = 5;
        writeFileAtomically(folder / name / "wrong.json", toJson(wrong));
        scan.open(toText(folder / name / "wrong.json"));
        ASSERT_TRUE(waitUntil([&] { return scan.openScan() && scan.title() == QString(name); }));
    }
    void open(const char* parameter = kCentre) {
        window.showFor({0, 0, 0}, parameter);
        ASSERT_TRUE(waitUntil([&] { return window.isActiveWindow(); }));
    }
    void choose(const char* name) {
        auto& box = part<QComboBox>("montageParameter");
        ASSERT_GE(box.findText(name), 0) << name;
        box.setCurrentIndex(box.findText(name));
    }
    void type(const QString& values) {
        auto& line = part<QLineEdit>("montageValues");
        line.setFocus();
        line.selectAll();
        QTest::keyClicks(&line, values);
    }
    void click(const char* name) {
        auto& button = part<QPushButton>(name);
        ASSERT_TRUE(button.isEnabled()) << name;
        QTest::mouseClick(&button, Qt::LeftButton);
    }
    [[nodiscard]] bool isAtWork() { return part<QPushButton>("cancelMontage").isVisible(); }
    void make() {
        click("makeMontage");
        ASSERT_TRUE(isAtWork()) << state().toStdString();
        ASSERT_TRUE(waitUntil([&] { return !isAtWork(); }));
    }
    void clickPicture(int number) {
        QTest::mouseClick(grid.viewport(), Qt::LeftButton, {},
                          grid.visualItemRect(grid.item(number)).center());
    }
    // What the window says where the button is pressed with these values.
    [[nodiscard]] QString answerTo(const QString& values) {
        type(values);
        click("makeMontage");
        EXPECT_FALSE(isAtWork()) << values.toStdString();
        return state();
    }
    [[nodiscard]] QString state() { return part<QLabel>("montageState").text(); }
    [[nodiscard]] double offsetMm() const { return scan.geometry().detector.offsetMm[0]; }
    template <class Part>
    [[nodiscard]] Part& part(const char* name) {
        return *window.findChild<Part*>(name);
    }

    test::TemporaryFolder folder;
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    ScanDocument& scan = workspace.scan();
    MontageWindow window{workspace};
    MontageGrid& grid = *window.findChild<MontageGrid*>();
};

TEST_F(MontageWindowTest, AClickTakesTheBestValueUndoably) {
    openScan();
    open();
    type("77.5, 78.5, 79.5, 80.5");
    make();
    ASSERT_EQ(grid.count(), 4);
    EXPECT_EQ(grid.item(2)->text(), "79.5 px");
    EXPECT_TRUE(grid.mark(2).isBest) << "the true centre";
    EXPECT_EQ(grid.mark(2).note, "sharpness 1.00");
    EXPECT_FALSE(grid.mark(0).isBest);
    EXPECT_TRUE(grid.mark(0).isNow);
    EXPECT_TRUE(state().startsWith("The sharpest is 79.5 px")) << state().toStdString();
    EXPECT_NE(grid.picture(0).at(30, 60), grid.picture(2).at(30, 60));
    test::screenshots(window, "montage-centre");
    clickPicture(2);
    EXPECT_NEAR(offsetMm(), 0, 1e-9);
    EXPECT_EQ(scan.undoStack().count(), 1);
    EXPECT_EQ(scan.undoStack().undoText(), "Take centre of rotation 79.5 px");
    EXPECT_EQ(state(), "Centre of rotation is 79.5 px now. Ctrl+Z takes that back.");
    EXPECT_TRUE(grid.mark(2).isNow);
    EXPECT_FALSE(grid.mark(0).isNow);
    EXPECT_FALSE(part<QLabel>("montageOutdated").isVisible()) << "only the parameter has changed";
    EXPECT_TRUE(window.isVisible()) << "it stays open";
    clickPicture(2);
    EXPECT_EQ(scan.undoStack().count(), 1) << "it is that already";
    QTest::keyClick(&grid, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NEAR(offsetMm(), 5, 1e-9);
    EXPECT_TRUE(grid.mark(0).isNow);
}

TEST_F(MontageWindowTest, TheKeyboardMovesAndTakes) {
    openScan();
    open();
    type("78, 79, 80");
    QTest::keyClick(&part<QLineEdit>("montageValues"), Qt::Key_Return);
    ASSERT_TRUE(isAtWork());
    ASSERT_TRUE(waitUntil([&] { return !isAtWork(); }));
    EXPECT_TRUE(grid.hasFocus());
    EXPECT_EQ(grid.currentRow(), 0);
    QTest::keyClick(&grid, Qt::Key_Right);
    QTest::keyClick(&grid, Qt::Key_Space);
    EXPECT_NEAR(scan.geometry().axisColumn(), 79, 1e-6);
    QTest::keyClick(&grid, Qt::Key_Right);
    QTest::keyClick(&grid, Qt::Key_Return);
    EXPECT_NEAR(scan.geometry().axisColumn(), 80, 1e-6);
    QTest::keyClick(&grid, Qt::Key_Left);
    QTest::keyClick(&grid, Qt::Key_Enter);
    EXPECT_NEAR(scan.geometry().axisColumn(), 79, 1e-6);
    EXPECT_EQ(scan.undoStack().count(), 3) << "a step each";
}

TEST_F(MontageWindowTest, ARangeWritesTheValues) {
    openScan();
    open();
    const auto set = [&](const char* name, const char* text) {
        auto& edit = *part<QWidget>(name).findChild<QLineEdit*>();
        edit.setFocus();
        edit.selectAll();
        QTest::keyClicks(&edit, text);
        QTest::keyClick(&edit, Qt::Key_Tab);
    };
    set("montageFrom", "76");
    set("montageTo", "82");
    set("montageCount", "4");
    EXPECT_EQ(part<QLineEdit>("montageValues").text(), "76, 78, 80, 82");
    type("70, 75, 79.5");
    const auto value = [&](const char* name) { return part<NumberField>(name).value(); };
    EXPECT_EQ(value("montageFrom"), 70) << "the range follows a list that is typed";
    EXPECT_EQ(value("montageTo"), 79.5);
    EXPECT_EQ(value("montageCount"), 3);
}

// Each choice takes other values from the views, so that the process is begun anew.
TEST_F(MontageWindowTest, ChoicesAreAllMadeUnlessTheyAreUnchecked) {
    openScan();
    open("prep.rings");
    EXPECT_EQ(part<QComboBox>("montageParameter").currentText(), "Corrections: Rings");
    auto& sorting = part<QCheckBox>("sorting");
    EXPECT_TRUE(sorting.isChecked());
    for (QCheckBox* box : window.findChildren<QCheckBox*>())
        if (box != &sorting) box->click();
    click("makeMontage");
    EXPECT_EQ(state(), "Rings: a montage shows 2 to 64 values; there is one.");
    part<QCheckBox>("none").click();
    make();
    ASSERT_EQ(grid.count(), 2);
    EXPECT_TRUE(grid.mark(0).isNow);
    EXPECT_FALSE(grid.mark(0).isBest) << "what is sharper need not be better";
    EXPECT_EQ(grid.mark(1).note, "");
    test::screenshots(window, "montage-rings");
    clickPicture(1);
    EXPECT_EQ(scan.request().job.corrections.rings.method, RingMethod::sorting);
    EXPECT_TRUE(scan.undoStack().undoText().startsWith("Take rings "));
}

TEST_F(MontageWindowTest, CancelEndsAtOnceAndKeepsWhatIsThere) {
    openScan();
    scan.editJob([](JobSpec& job) { job.corrections.rings.method = RingMethod::sorting; }, "rings");
    open();
    choose("Corrections: Ring width (px)");
    type("3..129/64");
    click("makeMontage");
    ASSERT_TRUE(waitUntil([&] { return !grid.picture(1).isEmpty(); }));
    EXPECT_EQ(part<QLabel>("montageProgress").text(), "Picture 3 of 64, 3 %");
    test::screenshots(window, "montage-progress");
    int count = 0;
    while (!grid.picture(count).isEmpty())
        ++count;
    click("cancelMontage");
    EXPECT_FALSE(isAtWork());
    EXPECT_EQ(state(), QString("Cancelled: %1 of 64 pictures were made.").arg(count));
    EXPECT_TRUE(part<QPushButton>("saveMontage").isEnabled());
    clickPicture(count);
    EXPECT_EQ(scan.request().job.corrections.rings.widthPx, RingSpec().widthPx)
        << "that picture is not there";
    clickPicture(1);
    EXPECT_EQ(scan.request().job.corrections.rings.widthPx, 5);
    test::pass(200);
    EXPECT_TRUE(grid.picture(count).isEmpty()) << "nothing comes later";
}

TEST_F(MontageWindowTest, WrongInputGetsASentence) {
    open();
    click("makeMontage");
    EXPECT_TRUE(state().startsWith("Open a scan")) << state().toStdString();
    openScan();
    EXPECT_EQ(state(), "");
    choose("Filter: Cut-off (of Nyquist)");
    EXPECT_EQ(answerTo("0.5, x"), "Cut-off is 'x'; it must be a number.");
    EXPECT_EQ(answerTo("0.5, 2"), "Cut-off is 2; it must be 0.05 to 1.");
    EXPECT_EQ(answerTo("0.5"), "Cut-off: a montage shows 2 to 64 values; there is one.");
    EXPECT_EQ(answerTo("0.1..1/65"), "Cut-off: a montage shows 2 to 64 values; there are 65.");
    EXPECT_EQ(answerTo("0.5, 0.7, 0.5"), "Cut-off has the value 0.5 twice.");
    choose("Corrections: Ring width (px)");
    EXPECT_TRUE(answerTo("5, 7").contains("no effect on this scan"));
    choose("Alignment: Roll (°)");
    EXPECT_TRUE(answerTo("0, 80").contains("80"));
    part<QComboBox>("montageParameter").setEditText("sharpness");
    EXPECT_TRUE(answerTo("0, 1").contains("No parameter is called “sharpness”"));
    test::screenshots(window, "montage-wrong");
    choose("Alignment: Roll (°)");
    scan.editJob([](JobSpec& job) { job.scan.geometry.cone().sourceToDetectorMm = 1; }, "wrong");
    EXPECT_TRUE(answerTo("0, 1").contains("has errors"));
}

TEST_F(MontageWindowTest, TooLittleMemoryIsTold) {
    openScan();
    scan.editJob([](JobSpec& job) { job.memoryBytes = 100'000; }, "memory");
    open();
    type("78, 79");
    make();
    EXPECT_TRUE(state().startsWith("78 px: ") && state().contains("may take"))
        << state().toStdString();
    EXPECT_FALSE(part<QPushButton>("saveMontage").isEnabled());
}

TEST_F(MontageWindowTest, TheSheetIsSaved) {
    openScan();
    open();
    type("77.5, 79.5");
    make();
    click("saveMontage");
    const QString path = toText(folder / "größer 'n sheet.png");
    test::chooseFile(window, "montageDialog", path);
    ASSERT_TRUE(waitUntil([&] { return state().startsWith("Saved as "); }))
        << state().toStdString();
    const QImage sheet(path);
    EXPECT_GT(sheet.width(), 2 * 400);
    EXPECT_GT(sheet.height(), 400);
}

TEST_F(MontageWindowTest, RemembersWhatWasAskedFor) {
    openScan();
    open();
    choose("Alignment: Roll (°)");
    type("-1, 1");
    choose("Filter: Cut-off (of Nyquist)");
    type("0.3, 0.9");
    window.close();
    open("prep.rings");
    EXPECT_EQ(part<QComboBox>("montageParameter").currentText(), "Filter: Cut-off (of Nyquist)");
    EXPECT_EQ(part<QLineEdit>("montageValues").text(), "0.3, 0.9");
    openScan("pecan");
    EXPECT_EQ(part<QLineEdit>("montageValues").text(), "0.3, 0.9");
    choose("Alignment: Roll (°)");
    EXPECT_EQ(part<QLineEdit>("montageValues").text(), "-1, 1");
}

TEST_F(MontageWindowTest, SaysWhereTheScanHasChangedSince) {
    openScan();
    open();
    type("77.5, 79.5");
    make();
    auto& outdated = part<QLabel>("montageOutdated");
    EXPECT_FALSE(outdated.isVisible());
    scan.editJob([](JobSpec& job) { job.scan.geometry.detector.rollDeg = 1; }, "roll");
    EXPECT_TRUE(outdated.isVisible());
    scan.undoStack().undo();
    EXPECT_FALSE(outdated.isVisible());
    scan.close();
    EXPECT_FALSE(grid.isVisible()) << "the pictures are of a scan that is gone";
}

TEST_F(MontageWindowTest, ShowsTheSliceOfThePlaceThatIsLookedAt) {
    openScan();
    window.showFor({3, -7.5, 12}, kCentre);
    auto& at = *part<QWidget>("montageAt").findChild<QLineEdit*>();
    EXPECT_TRUE(at.text().startsWith("12")) << at.text().toStdString();
    part<QComboBox>("montageSlice").setCurrentIndex(1);
    EXPECT_TRUE(at.text().startsWith("-7.5") || at.text().startsWith("−7.5"))
        << at.text().toStdString();
    type("77.5, 79.5");
    make();
    EXPECT_TRUE(state().contains("coronal slice at y = -7.5 mm")) << state().toStdString();
    at.selectAll();
    QTest::keyClicks(&at, "100000");
    click("makeMontage");
    EXPECT_FALSE(isAtWork()) << "no part of the volume is there";
}

TEST(MontageGridTest, PicturesAreAsLargeAsFitOrScrolled) {
    const QSize around(10, 40);
    EXPECT_EQ(pictureWidth(1, 1, {800, 600}, around), 560);
    EXPECT_EQ(pictureWidth(4, 1, {800, 600}, around), 260) << "two by two";
    EXPECT_EQ(pictureWidth(4, 0.25, {800, 600}, around), 440) << "flat ones below each other";
    EXPECT_EQ(pictureWidth(64, 1, {800, 600}, around), 140) << "the least that can be judged";
    EXPECT_EQ(pictureWidth(64, 1, {100, 600}, around), 90);
}

}  // namespace
}  // namespace gantry
