// Hounsfield units by two regions of the slices, by real events, against the file's own voxels.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/base/file.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/record_path.h"
#include "core/io/volume/stored_volume.h"
#include "core/metrics/region.h"
#include "tests/ui/panels/slices_fixture.h"

namespace gantry {
namespace {

using test::kSlicesGrid;
using test::waitUntil;

// Air on the left, water on the right, neither of them smooth.
float airAndWater(Index x, Index y, Index z) {
    const float grain = 1e-4F * std::sin(static_cast<float>(5 * x + 11 * y + 3 * z));
    return (x < 10 ? 0.0004F : 0.0207F) + grain;
}

class SlicesDensityTest : public test::SlicesPanelFixture {
  protected:
    SlicesDensityTest() { openVolume(kSlicesGrid, airAndWater); }

    // Draws a region in the axial slice and says what it is, by the n-th entry of the list.
    WorldBox mark(QPoint from, QPoint to, int matter) {
        axial->setFocus();
        QTest::keyClick(axial, Qt::Key_R);
        test::drag(*axial, from, to);
        auto& list = find<QComboBox>("regionMatter");
        EXPECT_TRUE(list.isVisible());
        list.setFocus();
        for (int i = 0; i < matter; ++i)
            QTest::keyClick(&list, Qt::Key_Down);
        const QPointF a = axial->pixelAt(from);
        const QPointF b = axial->pixelAt(to);
        const Vec3 low = kSlicesGrid.positionMm(std::min(a.x(), b.x()), std::min(a.y(), b.y()), 5);
        const Vec3 high = kSlicesGrid.positionMm(std::max(a.x(), b.x()), std::max(a.y(), b.y()), 5);
        return {{low.x, low.y, low.z - 0.6}, {high.x, high.y, high.z + 0.6}};
    }
    // The unit that the panel shows once the volume is read anew.
    bool waitForUnit(const QString& unit) {
        return waitUntil([&] {
            const auto volume = workspace.volume().volume();
            return !workspace.volume().isOpening() && volume && volume->unit == unit;
        });
    }
    void press(int key, Qt::KeyboardModifiers modifiers) {
        axial->setFocus();
        QTest::keyClick(axial, static_cast<Qt::Key>(key), modifiers);
    }
};

TEST_F(SlicesDensityTest, TwoRegionsMakeTheVolumeHounsfieldUnitsWhichIsUndone) {
    const Volume before = readVolume(folder / "volume.mha");
    auto& calibrate = find<QPushButton>("calibrateVolume");
    const WorldBox air = mark(at(*axial, 2, 2), at(*axial, 7, 12), 1);
    EXPECT_FALSE(calibrate.isEnabled());
    const WorldBox water = mark(at(*axial, 12, 3), at(*axial, 18, 13), 2);
    ASSERT_TRUE(calibrate.isEnabled());
    test::screenshots(panel, "slices-density-before");
    QTest::mouseClick(&calibrate, Qt::LeftButton);
    ASSERT_TRUE(waitForUnit("HU")) << find<QLabel>("densityState").text().toStdString();

    const StoredVolume stored = openStoredVolume(folder / "volume.mha");
    const ValueScale scale = stored.encoding.scale;
    const auto mean = [&](const WorldBox& box) {
        return boxStatistics(before.span(), before.grid, box).mean;
    };
    // Voxels are floats, and some hundred of them make a mean.
    EXPECT_NEAR(scale.slope * mean(air) + scale.intercept, -1000, 1e-3);
    EXPECT_NEAR(scale.slope * mean(water) + scale.intercept, 0, 1e-3);
    ASSERT_TRUE(waitUntil([&] { return find<QLabel>("measureFigures").text().contains("HU"); }));
    EXPECT_FALSE(find<QLabel>("measureFigures").text().contains("/mm"));
    EXPECT_TRUE(find<QLabel>("value").text().contains("HU"));
    test::screenshots(panel, "slices-density");

    press(Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(waitForUnit("/mm"));
    EXPECT_EQ(openStoredVolume(folder / "volume.mha").encoding.scale, ValueScale{});
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(waitForUnit("HU"));
    EXPECT_EQ(openStoredVolume(folder / "volume.mha").encoding.scale, scale);
    QTest::mouseClick(&find<QPushButton>("attenuationAgain"), Qt::LeftButton);
    ASSERT_TRUE(waitForUnit("/mm"));
}

TEST_F(SlicesDensityTest, RegionsThatDoNotDifferSaySoAndAFileThatIsNotWrittenStays) {
    mark(at(*axial, 2, 2), at(*axial, 7, 12), 1);
    mark(at(*axial, 3, 3), at(*axial, 8, 13), 1);
    QTest::mouseClick(&find<QPushButton>("calibrateVolume"), Qt::LeftButton);
    ASSERT_TRUE(
        waitUntil([&] { return find<QLabel>("densityState").text().contains("Mark two"); }));
    EXPECT_EQ(workspace.volume().volume()->unit, "/mm");

    // Another file has the record's name.
    writeFileAtomically(recordPath(folder / "volume.mha"), "notes");
    mark(at(*axial, 12, 3), at(*axial, 18, 13), 2);
    QTest::mouseClick(&find<QPushButton>("calibrateVolume"), Qt::LeftButton);
    Message message;
    QObject::connect(&workspace.volume(), &VolumeDocument::messageRaised, &panel,
                     [&](const Message& raised) { message = raised; });
    ASSERT_TRUE(waitUntil([&] { return message.text.contains("no record"); }));
    EXPECT_EQ(workspace.volume().volume()->unit, "/mm");
}

}  // namespace
}  // namespace gantry
