#include "core/report/png_image.h"

#include <gtest/gtest.h>
#include <png.h>

#include "core/report/report.h"

namespace gantry {
namespace {

Picture decoded(const std::string& bytes) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
    image.format = PNG_FORMAT_RGB;
    Picture picture(image.width, image.height, 0);
    EXPECT_NE(png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr), 0);
    return picture;
}

TEST(PngImage, KeepsEveryPixel) {
    const Picture picture = greyPicture({0, 1, 2, 3, 4, 5}, 3, 2, 0, 5);
    const Picture again = decoded(toPng(picture));
    EXPECT_EQ(again.width, 3);
    EXPECT_EQ(again.height, 2);
    EXPECT_EQ(again.rgb, picture.rgb);
    EXPECT_EQ(picture.rgb[0], 0);
    EXPECT_EQ(picture.rgb[3], 51);
    EXPECT_EQ(picture.rgb[15], 255);
}

TEST(PngImage, ClipsOutsideTheWindowAndTakesAFlatImage) {
    const Picture picture = greyPicture({-1e30F, 1e30F}, 2, 1, 0, 1);
    EXPECT_EQ(picture.rgb[0], 0);
    EXPECT_EQ(picture.rgb[3], 255);
    EXPECT_EQ(greyPicture({7, 7}, 2, 1, 7, 7).rgb[0], 0);
}

TEST(PngImage, DifferencesAreBlueBelowAndRedAboveZero) {
    const Picture picture = differencePicture({-2, 0, 2}, 3, 1, 2);
    const std::vector<std::uint8_t> expected = {0, 0, 255, 255, 255, 255, 255, 0, 0};
    EXPECT_EQ(picture.rgb, expected);
    EXPECT_EQ(decoded(toPng(picture)).rgb, expected);
}

TEST(PngImage, APictureOfBlueAloneIsNotTakenForGrey) {
    const Picture picture = differencePicture({-2, -1}, 2, 1, 2);
    EXPECT_EQ(decoded(toPng(picture)).rgb, picture.rgb);
}

TEST(PngImage, EqualImagesHaveAWhiteDifferenceOnAnyScale) {
    const std::vector<std::uint8_t> white(6, 255);
    EXPECT_EQ(differencePicture({0, 0}, 2, 1, 1).rgb, white);
    EXPECT_EQ(differencePicture({0, 0}, 2, 1, 0).rgb, white);
}

TEST(ReportPage, EscapesWhatCameFromFiles) {
    ReportPage page("a <b> & c");
    page.sentence("x < y");
    page.table({{"head"}, {"<script>"}});
    const std::string html = page.html();
    EXPECT_NE(html.find("a &lt;b&gt; &amp; c"), std::string::npos);
    EXPECT_NE(html.find("x &lt; y"), std::string::npos);
    EXPECT_EQ(html.find("<script>"), std::string::npos);
}

}  // namespace
}  // namespace gantry
