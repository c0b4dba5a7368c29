#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/phantom/phantom_file.h"
#include "core/phantom/voxelise.h"
#include "tests/core/verify/made_volumes.h"
#include "tests/ui/desktop/desk.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/image/matter_window.h"
#include "ui/panels/geometry/alignment_window.h"
#include "ui/panels/geometry/geometry_panel.h"
#include "ui/panels/live/live_film.h"
#include "ui/panels/live/live_panel.h"
#include "ui/panels/montage/montage_window.h"
#include "ui/panels/slices/slices_oblique.h"
#include "ui/panels/slices/slices_panel.h"
#include "ui/panels/verify/verify_curves.h"
#include "ui/panels/verify/verify_panel.h"
#include "ui/panels/volume/volume_panel.h"
#include "ui/widgets/image/image_view.h"

namespace gantry {
namespace {

// Takes the manual's pictures anew, as build/<preset>/screenshots/manual-*-dark.png, which are then
// copied to resources/help/pictures:
//     GANTRY_MANUAL_SCANS=/scans ctest --preset release -R ManualPictures
// The scan's path is seen in the pictures. So the scan is made in the folder that the variable
// names, which does not look like a test's.
class ManualPictures : public testing::Test {
  protected:
    void SetUp() override {
        const char* named = std::getenv("GANTRY_MANUAL_SCANS");
        if (!named) GTEST_SKIP() << "takes pictures only where GANTRY_MANUAL_SCANS names a folder";
        folder = named;
    }

    // The scan of a head whose file has the axis some pixels beside where it is.
    [[nodiscard]] QString displacedHead(const char* name, double px) const {
        SimulationSpec spec = test::smallScan(180, 256, 256, 409.6);
        spec.name = "head";
        ScanFile wrong = test::simulated(spec, folder / name);
        wrong.geometry.detector.offsetMm[0] = px * wrong.geometry.detector.pitchMm[0];
        writeFileAtomically(wrong.folder / "wrong.json", toJson(wrong));
        return toText(wrong.folder / "wrong.json");
    }

    std::filesystem::path folder;
};

TEST_F(ManualPictures, AreTaken) {
    SimulationSpec spec = test::smallScan(90, 256, 256, 409.6);
    spec.name = "head";
    const std::filesystem::path scan = folder / "head";
    (void)test::simulated(spec, scan);
    test::Desk desk;
    desk.openScan(scan);
    auto& reconstruct = desk.part<QPushButton>("reconstruct");
    ASSERT_TRUE(test::waitUntil([&] { return reconstruct.isEnabled(); }));
    QTest::mouseClick(&reconstruct, Qt::LeftButton);
    // A preview comes before the volume, and the docks fold with the volume's tab.
    VolumeDocument& document = desk.workspace().volume();
    const auto& tabs = desk.part<QTabWidget>("tabs");
    const auto isSeen = [&] {
        return document.volume() && !document.isOpening() &&
               tabs.currentIndex() == static_cast<int>(MainWindow::Tab::slices);
    };
    ASSERT_TRUE(test::waitUntil(isSeen, 300));
    document.setWindow(matterWindow(document.volume()->voxels.span()));
    test::pass(3000);
    test::savePictures(desk.window(), "manual-desktop");
    GeometryPanel panel(desk.workspace());
    test::show(panel, {424, 860});
    panel.findChild<QWidget*>("schematic")->setFocus();
    test::pass(1000);
    test::savePictures(panel, "manual-desktop-geometry");
}

TEST_F(ManualPictures, OfAlignment) {
    SimulationSpec spec = test::smallScan(180, 256, 256, 409.6);
    spec.name = "head";
    spec.geometry.detector.rollDeg = 0.6;
    ScanFile wrong = test::simulated(spec, folder / "turned head");
    wrong.geometry.detector.rollDeg = 0;
    wrong.geometry.detector.offsetMm[0] = 3.4 * wrong.geometry.detector.pitchMm[0];
    writeFileAtomically(wrong.folder / "wrong.json", toJson(wrong));
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    GeometryPanel panel(workspace);
    test::show(panel, {424, 860});
    workspace.scan().open(toText(wrong.folder / "wrong.json"));
    ASSERT_TRUE(test::waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
    panel.findCentre();
    auto* window = panel.findChild<AlignmentWindow*>();
    auto* use = window->findChild<QPushButton*>("useAlignment");
    ASSERT_TRUE(test::waitUntil([&] { return use->isEnabled(); }, 120));
    test::pass(300);
    test::savePictures(*window, "manual-alignment");
}

TEST_F(ManualPictures, OfLiveSlices) {
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    LivePanel panel(workspace);
    test::show(panel, {1200, 800});
    workspace.scan().open(displacedHead("live head", 3));
    ASSERT_TRUE(test::waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
    panel.findChild<QPushButton*>("startLive")->click();
    ASSERT_TRUE(test::waitUntil([&] { return panel.findChild<QWidget*>("live0")->isVisible(); }));
    panel.findChild<QPushButton*>("filmstripButton")->click();
    auto* step = panel.findChild<QComboBox*>("filmstripStep");
    step->setCurrentIndex(4);
    emit step->activated(4);
    const auto* strip = panel.findChild<Filmstrip*>();
    ASSERT_TRUE(test::waitUntil([&] { return strip->missing() == -1; }, 60));
    // A detail, which the filmstrip shows, too.
    auto* axial = panel.findChild<ImageView*>("live0");
    test::wheel(*axial, {axial->width() * 0.5, axial->height() * 0.75}, 3, Qt::ControlModifier);
    ASSERT_TRUE(test::waitUntil([&] { return strip->missing() == 0; }, 60));
    ASSERT_TRUE(test::waitUntil([&] { return strip->missing() == -1; }, 60));
    test::savePictures(panel, "manual-live-slices");
}

TEST_F(ManualPictures, OfComparedValues) {
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    workspace.scan().open(displacedHead("compared head", 4));
    ASSERT_TRUE(test::waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
    MontageWindow window(workspace);
    test::show(window, {1200, 800});
    window.showFor({0, 0, -10}, "detector.axisColumn");
    auto* values = window.findChild<QLineEdit*>("montageValues");
    values->selectAll();
    QTest::keyClicks(values, "123.5, 124.5, 125.5, 126.5, 127.5, 128.5");
    window.findChild<QPushButton*>("makeMontage")->click();
    const auto* cancel = window.findChild<QWidget*>("cancelMontage");
    ASSERT_TRUE(test::waitUntil([&] { return !cancel->isVisible(); }, 120));
    test::savePictures(window, "manual-compare-values");
}

// A head of 240³ voxels of 0.8 mm, some way to the right. noise: 1/mm
std::filesystem::path headBeside(double rightMm, const std::filesystem::path& file, float noise) {
    const VolumeGrid grid{{240, 240, 240}, {0.8, 0.8, 0.8}, {}};
    const Phantom head = makePhantom("shepp-logan-contrast",
                                     {.scaleMm = 90, .centerMm = {rightMm, 0, 0}, .density = 0.02});
    HostBuffer<float> voxels(grid.count());
    voxelisePhantom(head, grid, {0, 240}, 4, availableThreads(), {voxels.data(), 240, 240, 240});
    std::mt19937 random(1);
    std::normal_distribution<float> standard(0, 1);
    test::writeVolume(file, grid, [&](Index x, Index y, Index z) {
        return voxels[(z * 240 + y) * 240 + x] + noise * standard(random);
    });
    return file;
}

// A ball of 120 mm with three bores, its edges blurred as by a scan.
std::filesystem::path boredBall(const std::filesystem::path& file) {
    const VolumeGrid grid{{200, 200, 200}, {0.7, 0.7, 0.7}, {}};
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.0003);
    test::writeVolume(file, grid, [&](Index x, Index y, Index z) {
        const Vec3 at =
            grid.positionMm(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
        const double insideMm =
            std::min({60 - length(at), std::hypot(at.x, at.y) - 22, std::hypot(at.y, at.z) - 16,
                      std::hypot(at.x, at.z) - 10});
        return static_cast<float>(std::clamp(0.01 * (1 + insideMm), 0.0, 0.02) + noise(random));
    });
    return file;
}

class ManualPicturesOfSlices : public ManualPictures {
  protected:
    void SetUp() override {
        ManualPictures::SetUp();
        if (IsSkipped()) return;
        test::show(panel, {1200, 860});
        workspace.volume().open(toText(headBeside(0, folder / "head.mha", 0.0003F)));
        ASSERT_TRUE(test::waitUntil([&] { return workspace.volume().volume() != nullptr; }));
        workspace.volume().setWindow({0, 0.012});
    }

    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    SlicesPanel panel{workspace};
    ImageView* axial = panel.findChild<ImageView*>("axialView");
};

TEST_F(ManualPicturesOfSlices, Measuring) {
    axial->setFocus();
    const auto draw = [&](Qt::Key tool, QPointF from, QPointF to) {
        QTest::keyClick(axial, tool);
        test::drag(*axial, axial->viewAt(from).toPoint(), axial->viewAt(to).toPoint());
    };
    draw(Qt::Key_D, {44, 95}, {195, 95});
    draw(Qt::Key_R, {108, 140}, {132, 165});
    const auto* figures = panel.findChild<QLabel*>("measureFigures");
    ASSERT_TRUE(test::waitUntil([&] { return figures->text().contains("mean"); }));
    test::savePictures(panel, "manual-measuring");
}

TEST_F(ManualPicturesOfSlices, Oblique) {
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_O);
    auto* fields = panel.findChild<ObliqueFields*>("obliqueFields");
    emit fields->anglesEdited({35, 20}, true);
    const auto* oblique = panel.findChild<ImageView*>("obliqueView");
    ASSERT_TRUE(test::waitUntil([&] { return oblique->corner().startsWith("turned 35.0°"); }));
    test::pass(500);  // finely
    test::savePictures(panel, "manual-oblique");
}

TEST_F(ManualPicturesOfSlices, Comparison) {
    workspace.comparison().open(toText(headBeside(0.5, folder / "moved head.mha", 0.0004F)));
    ASSERT_TRUE(test::waitUntil([&] { return workspace.comparison().figures().has_value(); }));
    panel.findChild<QComboBox*>("comparisonMode")->setCurrentIndex(2);
    test::pass(1000);
    test::savePictures(panel, "manual-comparison");
}

TEST_F(ManualPicturesOfSlices, TheVolume) {
    VolumePanel volume(workspace);
    test::show(volume, {1200, 860});
    const auto before = workspace.volume().volume();
    workspace.volume().open(toText(boredBall(folder / "casting.mha")));
    ASSERT_TRUE(test::waitUntil([&] { return workspace.volume().volume() != before; }));
    volume.findChild<QComboBox*>("renderingMode")->setCurrentIndex(2);
    const auto* surface = volume.findChild<QLabel*>("surfaceResult");
    ASSERT_TRUE(test::waitUntil([&] { return surface->text().contains("mm³"); }));
    test::pass(2000);
    test::savePictures(volume, "manual-volume");
}

// Verifies what has been chosen, and waits for the pictures.
void verifyIn(VerifyPanel& panel) {
    auto* start = panel.findChild<QPushButton*>("startVerify");
    QTest::mouseClick(start, Qt::LeftButton);
    ASSERT_TRUE(test::waitUntil([&] { return start->isEnabled(); }, 300));
    auto* view = panel.findChild<ImageView*>("verify1");
    ASSERT_TRUE(test::waitUntil([&] { return !view->image().isEmpty(); }));
    QTest::mouseMove(view, view->viewAt({120, 96}).toPoint());
    test::pass(300);
}

TEST_F(ManualPictures, OfVerification) {
    SimulationSpec spec = test::smallScan(360, 256, 256, 409.6);
    spec.name = "head";
    const auto scan = folder / "verified head";
    (void)test::simulated(spec, scan);
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    VerifyPanel panel(workspace);
    test::show(panel, {1100, 760});
    workspace.scan().open(toText(scan / "scan.json"));
    ASSERT_TRUE(test::waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
    verifyIn(panel);
    test::savePictures(panel, "manual-verify");
    panel.findChild<QComboBox*>("verifyPhantom")->setCurrentIndex(2);  // the cylinder
    verifyIn(panel);
    panel.findChild<QComboBox*>("verifyCurve")->setCurrentIndex(2);  // its MTF
    test::savePictures(*panel.findChild<VerifyCurves*>(), "manual-verify-mtf");
}

TEST_F(ManualPictures, OfARealTestPiece) {
    const std::filesystem::path volume = folder / "ball plate.mha";
    const std::filesystem::path list = folder / "ball plate.json";
    std::vector<KnownSphere> spheres;
    std::string shapes;
    for (int i = 0; i < 12; ++i) {
        const Vec3 at = {24.0 * (i % 4) - 36, 24.0 * (i / 4 % 3) - 24, i % 2 * 1.0};
        spheres.push_back({0.9996 * at, 6});
        shapes += fmt::format(R"({}{{"kind": "sphere", "centerMm": [{}, {}, {}], "radiusMm": 6}})",
                              shapes.empty() ? "" : ", ", at.x, at.y, at.z);
    }
    writeFileAtomically(list, R"({"gantryShapes": 1, "shapes": [)" + shapes + "]}");
    const VolumeGrid grid = {{240, 192, 60}, {0.5, 0.5, 0.5}, {}};
    const Volume clean = test::volumeOfSpheres(grid, spheres, 0.5);
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 0.0008F);
    test::writeVolume(volume, grid, [&](Index x, Index y, Index z) {
        return clean.span()(z, y, x) + noise(random);
    });
    test::FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    VerifyPanel panel(workspace);
    test::show(panel, {1100, 760});
    const auto choose = [&](const char* dialogName, const std::filesystem::path& path) {
        auto* dialog = panel.findChild<QFileDialog*>(dialogName);
        ASSERT_TRUE(dialog);
        emit dialog->fileSelected(toText(path));
        dialog->close();
    };
    panel.findChild<QPushButton*>("action")->click();
    panel.findChild<QPushButton*>("verifyVolume")->menu()->actions()[0]->trigger();
    choose("verifyVolumeDialog", volume);
    panel.findChild<QComboBox*>("verifyKind")->setCurrentIndex(1);
    panel.findChild<QPushButton*>("verifyCentres")->click();
    choose("verifyCentresDialog", list);
    verifyIn(panel);
    panel.findChild<QComboBox*>("verifyTable")->setCurrentIndex(1);
    test::savePictures(panel, "manual-verify-spheres");
}

}  // namespace
}  // namespace gantry
