#include <gtest/gtest.h>

#include <QComboBox>
#include <QSettings>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <filesystem>
#include <memory>

#include "core/base/file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/projections/projections_panel.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/jobs/job_reading.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

double rmsOf(const ImageView& view) {
    double squares = 0;
    for (const float pixel : view.image().pixels)
        squares += static_cast<double>(pixel) * static_cast<double>(pixel);
    return std::sqrt(squares / static_cast<double>(view.image().pixels.size()));
}

// The panel on a scan of 24 views of 48 × 32 pixels, and jobs that make its volume.
class ResidualViewsTest : public testing::Test {
  protected:
    ResidualViewsTest() {
        QSettings().clear();
        SimulationSpec spec = test::smallScan();
        spec.geometry.cone().views = 24;
        spec.geometry.detector.columns = 48;
        spec.geometry.detector.rows = 48;
        spec.geometry.detector.pitchMm = {8.5, 8.5};
        scan = readScanFile(test::makeScan(folder / "scan", spec));
        workspace = std::make_unique<Workspace>(machine.machine(), machine.program());
        panel = std::make_unique<ProjectionsPanel>(*workspace);
        test::show(*panel, {1100, 760});
        workspace->scan().open(toText(scan.path));
    }

    void SetUp() override {
        residual = panel->findChild<ImageView*>("residualView");
        corrected = panel->findChild<ImageView*>("correctedView");
        ASSERT_TRUE(residual && corrected);
        ASSERT_TRUE(test::waitUntil([&] { return !corrected->image().isEmpty(); }));
    }

    // A finished job in the list.
    void make(const char* name, const ScanFile& of, Method method = Method::fdk) {
        JobSpec spec = test::jobOf(of, 48, folder / name);
        spec.method.method = method;
        (void)test::run(spec);
        workspace->jobs().adopt(readJobEntry(toText(jobFolderFor(spec.output.path))).value());
    }
    void choose(const char* mode) {
        QTest::mouseClick(panel->findChild<QToolButton*>(mode), Qt::LeftButton);
    }
    bool isShownOf(const QString& view) {
        return test::waitUntil(
            [&] { return !residual->image().isEmpty() && residual->corner().startsWith(view); });
    }
    bool says(const QString& part) {
        return test::waitUntil([&] {
            return residual->image().isEmpty() && residual->accessibleDescription().contains(part);
        });
    }

    test::TemporaryFolder folder;
    ScanFile scan;
    test::FakeMachine machine;
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<ProjectionsPanel> panel;
    ImageView* residual = nullptr;
    ImageView* corrected = nullptr;
};

TEST_F(ResidualViewsTest, WithoutAVolumeItSaysHowToGetOne) {
    choose("modeResidual");
    EXPECT_TRUE(residual->isVisible());
    EXPECT_FALSE(corrected->isVisible());
    EXPECT_TRUE(says("Reconstruct this scan"));
    EXPECT_EQ(panel->findChild<QComboBox*>("residualVolume")->count(), 0);
}

TEST_F(ResidualViewsTest, AFinishedVolumeExplainsMostOfAView) {
    make("volume.mha", scan);
    choose("modeResidual");
    ASSERT_TRUE(isShownOf("view 0 "));
    EXPECT_EQ(residual->image().columns, 48);
    EXPECT_TRUE(residual->image().isDifference);
    EXPECT_TRUE(residual->image().unit.isEmpty());
    EXPECT_TRUE(residual->corner().contains("RMS ")) << residual->corner().toStdString();
    EXPECT_EQ(residual->window().black, -residual->window().white);
    // Few coarse voxels from few views miss edges, no more.
    const double first = rmsOf(*residual);
    EXPECT_LT(first, 0.25 * rmsOf(*corrected));
    EXPECT_GT(first, 0);

    // The last one of views that come fast is shown.
    for (const Index view : {3, 4, 5})
        workspace->selection().setView(view);
    ASSERT_TRUE(isShownOf("view 5 "));
    EXPECT_NE(rmsOf(*residual), first);

    // Dragged, the colours stay about zero.
    const GreyWindow before = residual->window();
    test::drag(*residual, {60, 60}, {120, 90}, Qt::RightButton);
    EXPECT_GT(residual->window().width(), 1.1 * before.width());
    EXPECT_EQ(residual->window().level(), 0);
    choose("modeAll");
    EXPECT_FALSE(residual->isVisible());
    EXPECT_TRUE(corrected->isVisible());
}

TEST_F(ResidualViewsTest, AnotherVolumeIsChosenAndAnotherOpened) {
    make("fdk.mha", scan);
    make("sirt.mha", scan, Method::sirt);
    choose("modeResidual");
    ASSERT_TRUE(isShownOf("view 0 "));
    auto& volume = *panel->findChild<QComboBox*>("residualVolume");
    ASSERT_EQ(volume.count(), 2);
    EXPECT_EQ(volume.currentText(), "sirt.mha (SIRT)");
    const double sirt = rmsOf(*residual);
    volume.setFocus();
    QTest::keyClick(&volume, Qt::Key_Down);
    ASSERT_TRUE(test::waitUntil([&] { return rmsOf(*residual) != sirt; }));
    // The views are what SIRT comes to, and not what FDK does.
    EXPECT_GT(rmsOf(*residual), sirt);
    test::screenshots(*panel, "projections-residual");

    // An open volume that is no result of this scan's jobs comes first.
    std::filesystem::copy_file(folder / "sirt.mha", folder / "elsewhere.mha");
    workspace->volume().open(toText(folder / "elsewhere.mha"));
    ASSERT_TRUE(test::waitUntil([&] { return volume.count() == 3; }));
    EXPECT_EQ(volume.itemText(0), "elsewhere.mha (open)");
    EXPECT_EQ(volume.currentText(), "fdk.mha (Ram-Lak)");
}

TEST_F(ResidualViewsTest, AVolumeOfAnotherGeometryIsNotUsed) {
    make("volume.mha", scan);
    choose("modeResidual");
    ASSERT_TRUE(isShownOf("view 0 "));
    Request request = workspace->scan().request();
    request.job.scan.geometry.detector.offsetMm[0] += 2;
    workspace->scan().edit(request, "Offset");
    EXPECT_TRUE(says("It was made with another geometry"));
    workspace->scan().undoStack().undo();
    EXPECT_TRUE(isShownOf("view 0 "));
}

TEST_F(ResidualViewsTest, AVolumeOfAnotherScanIsNotUsed) {
    SimulationSpec other = test::smallScan("pecan");
    const ScanFile pecan = readScanFile(test::makeScan(folder / "pecan", other));
    make("pecan.mha", pecan);
    workspace->volume().open(toText(folder / "pecan.mha"));
    ASSERT_TRUE(test::waitUntil([&] { return workspace->volume().volume() != nullptr; }));
    choose("modeResidual");
    EXPECT_TRUE(says("It was made from another scan: pecan"));
}

}  // namespace
}  // namespace gantry
