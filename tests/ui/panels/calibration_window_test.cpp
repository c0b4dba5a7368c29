#include "ui/panels/geometry/calibration_window.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QSlider>
#include <QTableWidget>
#include <QThreadPool>

#include "core/base/file.h"
#include "core/calibrate/balls/ball_file.h"
#include "tests/ui/panels/scan_search_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "ui/panels/geometry/calibration_view.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry::test {
namespace {

constexpr double kScaleMm = 90;
constexpr double kTrueSdd = 1000;
constexpr double kDeclaredSdd = 985;

SimulationSpec ballScan() {
    SimulationSpec spec;
    spec.name = "balls";
    spec.phantom.phantom = "ball-helix";
    spec.phantom.placement.scaleMm = kScaleMm;
    spec.geometry.cone().sourceToIsocenterMm = 600;
    spec.geometry.cone().sourceToDetectorMm = kTrueSdd;
    spec.geometry.cone().views = 45;
    spec.geometry.detector.columns = 215;
    spec.geometry.detector.rows = 221;
    spec.geometry.detector.pitchMm = {1.1, 1.1};
    spec.geometry.detector.rollDeg = 0.7;
    spec.kind = ProjectionKind::attenuation;
    return spec;
}

/// The panel over the scan of a phantom with balls, declared a little wrong.
class CalibrationWindowTest : public ScanSearchTest<CalibrationWindow> {
  protected:
    CalibrationWindowTest() : ScanSearchTest("", "calibrationState") {}

    void SetUp() override {
        openScan(ballScan());
        setDistance(kDeclaredSdd);
        ASSERT_TRUE(waitUntil([this] {
            return m_scan.openScan() &&
                   m_scan.openScan()->description.geometry == m_scan.geometry();
        }));
        m_panel.calibrate();
        m_window = m_panel.findChild<CalibrationWindow*>();
        ASSERT_TRUE(m_window && m_window->isVisible());
    }
    void choose(int known) {
        m_window->findChild<QComboBox*>("knownOfBalls")->setCurrentIndex(known);
    }
    void type(const char* name, const QString& text) {
        auto* field = m_window->findChild<NumberField*>(name);
        auto* edit = field->findChild<QLineEdit*>();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        // Leaving the field does the same: without a window manager the second window has no focus.
        EXPECT_TRUE(field->take()) << name;
    }
    void find() {
        click("findBalls");
        waitForResult();
    }
    [[nodiscard]] QString text(const char* label) {
        return m_window->findChild<QLabel*>(label)->text();
    }
    [[nodiscard]] double distance() const { return m_scan.geometry().cone().sourceToDetectorMm; }
};

TEST_F(CalibrationWindowTest, KnownPlacesAreFoundAndUsedAndTakenBack) {
    EXPECT_FALSE(isSearching());
    EXPECT_FALSE(button("findBalls").isEnabled());
    EXPECT_TRUE(state().contains("Choose the file"));
    screenshots(*m_window, "calibration-window-before");
    click("chooseBalls");
    auto* dialog = m_panel.window()->findChild<QFileDialog*>("ballsDialog");
    if (!dialog) dialog = m_window->findChild<QFileDialog*>("ballsDialog");
    ASSERT_TRUE(dialog);
    emit dialog->fileSelected(toText(m_folder / "scan" / "phantom.json"));
    dialog->close();
    find();
    ASSERT_TRUE(state().startsWith("Balls: 17 found, all of the list")) << state().toStdString();
    auto* numbers = m_window->findChild<QTableWidget*>("calibratedNumbers");
    ASSERT_EQ(numbers->rowCount(), 9);
    EXPECT_TRUE(numbers->item(0, 0)->text().startsWith("source–detector"));
    // Single rays a pixel move small balls by some hundredths of a pixel.
    EXPECT_NEAR(numbers->item(0, 1)->text().section(' ', 0, 0).toDouble(), kTrueSdd, 2);

    auto* marks = m_window->findChild<BallMarks*>();
    EXPECT_GT(marks->balls().size(), 8U);
    m_window->findChild<QSlider*>("ballViewNumber")->setValue(23);
    pass(200);
    screenshots(*m_window, "calibration-window");
    const std::size_t edits = static_cast<std::size_t>(m_scan.undoStack().count());
    click("useCalibration");
    ASSERT_TRUE(waitUntil([this] { return !m_window; })) << "it closes";
    EXPECT_NEAR(distance(), kTrueSdd, 2);
    EXPECT_NEAR(m_scan.geometry().detector.rollDeg, 0.7, 0.05);
    EXPECT_EQ(static_cast<std::size_t>(m_scan.undoStack().count()), edits + 1);
    EXPECT_EQ(m_scan.undoStack().undoText(), "Calibrate with balls");
    m_scan.undoStack().undo();
    EXPECT_EQ(distance(), kDeclaredSdd);
}

TEST_F(CalibrationWindowTest, OneLengthAndPlacesForTheNextTime) {
    choose(1);
    type("firstBall", "1");
    type("secondBall", "17");
    type("ballDistance", QString::number(kScaleMm * std::hypot(1.44, 1.2), 'f', 2));
    find();
    ASSERT_TRUE(state().startsWith("Balls: 17 found;")) << state().toStdString();
    // By the default length, from 1 to 2, it would be another.
    auto* numbers = m_window->findChild<QTableWidget*>("calibratedNumbers");
    EXPECT_NEAR(numbers->item(6, 1)->text().section(' ', 0, 0).toDouble(), 600, 2);
    click("saveBalls");
    auto* dialog = m_window->findChild<QFileDialog*>("saveBallsDialog");
    ASSERT_TRUE(dialog);
    const auto file = m_folder / "balls.csv";
    emit dialog->fileSelected(toText(file));
    dialog->close();
    EXPECT_EQ(readBallFile(file).size(), 17U);
    // Places that cannot be saved take nothing from what was found.
    click("saveBalls");
    emit m_window->findChildren<QFileDialog*>("saveBallsDialog")
        .back()
        ->fileSelected("/proc/no/balls.csv");
    EXPECT_TRUE(state().contains("/proc/no")) << state().toStdString();
    EXPECT_TRUE(button("useCalibration").isEnabled());
    // Nothing known: no scale to save places in.
    choose(4);
    find();
    EXPECT_FALSE(button("saveBalls").isEnabled());
    EXPECT_TRUE(text("calibrationNotes").contains("source–object distance is kept"));
    screenshots(*m_window, "calibration-window-no-scale");
}

TEST_F(CalibrationWindowTest, ASearchIsCancelledFailsAndIsOutdated) {
    choose(1);
    type("secondBall", "99");
    click("findBalls");
    ASSERT_TRUE(isSearching());
    EXPECT_FALSE(m_window->findChild<QLabel*>("calibrationState")->isVisible());
    QTest::mouseClick(&button("cancelSearch"), Qt::LeftButton);
    EXPECT_FALSE(isSearching());
    EXPECT_EQ(state(), "The search was cancelled.");
    find();
    EXPECT_TRUE(state().startsWith("There is no ball 99: 17 were found")) << state().toStdString();
    EXPECT_FALSE(button("useCalibration").isEnabled());
    screenshots(*m_window, "calibration-window-failed");
    choose(4);
    find();
    EXPECT_TRUE(button("useCalibration").isEnabled());
    setDistance(1300);
    EXPECT_FALSE(button("useCalibration").isEnabled());
    EXPECT_TRUE(state().startsWith("The geometry has changed since"));
    m_scan.undoStack().undo();
    EXPECT_TRUE(button("useCalibration").isEnabled()) << "it is the geometry that was searched";
    // The window may end while it searches, and with its scan.
    click("findBalls");
    screenshots(*m_window, "calibration-window-searching");
    m_scan.close();
    ASSERT_TRUE(waitUntil([this] { return !m_window; }));
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
}

using PicturesOfCalibration = CalibrationWindowTest;

TEST_F(PicturesOfCalibration, LookAsBefore) {
    comparePictures(*m_window, "calibration", {.isLightToo = false, .masked = {}});
}

}  // namespace
}  // namespace gantry::test
