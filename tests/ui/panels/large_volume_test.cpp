// Volumes that do not fit in memory, in the tab of slices.
#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <filesystem>

#include "core/base/this_machine.h"
#include "tests/ui/panels/large_volumes.h"
#include "tests/ui/panels/slices_fixture.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/image/slice_images.h"
#include "ui/models/text.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

using test::waitUntil;

// 8192³ voxels of 8 bits, half a terabyte of nothing but a few rows: value 10 /mm is stored as 200.
class LargeVolumeTest : public test::SlicesPanelFixture {
  protected:
    static constexpr Index kEdge = 8192;
    static constexpr Index kSlice = 5001;
    static constexpr Index kRow = 3003;

    LargeVolumeTest() {
        const auto path = m_large / "huge 'ü'.raw";
        std::vector<std::uint8_t> row(300);
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = static_cast<std::uint8_t>(i % 200);
        test::writeHollowFile(path, {}, kEdge * kEdge * kEdge,
                              (kSlice * kEdge + kRow) * kEdge + 1000,
                              std::as_bytes(std::span(row)));
        VolumeDescription description;
        description.grid = {{kEdge, kEdge, kEdge}, {0.01, 0.01, 0.01}, {}};
        description.encoding.type = PixelType::uint8;
        description.encoding.slope = 0.05;
        writeFileAtomically(m_large / "huge 'ü'.raw.json", toJson(description));
        workspace.volume().open(toText(path));
    }
    [[nodiscard]] bool isShown() {
        return waitUntil([&] { return workspace.volume().volume() != nullptr; });
    }

    test::TemporaryFolder m_large;
};

TEST_F(LargeVolumeTest, AreShownCoarselyAtOnceAndTheirOwnVoxelsWhereOneLooks) {
    const Index before = peakResidentBytes();
    ASSERT_TRUE(isShown());
    workspace.volume().cancelOpening();  // of a finer level
    const auto volume = workspace.volume().volume();
    EXPECT_FALSE(volume->isWhole());
    EXPECT_LE(volume->voxels.sizeBytes(), Index{64} << 20);
    const auto* facts = panel.findChild<QLabel*>("volumeFacts");
    EXPECT_TRUE(facts->text().contains("8192 × 8192 × 8192"));
    EXPECT_TRUE(facts->text().contains("of a sample"));
    EXPECT_TRUE(facts->text().contains("Where you zoom in, its own voxels are read"));
    EXPECT_TRUE(axial->corner().contains("of the resolution"));

    // The oblique slice has the voxels in memory, and says so.
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_O);
    const auto* oblique = panel.findChild<ImageView*>("obliqueView");
    EXPECT_TRUE(waitUntil([&] { return oblique->corner().contains("of the resolution"); }))
        << oblique->corner().toStdString();

    // One step of the wheel is one slice of the file.
    const VolumeGrid& grid = volume->stored;
    workspace.selection().setCrossHairMm(grid.positionMm(1100, kRow, kSlice - 1));
    emit axial->scrolled(1);
    EXPECT_TRUE(axial->corner().startsWith(QStringLiteral("z 5001 of 0–8191")));
    // Zoomed in where there is something.
    const QPointF pixel(indexAt(volume->grid, 0, grid.positionMm(1100, 0, 0).x),
                        indexAt(volume->grid, 1, grid.positionMm(0, kRow, 0).y));
    for (int i = 0; i < 40; ++i)
        test::wheel(*axial, axial->viewAt(pixel), 1, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return axial->corner().contains("full resolution, 10 µm"); }))
        << axial->corner().toStdString();
    EXPECT_NEAR(axial->valueAtPixel(pixel), 0.05 * 100, 1e-6);
    const double next = indexAt(volume->grid, 0, grid.positionMm(1101, 0, 0).x);
    EXPECT_NEAR(axial->valueAtPixel({next, pixel.y()}), 0.05 * 101, 1e-6);
    // So is the value beside the slices.
    const auto* value = panel.findChild<QLabel*>("value");
    EXPECT_TRUE(waitUntil([&] { return value->text().startsWith("5 /mm"); }))
        << value->text().toStdString();
    test::screenshots(panel, "slices-huge");
    // The overview and the tiles of three views, and what reading takes.
    EXPECT_LT(peakResidentBytes() - before, Index{800} << 20);
}

TEST_F(LargeVolumeTest, ThatAreCutOffKeepWhatCanBeShown) {
    ASSERT_TRUE(isShown());
    workspace.volume().cancelOpening();
    const test::Heard<VolumeDocument> heard(workspace.volume());
    const auto volume = workspace.volume().volume();
    const VolumeGrid& grid = volume->stored;
    std::filesystem::resize_file(m_large / "huge 'ü'.raw", (kSlice + 1) * kEdge * kEdge);
    workspace.selection().setCrossHairMm(grid.positionMm(1100, kRow, 7000));
    const QPointF pixel(indexAt(volume->grid, 0, grid.positionMm(1100, 0, 0).x),
                        indexAt(volume->grid, 1, grid.positionMm(0, kRow, 0).y));
    for (int i = 0; i < 40; ++i)
        test::wheel(*axial, axial->viewAt(pixel), 1, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return heard.count() > 0; }));
    EXPECT_TRUE(heard.last().text.contains("huge"));
    EXPECT_FALSE(axial->corner().contains("full resolution")) << axial->corner().toStdString();

    // What is there is still read, and no other slice's voxels are shown for what is not.
    workspace.selection().setCrossHairMm(grid.positionMm(1100, kRow, kSlice));
    ASSERT_TRUE(waitUntil([&] { return axial->corner().contains("full resolution"); }))
        << axial->corner().toStdString();
    EXPECT_NEAR(axial->valueAtPixel(pixel), 0.05 * 100, 1e-6);
    workspace.selection().setCrossHairMm(grid.positionMm(1100, kRow, kSlice + 1));
    EXPECT_TRUE(waitUntil([&] { return !axial->corner().contains("full resolution"); }));
    EXPECT_EQ(axial->valueAtPixel(pixel), 0);
    EXPECT_EQ(heard.count(), 1) << heard.last().text.toStdString();
    EXPECT_TRUE(workspace.volume().volume());
}

// 4096³ voxels of 8 bits, of which one chunk was written, and damaged; and an intact one beside it.
class DamagedPyramidTest : public test::SlicesPanelFixture {
  protected:
    static constexpr Index kEdge = 4096;

    DamagedPyramidTest() {
        VolumeDescription description;
        description.grid = {{kEdge, kEdge, kEdge}, {0.01, 0.01, 0.01}, {}};
        description.encoding.type = PixelType::uint8;
        const std::vector<ZarrLevel> levels = test::writeEmptyPyramid(m_path, description);
        const auto damaged = levels.front().array.chunkFile({31, 31, 31});
        std::filesystem::create_directories(damaged.parent_path());
        writeFileAtomically(damaged, "no chunk");
        constexpr Index kChunk = test::kLargeChunk;
        const std::vector<std::byte> voxels(kChunk * kChunk * kChunk, std::byte{9});
        test::writeChunk(levels.front(), {31, 31, 35}, voxels);
    }

    test::TemporaryFolder m_large;
    std::filesystem::path m_path = m_large / "damaged.ome.zarr";
};

TEST_F(DamagedPyramidTest, OneDamagedChunkIsNamedOnceAndHidesNoOther) {
    const test::Heard<VolumeDocument> heard(workspace.volume());
    workspace.volume().open(toText(m_path));
    ASSERT_TRUE(waitUntil([&] { return workspace.volume().volume() != nullptr; }));
    workspace.volume().cancelOpening();
    const auto volume = workspace.volume().volume();
    ASSERT_FALSE(volume->isWhole());
    const VolumeGrid& grid = volume->stored;
    const auto lookAt = [&](Index x) {
        workspace.selection().setCrossHairMm(grid.positionMm(static_cast<double>(x), 2000, 2000));
        const QPointF pixel(indexAt(volume->grid, 0, grid.positionMm(double(x), 0, 0).x),
                            indexAt(volume->grid, 1, grid.positionMm(0, 2000, 0).y));
        QTest::keyClick(axial, Qt::Key_0);
        for (int i = 0; i < 40; ++i)
            test::wheel(*axial, axial->viewAt(pixel), 1, Qt::ControlModifier);
        return pixel;
    };
    lookAt(2000);
    ASSERT_TRUE(waitUntil([&] { return heard.count() > 0; }));
    EXPECT_TRUE(heard.last().text.contains("31/31/31")) << heard.last().text.toStdString();
    const QPointF intact = lookAt(2260);
    EXPECT_TRUE(waitUntil([&] { return axial->valueAtPixel(intact) == 9; }))
        << axial->corner().toStdString();
    lookAt(2000);
    EXPECT_TRUE(waitUntil([&] { return !axial->corner().contains("full resolution"); }));
    EXPECT_EQ(heard.count(), 1) << heard.last().text.toStdString();
    EXPECT_TRUE(workspace.volume().volume());
}

}  // namespace
}  // namespace gantry
