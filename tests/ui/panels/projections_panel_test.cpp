#include "ui/panels/projections/projections_panel.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/text.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/workspace.h"

#include "core/simulate/simulate_scan.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::waitUntil;

std::vector<float> pixelsOf(const ImageView& view) {
    return {view.image().pixels.begin(), view.image().pixels.end()};
}

// The panel on a scan of 12 views of 64 × 48 pixels.
class ProjectionsPanelTest : public testing::Test {
  protected:
    ProjectionsPanelTest() { test::show(panel, {1100, 760}); }

    static SimulationSpec spec(Index views, Index columns, Index rows) {
        SimulationSpec spec;
        spec.geometry.cone().sourceToIsocenterMm = 600;
        spec.geometry.cone().sourceToDetectorMm = 1200;
        spec.geometry.cone().views = views;
        spec.geometry.detector.columns = columns;
        spec.geometry.detector.rows = rows;
        const double pitch = 410.0 / static_cast<double>(columns);
        spec.geometry.detector.pitchMm = {pitch, pitch};
        spec.fieldFrames = 2;
        spec.photons = 20000;
        return spec;
    }
    void openScan(const SimulationSpec& scan = spec(12, 64, 48), const char* name = "scan") {
        scanFile = simulateScan(scan, folder / name, false, {}).scanFile;
        workspace.scan().open(toText(scanFile));
        ASSERT_TRUE(waitUntil([&] { return isShown(*filtered) && isShown(*raw); }));
    }
    static bool isShown(const ImageView& view) { return !view.image().isEmpty(); }
    template <class Widget>
    Widget& find(const char* name) {
        auto* widget = panel.findChild<Widget*>(name);
        EXPECT_NE(widget, nullptr) << name;
        return *widget;
    }
    bool changes(const ImageView& view, const std::vector<float>& before) {
        return waitUntil([&] { return isShown(view) && pixelsOf(view) != before; });
    }
    bool settles() {
        return waitUntil([&] {
            test::pass(20);
            return isShown(*filtered);
        });
    }
    static QPoint at(const ImageView& view, double u, double v) {
        return view.viewAt({u, v}).toPoint();
    }
    FilterSpec filter() { return workspace.scan().request().job.filter; }

    test::TemporaryFolder folder;
    fs::path scanFile;
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    ProjectionsPanel panel{workspace};
    ImageView* raw = panel.findChild<ImageView*>("rawView");
    ImageView* corrected = panel.findChild<ImageView*>("correctedView");
    ImageView* filtered = panel.findChild<ImageView*>("filteredView");
    ImageView* sinogram = panel.findChild<ImageView*>("sinogramView");
};

TEST_F(ProjectionsPanelTest, WithoutAScanItSaysHowToGetOne) {
    bool says = false;
    for (const QLabel* label : panel.findChildren<QLabel*>())
        says |= label->isVisible() &&
                label->text() == "Open a scan (Ctrl+O), or drop one here, to see its projections.";
    EXPECT_TRUE(says);
    EXPECT_FALSE(raw->isVisible());
}

TEST_F(ProjectionsPanelTest, ShowsAViewRawCorrectedAndFiltered) {
    openScan();
    for (const ImageView* view : {raw, corrected, filtered}) {
        EXPECT_TRUE(view->isVisible());
        EXPECT_EQ(view->image().columns, 64);
        EXPECT_EQ(view->image().rows, 48);
    }
    EXPECT_FALSE(sinogram->isVisible());
    EXPECT_EQ(raw->image().unit, "counts");
    // The middle of the head absorbs most: few counts, a large line integral.
    EXPECT_LT(raw->image().at(32, 24), raw->image().at(0, 24));
    EXPECT_GT(corrected->image().at(32, 24), corrected->image().at(0, 24) + 0.5F);
    EXPECT_EQ(find<QLabel>("viewAngle").text(), QStringLiteral("of 0–11, 0.0°"));
}

TEST_F(ProjectionsPanelTest, ScrubbingChangesTheImagesButNotTheirWindows) {
    openScan();
    const auto rawBefore = pixelsOf(*raw);
    const auto filteredBefore = pixelsOf(*filtered);
    const GreyWindow window = filtered->window();
    auto& slider = find<QSlider>("viewSlider");
    slider.setFocus();
    QTest::keyClick(&slider, Qt::Key_Right);
    EXPECT_EQ(workspace.selection().view(), 1);
    EXPECT_TRUE(changes(*raw, rawBefore));
    EXPECT_TRUE(changes(*filtered, filteredBefore));
    EXPECT_EQ(filtered->window(), window);
    EXPECT_EQ(find<QSpinBox>("viewNumber").value(), 1);
    EXPECT_EQ(find<QLabel>("viewAngle").text(), QStringLiteral("of 0–11, 30.0°"));

    const auto beforeWheel = pixelsOf(*raw);
    test::wheel(*raw, {50, 50}, 3);
    EXPECT_EQ(workspace.selection().view(), 4);
    EXPECT_TRUE(changes(*raw, beforeWheel));
}

TEST_F(ProjectionsPanelTest, ManyViewsAtOnceEndAtTheNewest) {
    openScan();
    auto& slider = find<QSlider>("viewSlider");
    for (int view = 1; view < 12; ++view)
        slider.setValue(view);
    const auto number = [](const ImageView& view) {
        return view.image().isEmpty() ? 0.0F : view.image().at(20, 20);
    };
    ASSERT_TRUE(settles());
    test::pass(300);
    const float last = number(*filtered);
    slider.setValue(5);
    const auto before = pixelsOf(*filtered);
    ASSERT_TRUE(changes(*filtered, before));
    const auto between = pixelsOf(*filtered);
    slider.setValue(11);
    ASSERT_TRUE(changes(*filtered, between));
    EXPECT_EQ(number(*filtered), last);
}

TEST_F(ProjectionsPanelTest, TheFilterChangesTheFilteredImageAloneAndCanBeUndone) {
    openScan();
    const auto ramp = pixelsOf(*filtered);
    const auto correctedBefore = pixelsOf(*corrected);
    auto& window = find<QComboBox>("filter.window");
    window.setFocus();
    QTest::keyClick(&window, Qt::Key_End);
    EXPECT_EQ(filter().window, FilterWindow::hann);
    ASSERT_TRUE(changes(*filtered, ramp));
    EXPECT_EQ(pixelsOf(*corrected), correctedBefore);
    const auto hann = pixelsOf(*filtered);

    workspace.scan().undoStack().undo();
    EXPECT_EQ(window.currentText(), "Ram-Lak");
    ASSERT_TRUE(changes(*filtered, hann));
    EXPECT_EQ(pixelsOf(*filtered), ramp);
}

TEST_F(ProjectionsPanelTest, ADraggedCutOffIsOneStepOfUndo) {
    openScan();
    const auto ramp = pixelsOf(*filtered);
    auto& slider = find<QSlider>("cutoffSlider");
    slider.setFocus();
    for (int i = 0; i < 30; ++i)
        QTest::keyClick(&slider, Qt::Key_Left);
    EXPECT_NEAR(filter().cutoff, 0.7, 1e-9);
    EXPECT_NEAR(find<NumberField>("filter.cutoff").value(), 0.7, 1e-9);
    EXPECT_TRUE(changes(*filtered, ramp));
    workspace.scan().undoStack().undo();
    EXPECT_EQ(filter().cutoff, 1);
    EXPECT_FALSE(workspace.scan().undoStack().canUndo());
    EXPECT_EQ(slider.value(), 100);
}

TEST_F(ProjectionsPanelTest, EveryStepHasAWindowOfItsOwn) {
    openScan();
    const GreyWindow rawWindow = raw->window();
    const GreyWindow before = corrected->window();
    test::drag(*corrected, {60, 60}, {120, 60}, Qt::RightButton);
    EXPECT_GT(corrected->window().width(), 1.1 * before.width());
    EXPECT_EQ(raw->window(), rawWindow);
    EXPECT_EQ(find<QLabel>("histogramName").text(), "Corrected");
    // It stays for the next view, and a double click on the histogram makes it automatic.
    const GreyWindow edited = corrected->window();
    const auto pixels = pixelsOf(*corrected);
    workspace.selection().setView(3);
    ASSERT_TRUE(changes(*corrected, pixels));
    EXPECT_EQ(corrected->window(), edited);
    auto& histogram = find<HistogramView>("histogram");
    QTest::mouseDClick(&histogram, Qt::LeftButton, {}, histogram.rect().center());
    EXPECT_LT(corrected->window().width(), edited.width());
}

TEST_F(ProjectionsPanelTest, TheRowIsDraggedInAnImage) {
    openScan();
    EXPECT_EQ(workspace.selection().row(), 24);
    test::drag(*filtered, at(*filtered, 30, 24), at(*filtered, 30, 8));
    EXPECT_EQ(workspace.selection().row(), 8);
    EXPECT_EQ(find<QSpinBox>("row").value(), 8);
    const QImage low = find<QWidget>("profile").grab().toImage();
    find<QSpinBox>("row").setValue(30);
    EXPECT_EQ(workspace.selection().row(), 30);
    EXPECT_TRUE(test::waitUntil([&] { return find<QWidget>("profile").grab().toImage() != low; }));
}

TEST_F(ProjectionsPanelTest, TheSinogramFollowsTheRowAndTheFilter) {
    openScan();
    QTest::mouseClick(&find<QToolButton>("modeSinogram"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return isShown(*sinogram); }));
    EXPECT_TRUE(sinogram->isVisible());
    EXPECT_FALSE(raw->isVisible());
    EXPECT_EQ(sinogram->image().rows, 12);
    EXPECT_EQ(sinogram->image().columns, 64);
    EXPECT_EQ(sinogram->image().at(20, 0), corrected->image().at(20, 24));

    auto before = pixelsOf(*sinogram);
    workspace.selection().setRow(10);
    ASSERT_TRUE(changes(*sinogram, before));
    before = pixelsOf(*sinogram);
    find<QComboBox>("sinogramStep").setCurrentIndex(1);
    ASSERT_TRUE(changes(*sinogram, before));
    EXPECT_EQ(sinogram->image().unit, "mm");
    EXPECT_NEAR(sinogram->image().at(20, 0), filtered->image().at(20, 10), 1e-3);
    before = pixelsOf(*sinogram);
    find<QComboBox>("filter.window").setCurrentIndex(4);
    EXPECT_TRUE(changes(*sinogram, before));
    before = pixelsOf(*sinogram);
    workspace.scan().editJob(
        [](JobSpec& job) { job.corrections.rings.method = RingMethod::sorting; }, "Rings");
    EXPECT_TRUE(changes(*sinogram, before));

    // Its rows are views: a click chooses one.
    QTest::mouseClick(sinogram, Qt::LeftButton, {}, at(*sinogram, 30, 7));
    EXPECT_EQ(workspace.selection().view(), 7);
}

TEST_F(ProjectionsPanelTest, ViewsAreShownAsTheirAirMakesThem) {
    SimulationSpec dim = spec(12, 64, 48);
    dim.phantom.placement.scaleMm *= 0.5;
    dim.flux = {0.5, 0.4};
    openScan(dim);
    EXPECT_NEAR(corrected->image().at(1, 24), std::log(2), 0.02);
    const auto before = pixelsOf(*corrected);
    workspace.scan().editJob([](JobSpec& job) { job.corrections.flux.method = FluxMethod::air; },
                             "Beam flux");
    EXPECT_FALSE(find<QWidget>("beam").isVisible());
    ASSERT_TRUE(changes(*corrected, before));
    EXPECT_NEAR(corrected->image().at(1, 24), 0, 0.02);
    EXPECT_TRUE(find<QWidget>("beam").isVisible());
    QTest::mouseClick(&find<QToolButton>("modeSinogram"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return isShown(*sinogram); }));
    EXPECT_NEAR(sinogram->image().at(1, 11), 0, 0.02);
}

TEST_F(ProjectionsPanelTest, ADoubleClickMaximisesAnImageAndBringsTheOthersBack) {
    openScan();
    QTest::mouseDClick(filtered, Qt::LeftButton, {}, {60, 60});
    EXPECT_FALSE(raw->isVisible());
    EXPECT_FALSE(corrected->isVisible());
    EXPECT_TRUE(filtered->isVisible());
    EXPECT_TRUE(find<QToolButton>("modeFiltered").isChecked());
    QTest::mouseDClick(filtered, Qt::LeftButton, {}, {60, 60});
    EXPECT_TRUE(raw->isVisible());
    EXPECT_TRUE(find<QToolButton>("modeAll").isChecked());
}

TEST_F(ProjectionsPanelTest, EveryImageNamesItsScanStepAndView) {
    openScan();
    workspace.selection().setView(3);
    ASSERT_TRUE(test::waitUntil([&] { return filtered->corner().startsWith("view 3 of "); }));
    for (const ImageView* view : {raw, corrected, filtered}) {
        EXPECT_EQ(view->caption(), workspace.scan().title());
        EXPECT_FALSE(view->accessibleName().isEmpty());
    }
}

TEST_F(ProjectionsPanelTest, PlayingGoesRoundAndStops) {
    openScan();
    find<QComboBox>("speed").setCurrentIndex(4);
    QTest::mouseClick(&find<QToolButton>("play"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return workspace.selection().view() == 11; }));
    ASSERT_TRUE(waitUntil([&] { return workspace.selection().view() == 2; }));
    filtered->setFocus();
    QTest::keyClick(filtered, Qt::Key_Space);
    EXPECT_FALSE(find<QToolButton>("play").isChecked());
    const Index stopped = workspace.selection().view();
    test::pass(150);
    EXPECT_EQ(workspace.selection().view(), stopped);
}

TEST_F(ProjectionsPanelTest, TheImagesStayWhereTheyAreWhenTheStepOfTheSinogramIsOffered) {
    openScan();
    const auto top = [&] {
        test::pass(0);
        return find<QToolButton>("modeAll").mapTo(&panel, QPoint(0, 0)).y() +
               find<QToolButton>("modeAll").height();
    };
    const int before = top();
    const int imagesBefore = raw->mapTo(&panel, QPoint()).y();
    QTest::mouseClick(&find<QToolButton>("modeSinogram"), Qt::LeftButton);
    EXPECT_TRUE(find<QComboBox>("sinogramStep").isVisible());
    EXPECT_EQ(top(), before);
    QTest::mouseClick(&find<QToolButton>("modeAll"), Qt::LeftButton);
    test::pass(0);
    EXPECT_EQ(raw->mapTo(&panel, QPoint()).y(), imagesBefore);
}

TEST_F(ProjectionsPanelTest, PlayingEndsWithTheTab) {
    openScan();
    find<QComboBox>("speed").setCurrentIndex(4);
    QTest::mouseClick(&find<QToolButton>("play"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return workspace.selection().view() == 3; }));
    panel.hide();
    EXPECT_FALSE(find<QToolButton>("play").isChecked());
    const Index stopped = workspace.selection().view();
    test::pass(150);
    EXPECT_EQ(workspace.selection().view(), stopped);
    panel.show();
    QTest::mouseClick(&find<QToolButton>("play"), Qt::LeftButton);
    EXPECT_TRUE(waitUntil([&] { return workspace.selection().view() != stopped; }));
}

TEST_F(ProjectionsPanelTest, TheValueUnderThePointerIsToldWithItsUnit) {
    openScan();
    QTest::mouseMove(raw, at(*raw, 32, 24));
    ASSERT_TRUE(waitUntil([&] { return !workspace.selection().readout().isEmpty(); }));
    const QString readout = workspace.selection().readout();
    EXPECT_TRUE(readout.startsWith("u 3")) << readout.toStdString();
    EXPECT_TRUE(readout.endsWith(" counts")) << readout.toStdString();
    // Another view below a pointer that rests.
    workspace.selection().setView(4);
    EXPECT_TRUE(waitUntil([&] { return workspace.selection().readout() != readout; }));
}

TEST_F(ProjectionsPanelTest, WithAGeometryInErrorTheRawImagesCanStillBeLookedThrough) {
    openScan();
    Request request = workspace.scan().request();
    request.job.scan.geometry.cone().sourceToDetectorMm = 400;
    workspace.scan().edit(request, "Change SDD");
    ASSERT_TRUE(waitUntil([&] { return !isShown(*filtered); }));
    EXPECT_TRUE(isShown(*raw));
    const auto before = pixelsOf(*raw);
    workspace.selection().setView(3);
    EXPECT_TRUE(changes(*raw, before));
    test::screenshots(panel, "projections-geometry-error");
    workspace.scan().undoStack().undo();
    EXPECT_TRUE(waitUntil([&] { return isShown(*filtered); }));
}

TEST_F(ProjectionsPanelTest, AnotherScanOfAnotherSizeTakesThePlaceOfTheFirst) {
    openScan();
    workspace.selection().setView(11);
    openScan(spec(5, 30, 20), "second");
    ASSERT_TRUE(waitUntil([&] { return filtered->image().columns == 30; }));
    EXPECT_EQ(raw->image().rows, 20);
    EXPECT_EQ(workspace.selection().row(), 10);
    EXPECT_EQ(find<QSlider>("viewSlider").maximum(), 4);
    workspace.scan().close();
    EXPECT_TRUE(waitUntil([&] { return !raw->isVisible(); }));
}

TEST_F(ProjectionsPanelTest, AFileThatVanishesIsNamed) {
    openScan();
    find<QSlider>("viewSlider").setFocus();
    for (const auto& entry : fs::recursive_directory_iterator(scanFile.parent_path()))
        if (entry.path().extension() == ".tif") std::ofstream(entry.path()) << "no image";
    workspace.selection().setView(6);
    EXPECT_TRUE(waitUntil([&] { return !isShown(*raw) && !isShown(*filtered); }));
    EXPECT_TRUE(raw->accessibleDescription().contains(".tif"))
        << raw->accessibleDescription().toStdString();
}

TEST_F(ProjectionsPanelTest, TheSmallestScanIsSurvived) {
    SimulationSpec tiny = spec(1, 2, 1);
    tiny.kind = ProjectionKind::attenuation;
    scanFile = simulateScan(tiny, folder / "tiny", false, {}).scanFile;
    workspace.scan().open(toText(scanFile));
    ASSERT_TRUE(waitUntil([&] {
        return workspace.scan().hasScan() &&
               (workspace.scan().openScan() || workspace.scan().hasErrors());
    }));
    QTest::mouseClick(&find<QToolButton>("modeSinogram"), Qt::LeftButton);
    test::pass(100);
    QTest::mouseClick(&find<QToolButton>("modeAll"), Qt::LeftButton);
}

TEST_F(ProjectionsPanelTest, FitsIntoASmallWindow) {
    openScan();
    panel.resize(720, 460);
    test::pass(100);
    EXPECT_LE(panel.minimumSizeHint().width(), 720);
    EXPECT_LE(panel.minimumSizeHint().height(), 460);
}

using PicturesOfProjections = ProjectionsPanelTest;

TEST_F(PicturesOfProjections, LookAsBefore) {
    SimulationSpec clean = spec(24, 128, 128);
    clean.photons = 0;
    openScan(clean);
    workspace.selection().setView(5);
    test::pass(200);
    test::comparePictures(panel, "projections");
}

}  // namespace
}  // namespace gantry
