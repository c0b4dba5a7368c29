#include "ui/models/image/montage_sheet.h"

#include <gtest/gtest.h>

#include <QImage>
#include <numeric>

namespace gantry {
namespace {

class MontageSheetTest : public testing::Test {
  protected:
    // Pictures of 40 × 20 pixels, brighter from each to the next.
    [[nodiscard]] MontageSheet sheetOf(int count) {
        MontageSheet sheet;
        sheet.title = "Ring width (prep.ringWidthPx)";
        sheet.columns = 40;
        sheet.rows = 20;
        sheet.longestPx = 200;
        m_pixels.clear();
        for (int i = 0; i < count; ++i)
            m_pixels.emplace_back(800, static_cast<float>(i));
        for (int i = 0; i < count; ++i) {
            SheetPicture& picture = sheet.pictures.emplace_back();
            picture.pixels = m_pixels[static_cast<std::size_t>(i)];
            picture.value = std::to_string(i) + " px";
        }
        return sheet;
    }
    [[nodiscard]] static QImage drawn(const MontageSheet& sheet) {
        return QImage::fromData(QByteArray::fromStdString(toPng(sheet)), "PNG");
    }
    // Pixels of that colour.
    [[nodiscard]] static int count(const QImage& image, QRgb colour) {
        int found = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                found += image.pixel(x, y) == colour;
        return found;
    }

    std::vector<std::vector<float>> m_pixels;
};

constexpr QRgb kBest = 0xFF1D6FD8;

TEST_F(MontageSheetTest, HasEveryPictureInOneWindowAndInItsShape) {
    const QImage image = drawn(sheetOf(3));
    ASSERT_FALSE(image.isNull());
    // 0, 1 and 2 of a window from 0 to 2, each 200 × 100 pixels; texts are in other colours.
    EXPECT_NEAR(count(image, 0xFF000000), 20000, 20);
    EXPECT_NEAR(count(image, 0xFF808080), 20000, 20);
    EXPECT_EQ(count(image, kBest), 0);
}

TEST_F(MontageSheetTest, FramesTheBest) {
    MontageSheet sheet = sheetOf(4);
    sheet.pictures[2].isBest = true;
    sheet.pictures[2].note = "sharpness 1.000";
    EXPECT_GT(count(drawn(sheet), kBest), 3 * 2 * (200 + 100));
}

TEST_F(MontageSheetTest, IsAsWideAsAScreenIs) {
    for (const int pictures : {2, 5, 9, 64}) {
        const QImage image = drawn(sheetOf(pictures));
        EXPECT_GE(image.width() * 2, image.height()) << pictures;
        EXPECT_LE(image.width(), 5 * image.height()) << pictures;
    }
}

TEST_F(MontageSheetTest, VoxelsThatAreNotCubesKeepTheirShape) {
    MontageSheet sheet = sheetOf(1);
    m_pixels[0].back() = 1;  // all but one are black
    sheet.pixelAspect = 3;
    EXPECT_NEAR(count(drawn(sheet), 0xFF000000), 200 * 133, 400);
}

}  // namespace
}  // namespace gantry
