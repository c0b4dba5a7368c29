#include "ui/models/image/projection_images.h"

#include <gtest/gtest.h>

#include <limits>

namespace gantry {
namespace {

FloatImage ramp(Index rows, Index columns) {
    FloatImage image{rows, columns, HostBuffer<float>(rows * columns)};
    for (Index i = 0; i < rows * columns; ++i)
        image.pixels[i] = static_cast<float>(i);
    return image;
}

ScanFile scanOf(ProjectionKind kind) {
    ScanFile scan;
    scan.projections.kind = kind;
    scan.geometry.cone().views = 360;
    scan.geometry.detector.pitchMm = {0.4, 0.6};
    return scan;
}

TEST(ProjectionImages, UnitsFollowTheStepAndTheKindOfScan) {
    const auto unit = [](ProjectionStep step, ProjectionKind kind) {
        return viewPicture(ramp(3, 5), step, scanOf(kind)).image.unit;
    };
    EXPECT_EQ(unit(ProjectionStep::stored, ProjectionKind::counts), "counts");
    EXPECT_EQ(unit(ProjectionStep::stored, ProjectionKind::attenuation), "");
    EXPECT_EQ(unit(ProjectionStep::corrected, ProjectionKind::counts), "");
    EXPECT_EQ(unit(ProjectionStep::filtered, ProjectionKind::counts), "mm");
}

TEST(ProjectionImages, AViewsFirstRowIsTheLowestAndItsPixelsHaveTheDetectorsShape) {
    const ProjectionPicture picture =
        viewPicture(ramp(3, 5), ProjectionStep::stored, scanOf(ProjectionKind::counts));
    EXPECT_TRUE(picture.image.firstRowIsBottom);
    EXPECT_DOUBLE_EQ(picture.image.pixelAspect, 1.5);
    EXPECT_EQ(picture.image.at(4, 1), 9);
    EXPECT_EQ(picture.histogram.high, 14);
    EXPECT_LT(picture.automatic.black, picture.automatic.white);
}

TEST(ProjectionImages, ASinogramBeginsAtTheTopAndIsNoNarrowStrip) {
    const auto image = std::make_shared<FloatImage>(ramp(1000, 10));
    const ProjectionPicture picture =
        sinogramPicture(image, ProjectionStep::corrected, scanOf(ProjectionKind::counts));
    EXPECT_FALSE(picture.image.firstRowIsBottom);
    const double height = 1000 * picture.image.pixelAspect;
    EXPECT_NEAR(height / 10, 0.75, 1e-9);
}

TEST(ProjectionImages, AnImageWithoutPixelsIsSurvived) {
    const ProjectionPicture picture =
        viewPicture(FloatImage(), ProjectionStep::filtered, scanOf(ProjectionKind::counts));
    EXPECT_TRUE(picture.image.isEmpty());
    EXPECT_TRUE(rowOf(picture.image, 0).empty());
}

TEST(ProjectionImages, ARowGoesFromLeftToRight) {
    const ProjectionPicture picture =
        viewPicture(ramp(3, 4), ProjectionStep::corrected, scanOf(ProjectionKind::counts));
    EXPECT_EQ(rowOf(picture.image, 1), (std::vector<double>{4, 5, 6, 7}));
    EXPECT_TRUE(rowOf(picture.image, 3).empty());
    EXPECT_TRUE(rowOf(picture.image, -1).empty());
}

TEST(ProjectionImages, TextsCarryUnitsAndSensibleDigits) {
    ScanGeometry geometry = scanOf(ProjectionKind::counts).geometry;
    EXPECT_EQ(viewText(geometry, 127), QStringLiteral("view 127 of 0–359, 127.0°"));
    EXPECT_EQ(afterViewText(geometry, 127), QStringLiteral("of 0–359, 127.0°"));
    geometry.cone().arcDeg = -360;
    EXPECT_EQ(viewText(geometry, 10), QStringLiteral("view 10 of 0–359, −10.0°"));
    EXPECT_EQ(valueText(43210.4, "counts"), "43210 counts");
    EXPECT_EQ(valueText(0.02134, "/mm"), "0.02134 /mm");
    EXPECT_EQ(valueText(-1.25, {}), QStringLiteral("−1.25"));
    EXPECT_EQ(pointText({511.5, 300}, 0.0213, "/mm"), "u 511.5  v 300.0  0.0213 /mm");
    EXPECT_EQ(sinogramPointText({7, 127.2}, 1.5, {}), "u 7.0  view 127  1.5");
    EXPECT_EQ(pointText({0, 0}, std::numeric_limits<double>::quiet_NaN(), "/mm"), "");
}

}  // namespace
}  // namespace gantry
