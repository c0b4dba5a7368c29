// Volumes of test pieces that were scanned, measured in the panel of verification.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/file.h"
#include "core/io/volume/open_sink.h"
#include "tests/core/verify/made_volumes.h"
#include "tests/ui/panels/verify_panel_fixture.h"
#include "tests/ui/support/ui_test.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/image/profile_plot.h"

namespace gantry {
namespace {

using test::waitUntil;

class VerifyRealPiece : public test::VerifyPanelTest {
  protected:
    /// Chooses the kind of question as an operator without a scan does.
    void begin() { QTest::mouseClick(part<QPushButton>("action"), Qt::LeftButton); }
    void chooseVolume(const std::filesystem::path& path, bool isFolder) {
        part<QPushButton>("verifyVolume")->menu()->actions()[isFolder ? 1 : 0]->trigger();
        choose("verifyVolumeDialog", path);
    }
    std::filesystem::path stored(const Volume& volume, const std::string& name) {
        OutputFormat format;
        format.path = folder / name;
        const auto sink = openSink(format, volume.grid, SinkStart::fresh);
        sink->write(0, volume.span());
        sink->finish();
        return format.path;
    }
    /// An upright cylinder beside the middle, whose rim is blurred.
    static Volume cylinder() {
        const VolumeGrid grid = {{90, 84, 22}, {0.5, 0.5, 0.8}, {3, -2, 7}};
        return test::volumeOf(grid, [](Vec3 p) {
            const double grain = 0.0004 * std::sin(91 * p.x + 57 * p.y + 13 * p.z);
            return 0.02 * test::softEdge(std::hypot(p.x - 4, p.y + 3) - 14, 0.4) + grain;
        });
    }
};

TEST_F(VerifyRealPiece, ACylinderIsMeasuredWithoutAScan) {
    EXPECT_FALSE(part<QPushButton>("startVerify")->isVisible());
    begin();
    ASSERT_TRUE(part<QPushButton>("startVerify")->isVisible());
    EXPECT_FALSE(part<QPushButton>("startVerify")->isEnabled());  // no volume yet
    EXPECT_FALSE(part<QWidget>("verifyWrong")->isVisible());
    const auto file = stored(cylinder(), "Zylinder ø28.ome.zarr");
    chooseVolume(file, true);
    EXPECT_TRUE(part<QLabel>("verifyVolumeName")->text().contains("ø28"));
    verify();
    expectFiguresOf({"--volume", toText(file)});
    // The edge is a Gaussian of 0.4 mm, whose MTF is 50 % at 0.1874 / 0.4 mm; trilinear voxels of
    // 0.5 mm and bins are divided out but for 2 %.
    EXPECT_NEAR(figureOf("MTF 50 %"), 0.1874 / 0.4, 0.02 * 0.1874 / 0.4);
    // Its volume alone, as there is no truth, and slices to go through.
    EXPECT_TRUE(view(1)->isVisible());
    EXPECT_FALSE(view(0)->isVisible());
    EXPECT_FALSE(view(2)->isVisible());
    const QString before = view(1)->corner();
    EXPECT_FALSE(before.isEmpty());
    test::wheel(*view(1), view(1)->rect().center(), 3);
    EXPECT_NE(view(1)->corner(), before);
    EXPECT_EQ(view(1)->caption().toStdString(),
              (numberText(valueAt(view(1)->image(), {45, 42})) + " /mm").toStdString());
    test::screenshots(panel, "verify-real-cylinder");
    // Contrast discrimination: from single voxels, whose noise it is, to the largest tiles.
    auto* curve = part<QComboBox>("verifyCurve");
    curve->setFocus();
    QTest::keyClick(curve, Qt::Key_End);
    ASSERT_EQ(curve->currentText(), "Contrast discrimination");
    auto* cdf = part<ProfilePlot>("verifyCdf");
    ASSERT_TRUE(cdf->isVisible());
    test::screenshots(panel, "verify-contrast");
    ASSERT_GT(cdf->marks().size(), 3U);
    EXPECT_EQ(cdf->marks().front().x, 0.5);  // mm, a voxel
    EXPECT_NEAR(cdf->marks().front().value, figureOf("noise inside, of the mean"), 0.0005);
    EXPECT_NEAR(cdf->marks().back().value, figureOf("contrast discrimination, 3 mm"), 0.0005);
}

TEST_F(VerifyRealPiece, SpheresAreMeasuredWithTheirList) {
    const std::vector<KnownSphere> spheres = {
        {{-9, -8, -6}, 4}, {{10, -7, 5}, 4}, {{-2, 9, 1}, 4}, {{9, 8, -7}, 4}};
    const VolumeGrid grid = {{72, 68, 52}, {0.5, 0.5, 0.6}, {0, 0, 0}};
    const auto file = stored(test::volumeOfSpheres(grid, spheres, 0.4), "balls.mha");
    // The list says that all is 1 % larger, and lies rotated.
    std::string shapes;
    for (const KnownSphere& sphere : spheres)
        shapes +=
            fmt::format("{}{{\"kind\": \"sphere\", \"centerMm\": [{}, {}, {}], \"radiusMm\": 4}}",
                        shapes.empty() ? "" : ", ", -1.01 * sphere.centerMm.y,
                        1.01 * sphere.centerMm.x, 1.01 * sphere.centerMm.z);
    const auto list = folder / "list.json";
    writeFileAtomically(list, "{\"gantryShapes\": 1, \"shapes\": [" + shapes + "]}");
    openScan();
    auto* piece = part<QComboBox>("verifyPhantom");
    piece->setFocus();
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(piece, Qt::Key_Down);
    ASSERT_EQ(piece->currentText(), "A volume of a real test piece");
    chooseVolume(file, false);
    part<QComboBox>("verifyKind")->setFocus();
    QTest::keyClick(part<QComboBox>("verifyKind"), Qt::Key_Down);
    auto* start = part<QPushButton>("startVerify");
    EXPECT_FALSE(start->isEnabled());  // where the spheres are is not known
    QTest::mouseClick(part<QPushButton>("verifyCentres"), Qt::LeftButton);
    choose("verifyCentresDialog", list);
    EXPECT_FALSE(part<QCheckBox>("verifyIsOfScan")->isChecked());
    verify();
    expectFiguresOf({"--volume", toText(file), "--piece", "spheres", "--spheres", toText(list)});
    // 1 / 1.01
    EXPECT_NEAR(figureOf("scale error of lengths"), -0.990, 0.01);
    EXPECT_EQ(part<QComboBox>("verifyCurve")->count(), 2);  // no cylinder, no MTF
    EXPECT_FALSE(verdict().contains("geometry"));
    EXPECT_TRUE(figures()->item(0, 2)->text().endsWith(", missed"));
    // Sphere by sphere; the worst form error is the figure.
    QTest::keyClick(part<QComboBox>("verifyTable"), Qt::Key_Down);
    auto* table = part<QTableWidget>("verifySpheres");
    ASSERT_TRUE(table->isVisible());
    ASSERT_EQ(table->rowCount(), static_cast<int>(spheres.size()));
    double worst = 0;
    for (int row = 0; row < table->rowCount(); ++row)
        worst = std::max(worst, table->item(row, 4)->text().toDouble());
    EXPECT_EQ(worst, figureOf("form error PF, worst sphere"));
    test::screenshots(panel, "verify-sphere-by-sphere");
    // With the scan's geometry the cause is told, too.
    QTest::mouseClick(part<QCheckBox>("verifyIsOfScan"), Qt::LeftButton);
    EXPECT_TRUE(verdict().contains("have changed since"));
    verify();
    test::screenshots(panel, "verify-real-spheres");
    expectFiguresOf({toText(folder / "scan" / "scan.json"), "--volume", toText(file), "--piece",
                     "spheres", "--spheres", toText(list)});
    EXPECT_TRUE(verdict().contains("Lengths are wrong")) << verdict().toStdString();
}

TEST_F(VerifyRealPiece, SaysWhatIsWrongWithTheVolume) {
    begin();
    chooseVolume(folder / "nowhere.mha", false);
    QTest::mouseClick(part<QPushButton>("startVerify"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return part<QPushButton>("startVerify")->isEnabled(); }));
    EXPECT_TRUE(verdict().contains("nowhere.mha")) << verdict().toStdString();
    // Something else is verified again: without a scan the tab says how to get one.
    auto* piece = part<QComboBox>("verifyPhantom");
    piece->setFocus();
    QTest::keyClick(piece, Qt::Key_Home);
    EXPECT_FALSE(part<QPushButton>("startVerify")->isVisible());
}

}  // namespace
}  // namespace gantry
