// Pictures of the whole window in its main states, at the sizes that it must look good at, dark and
// light; at twice the scale, too. They are written to build/<preset>/screenshots/window-*.png.
#include <gtest/gtest.h>

#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QTableView>

#include "core/simulate/jitter.h"
#include "tests/ui/desktop/desk.h"
#include "tests/ui/desktop/other_screen.h"
#include "ui/scene/schematic/schematic_view.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/image_view.h"
#include "ui/widgets/message_bar.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

class Pictures : public testing::TestWithParam<QSize> {
  protected:
    Pictures() { QSettings().clear(); }

    void take(const QString& name) {
        const double ratio = desk().window().devicePixelRatioF();
        test::pass(400);
        test::screenshots(desk().window(), QStringLiteral("window-%1-%2x%3%4")
                                               .arg(name)
                                               .arg(GetParam().width())
                                               .arg(GetParam().height())
                                               .arg(ratio > 1 ? "-2x" : ""));
        EXPECT_EQ(desk().window().size(), GetParam()) << name.toStdString();
    }
    Desk& desk() {
        if (!m_desk) m_desk = std::make_unique<Desk>(GetParam());
        return *m_desk;
    }
    void waitForPictures() {
        auto& filtered = desk().part<ImageView>("filteredView");
        ASSERT_TRUE(waitUntil([&] { return !filtered.image().isEmpty(); }));
        auto& schematic = desk().part<SchematicView>("schematic");
        ASSERT_TRUE(
            waitUntil([&] { return !schematic.isVisible() || schematic.lastDrawingMs() > 0; }));
    }
    void reconstruct() {
        auto& button = desk().part<QPushButton>("reconstruct");
        ASSERT_TRUE(waitUntil([&] { return button.isEnabled(); }));
        QTest::mouseClick(&button, Qt::LeftButton);
    }

  private:
    std::unique_ptr<Desk> m_desk;
};

TEST_P(Pictures, TheStartPage) {
    take("start");
}

TEST_P(Pictures, BareImages) {
    const auto scan = desk().makeScan(40, 64, "images");
    std::filesystem::remove(scan / "scan.json");
    std::filesystem::remove(scan / "phantom.json");
    desk().drop(scan);
    ASSERT_TRUE(waitUntil([&] {
        return desk().workspace().scan().state() == ScanDocument::State::incomplete &&
               desk().workspace().scan().inspection();
    }));
    waitForPictures();
    take("guesses");
}

TEST_P(Pictures, FromTheScanToTheVolume) {
    desk().openScan(desk().makeScan(60, 96, "walnut"));
    waitForPictures();
    take("scan");
    const Request quick = desk().workspace().scan().request();
    Request slow = quick;
    slow.job.cpuKernel = kReferenceKernel;
    for (const std::size_t axis : {0, 1, 2}) {
        slow.job.volume.voxels[axis] *= 3;
        slow.job.volume.pitchMm[axis] /= 3;
    }
    slow.volumeIsFitted = false;
    desk().workspace().scan().edit(slow, "Use the reference kernel");
    reconstruct();
    const auto& jobs = desk().workspace().jobs().jobs();
    ASSERT_TRUE(
        waitUntil([&] { return !jobs.empty() && jobs.front().status.state == JobState::running; }));
    test::pass(1000);
    take("running");
    desk().workspace().jobs().cancel(QString(jobs.front().folder));
    ASSERT_TRUE(waitUntil([&] { return !jobs.front().isActive(); }, 120));
    desk().workspace().scan().edit(quick, "Back");
    reconstruct();
    ASSERT_TRUE(waitUntil([&] { return jobs.front().status.state == JobState::done; }, 120));
    auto& axial = desk().part<ImageView>("axialView");
    ASSERT_TRUE(waitUntil([&] { return !axial.image().isEmpty() && axial.isVisible(); }));
    test::pass(300);
    take("slices");
    desk().window().showTab(MainWindow::Tab::volume);
    ASSERT_TRUE(
        waitUntil([&] { return desk().part<VolumeRendering>("volumeRendering").isFinished(); }));
    take("volume");
    desk().drop(desk().folder() / "not there.json");
    desk().window().showTab(MainWindow::Tab::projections);
    Request wrong = desk().workspace().scan().request();
    wrong.job.scan.geometry.cone().sourceToDetectorMm = 100;
    desk().workspace().scan().edit(wrong, "Change source–detector distance");
    ASSERT_TRUE(waitUntil([&] { return !desk().part<MessageBar>("messages").text().isEmpty(); }));
    take("errors");
}

TEST_P(Pictures, CalibratedPoses) {
    SimulationSpec posed = test::smallScan(60, 96, 96, 410);
    posed.geometry = jittered(posed.geometry, 1, 0.5, 3);
    const auto scan = desk().folder() / "c-arm";
    (void)test::simulated(posed, scan);
    desk().openScan(scan);
    waitForPictures();
    auto& poses = desk().part<QTableView>("poseTable");
    for (QWidget* at = &poses; at; at = at->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(at)) {
            take("poses-top");
            area->ensureWidgetVisible(&poses, 0, 400);
        }
    take("poses");
    EXPECT_TRUE(poses.isVisible());
}

TEST(PicturesAtTwiceTheScale, AreAsWell) {
    test::runOnScreen("2560x1600", "2", "Sizes/Pictures.*/1280x800");
}

INSTANTIATE_TEST_SUITE_P(Sizes, Pictures, testing::Values(QSize(1280, 800), QSize(1600, 1000)),
                         [](const auto& size) {
                             return std::to_string(size.param.width()) + "x" +
                                    std::to_string(size.param.height());
                         });

}  // namespace
}  // namespace gantry
