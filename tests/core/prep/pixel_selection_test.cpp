#include "core/prep/pixel_selection.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

ScanGeometry smallCone() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1100;
    geometry.cone().views = 7;
    geometry.detector = {.columns = 15, .rows = 11, .pitchMm = {6, 5}, .offsetMm = {30, -4}};
    return geometry;
}

TEST(PixelSelection, LeavesOutWhatFillsNoPixel) {
    const ScanGeometry larger = selected(smallCone(), {.bin = 4});
    EXPECT_EQ(larger.detector.columns, 3);
    EXPECT_EQ(larger.detector.rows, 2);
    EXPECT_EQ(selected(smallCone(), {}), smallCone());
}

TEST(PixelSelection, OfAPartKeepsThePlaceOfItsPixels) {
    const ScanGeometry part = selected(smallCone(), {.crop = {3, 2, 14, 9}, .bin = 2});
    EXPECT_EQ(part.detector.columns, 5);
    EXPECT_EQ(part.detector.rows, 3);
    // The middle of columns 3 to 12 is 0.5 columns, and of rows 2 to 7 0.5 rows, from the
    // detector's.
    EXPECT_NEAR(part.detector.offsetMm[0], 30 + 0.5 * 6, 1e-12);
    EXPECT_NEAR(part.detector.offsetMm[1], -4 - 0.5 * 5, 1e-12);
}

TEST(PixelSelection, NeedsAsManyRowsAndColumns) {
    EXPECT_EQ(selected(smallCone(), {.bin = 11}).detector.rows, 1);
    EXPECT_ERROR((void)selected(smallCone(), {.bin = 12}), InputError,
                 "prep.bin is 12 pixels; the detector has 15 × 11 pixels, so that it must be 1 to "
                 "11");
    EXPECT_ERROR((void)selected(smallCone(), {.crop = {0, 2, 15, 5}, .bin = 4}), InputError,
                 "the detector has 15 × 3 pixels in prep.crop");
}

TEST(PixelSelection, MustLieOnTheDetector) {
    for (const std::vector<Index>& crop : std::vector<std::vector<Index>>{
             {0, 0, 16, 11}, {0, 0, 15, 12}, {4, 0, 4, 11}, {-1, 0, 15, 11}, {0, 0, 15}}) {
        const PixelSelection wrong = {.crop = crop};
        EXPECT_FALSE(wrong.isOn(smallCone().detector));
        EXPECT_ERROR((void)selected(smallCone(), wrong), InputError,
                     "of the detector's 15 × 11 pixels");
    }
    EXPECT_ERROR((void)selected(smallCone(), {.crop = {2, 3, 16, 9}}), InputError,
                 "prep.crop is 2, 3, 16, 9; it must be");
    EXPECT_TRUE((PixelSelection{.crop = {0, 0, 15, 11}}).isOn(smallCone().detector));
}

}  // namespace
}  // namespace gantry
