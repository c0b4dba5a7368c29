// A slice saved as it is shown, read back.
#include <gtest/gtest.h>

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <vector>

#include "core/io/volume/read_volume.h"
#include "tests/ui/panels/slices_fixture.h"
#include "ui/panels/slices/slice_export.h"

namespace gantry {
namespace {

using test::kSlicesGrid;
using test::numbered;
using test::waitUntil;

class SliceExportTest : public test::SlicesPanelFixture {
  protected:
    // @returns the file, once it is there
    std::filesystem::path save(const char* action, const char* name) {
        find<QAction>(action).trigger();
        auto* dialog = panel.window()->findChild<QFileDialog*>("sliceSaveDialog");
        EXPECT_NE(dialog, nullptr);
        const std::filesystem::path path = folder / name;
        emit dialog->fileSelected(toText(path));
        dialog->close();
        EXPECT_TRUE(waitUntil([&] { return std::filesystem::exists(path); }));
        return path;
    }
};

TEST_F(SliceExportTest, ValuesAreThoseShownWithTheTopRowFirst) {
    openVolume();
    coronal->setFocus();
    const auto path = save("saveSliceValues", "Zahn é 0.5mm.tif");
    const Volume slice = readVolume(path);
    ASSERT_EQ(slice.grid.voxels, (std::array<Index, 3>{21, 11, 1}));
    EXPECT_EQ(slice.grid.pitchMm, (std::array<double, 3>{0.5, 1.25, 0.5}));
    for (Index row = 0; row < 11; ++row)
        for (Index column = 0; column < 21; ++column)
            EXPECT_EQ(slice.span()(0, row, column), numbered(column, 8, 10 - row));
}

// Slices are counted from 0, as views are, and the slices of a volume in files.
TEST_F(SliceExportTest, TheNameThatIsOfferedHasTheNumberThatTheImageShows) {
    openVolume();
    coronal->setFocus();
    find<QAction>("saveSliceValues").trigger();
    auto* dialog = panel.window()->findChild<QFileDialog*>("sliceSaveDialog");
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(QFileInfo(dialog->selectedFiles().value(0)).fileName(), "volume y 8.tif");
    EXPECT_TRUE(coronal->corner().startsWith(QStringLiteral("y 8 of 0–15,")))
        << coronal->corner().toStdString();
    EXPECT_EQ(find<QLabel>("voxelY").text(), QStringLiteral("8 of 0–15"));
    dialog->close();
}

TEST_F(SliceExportTest, APictureHasSquarePixelsAndTheWindow) {
    openVolume();
    workspace.volume().setWindow({numbered(0, 8, 0), numbered(0, 8, 10)});
    coronal->setFocus();
    const QImage image(toText(save("saveSlicePicture", "with a space ü.png")));
    ASSERT_EQ(image.size(), QSize(21, 28));  // of 0.5 mm; 11 slices of 1.25 mm are 27.5
    EXPECT_LT(qGray(image.pixel(0, 27)), 16);
    EXPECT_GT(qGray(image.pixel(0, 0)), 239);
}

TEST_F(SliceExportTest, AScaleBarAndACaptionStandWhereThereIsTheRoom) {
    openVolume({{300, 200, 1}, {0.1, 0.1, 0.1}, {}}, [](Index, Index, Index) { return 0.5F; });
    workspace.volume().setWindow({0, 1});
    axial->setFocus();
    const QImage plain(toText(save("saveSlicePicture", "plain.png")));
    const QImage captioned(toText(save("saveSliceCaptioned", "captioned.png")));
    ASSERT_EQ(plain.size(), QSize(300, 200));
    // 5 mm, 50 pixels, end 16 pixels from the right and lie 16 above the bottom.
    EXPECT_GT(qGray(plain.pixel(300 - 16 - 25, 200 - 15)), 220);
    EXPECT_EQ(qGray(plain.pixel(8, 10)), qGray(plain.pixel(100, 100)));
    EXPECT_LT(qGray(captioned.pixel(6, 9)), 80);
    EXPECT_NEAR(plain.dotsPerMeterX(), 10000, 1);
}

TEST_F(SliceExportTest, ALongCaptionLeavesTwoThirdsOfThePictureFree) {
    const std::vector<float> pixels(400 * 300, 0.5F);
    GreyImage image;
    image.pixels = pixels;
    image.columns = 400;
    image.rows = 300;
    const QString name = "2026-11-27_walnut_512_ram-lak_a_rather_long_final_version.mha";
    const auto path = folder / "long.png";
    savePng({image, {0, 1}, 0.1, 0.1, false, name + " of " + name + "\nz 12.50 mm (slice 150)"},
            toText(path));
    const QImage captioned(toText(path));
    const int plain = qGray(captioned.pixel(399, 299));
    int darkened = 0;
    for (int y = 0; y < captioned.height(); ++y)
        for (int x = 0; x < captioned.width(); ++x) {
            if (qGray(captioned.pixel(x, y)) == plain) continue;
            ++darkened;
            ASSERT_LT(x, 160) << "in row " << y;  // a third, and the margins
        }
    EXPECT_GT(darkened, 1000);
}

TEST_F(SliceExportTest, WhatCannotBeWrittenIsSaid) {
    openVolume();
    QString said;
    QObject::connect(&workspace, &Workspace::messageRaised, &panel,
                     [&](const Message& message) { said = message.text; });
    find<QAction>("saveSlicePicture").trigger();
    auto* dialog = panel.window()->findChild<QFileDialog*>("sliceSaveDialog");
    ASSERT_NE(dialog, nullptr);
    emit dialog->fileSelected(toText(folder / "no such folder" / "slice.png"));
    dialog->close();
    EXPECT_TRUE(waitUntil([&] { return said.contains("no such folder"); }));
}

}  // namespace
}  // namespace gantry
