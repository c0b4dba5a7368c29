#include "core/doctor/interpretation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/core/doctor/stored_scan.h"

namespace gantry {
namespace {

using enum Convention;

ScanGeometry mountedScan() {
    ScanGeometry geometry = test::obliqueScan();
    geometry.cone().views = 7;
    geometry.cone().sourceOffsetMm = {2.5, -3.5};
    geometry.detector.rollDeg = 3;
    geometry.detector.tiltDeg = -4;
    geometry.detector.slantDeg = 5;
    return geometry;
}

// The views of a phantom, [s][v][u].
std::vector<float> viewsOf(const Phantom& phantom, const ScanGeometry& geometry) {
    const Detector& detector = geometry.detector;
    const auto pixels = static_cast<std::size_t>(detector.rows * detector.columns);
    std::vector<float> views(static_cast<std::size_t>(geometry.views()) * pixels);
    for (Index s = 0; s < geometry.views(); ++s)
        projectPhantom(phantom, viewPose(geometry, s), detector, {0, detector.rows},
                       std::span(views).subspan(static_cast<std::size_t>(s) * pixels, pixels));
    return views;
}

Phantom mirrored(Phantom phantom, bool alongX) {
    for (PhantomShape& shape : phantom.shapes)
        (alongX ? shape.centerMm.x : shape.centerMm.z) *= -1;
    return phantom;
}

// Lengths of rays up to 60 mm, in float.
constexpr float kRounding = 1e-4F;

void expectSame(const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    float max = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        max = std::max(max, std::abs(a[i] - b[i]));
    EXPECT_LT(max, kRounding);
    EXPECT_GT(*std::max_element(a.begin(), a.end()), 0.1F);
}

void mirrorColumns(std::vector<float>& views, Index columns) {
    for (auto row = views.begin(); row != views.end(); row += columns)
        std::reverse(row, row + columns);
}

void mirrorRows(std::vector<float>& views, const Detector& detector) {
    const Index pixels = detector.rows * detector.columns;
    for (auto view = views.begin(); view != views.end(); view += pixels)
        std::reverse(view, view + pixels);
    mirrorColumns(views, detector.columns);
}

ScanGeometry posedScan() {
    const ScanGeometry cone = mountedScan();
    std::vector<ViewPose> poses;
    for (Index s = 0; s < cone.views(); ++s)
        poses.push_back(viewPose(cone, s));
    ScanGeometry geometry = geometryOfPoses(poses, cone.detector.columns, cone.detector.rows);
    geometry.detector.offsetMm = {1.5, -2.5};
    geometry.detector.rollDeg = 2;
    geometry.detector.slantDeg = -3;
    return geometry;
}

ScanGeometry parallelScan() {
    ScanGeometry geometry = mountedScan();
    const GantryAngles angles = geometry.cone();
    geometry.trajectory = ParallelBeam{angles};
    geometry.detector.slantDeg = 0;
    return geometry;
}

// Images that are stored mirrored are those of a mirrored object in the geometry that is read.
TEST(Interpretation, MirroredImagesAreThoseOfAMirroredObject) {
    for (const ScanGeometry& truth : {mountedScan(), posedScan(), parallelScan()}) {
        const ReadGeometry read = readAs(truth, {{columns}});
        EXPECT_TRUE(read.isMirroredX);
        EXPECT_FALSE(read.isUpsideDown);
        std::vector<float> stored = viewsOf(test::bracket(), truth);
        mirrorColumns(stored, truth.detector.columns);
        expectSame(stored, viewsOf(mirrored(test::bracket(), true), read.geometry));
    }
}

TEST(Interpretation, ImagesUpsideDownAreThoseOfAnObjectUpsideDown) {
    for (const ScanGeometry& truth : {mountedScan(), posedScan(), parallelScan()}) {
        const ReadGeometry read = readAs(truth, {{rows}});
        EXPECT_FALSE(read.isMirroredX);
        EXPECT_TRUE(read.isUpsideDown);
        std::vector<float> stored = viewsOf(test::bracket(), truth);
        mirrorRows(stored, truth.detector);
        expectSame(stored, viewsOf(mirrored(test::bracket(), false), read.geometry));
    }
}

TEST(Interpretation, FilesInReverseOrderAreTheViewsFromTheLastToTheFirst) {
    ScanGeometry listed = mountedScan();
    listed.cone().anglesDeg = {3, 40, 95, 170, 201, 280, 333};
    for (const ScanGeometry& declared : {mountedScan(), listed, posedScan(), parallelScan()}) {
        const ScanGeometry read = readAs(declared, {{order}}).geometry;
        for (Index s = 0; s < declared.views(); ++s) {
            const ViewPose expected = viewPose(declared, declared.views() - 1 - s);
            const ViewPose found = viewPose(read, s);
            // Sums of angles are rounded.
            EXPECT_LT(length(found.sourceMm - expected.sourceMm), 1e-9);
            EXPECT_LT(length(found.uStepMm - expected.uStepMm), 1e-9);
        }
    }
}

TEST(Interpretation, AnglesGoTheOtherWayFromTheFirst) {
    ScanGeometry declared = mountedScan();
    ScanGeometry read = readAs(declared, {{direction}}).geometry;
    EXPECT_EQ(read.cone().startDeg, 20);
    EXPECT_EQ(read.cone().arcDeg, -360);
    declared.cone().anglesDeg = {3, 40, 95, 170, 201, 280, 333};
    read = readAs(declared, {{direction}}).geometry;
    EXPECT_EQ(read.cone().anglesDeg, (std::vector<double>{3, -34, -89, -164, -195, -274, -327}));
}

TEST(Interpretation, UnitsComeBeforeSignsAndStarts) {
    ScanGeometry declared = test::obliqueScan();
    declared.cone().startDeg = 0.5;
    declared.cone().arcDeg = -6.25;
    const ScanGeometry read =
        readAs(declared, {{detectorOffsetU, offsetInPixels, anglesInRadians, start}}).geometry;
    EXPECT_DOUBLE_EQ(read.detector.offsetMm[0], -7.3 * 3.1);
    EXPECT_DOUBLE_EQ(read.detector.offsetMm[1], -18.0 * 2.8);
    EXPECT_DOUBLE_EQ(read.cone().startDeg, 0.5 * 180 / kPi + 180);
    EXPECT_DOUBLE_EQ(read.cone().arcDeg, -6.25 * 180 / kPi);
}

bool isAmong(const std::vector<Interpretation>& interpretations, Convention convention) {
    return std::any_of(
        interpretations.begin(), interpretations.end(),
        [&](const Interpretation& interpretation) { return interpretation.has(convention); });
}

TEST(Interpretation, OnlyWhatMakesADifferenceIsChanged) {
    ScanGeometry declared = test::obliqueScan();
    std::vector<Interpretation> interpretations = interpretationsOf(declared);
    EXPECT_EQ(interpretations.front(), Interpretation());
    for (const Convention one : {direction, columns, rows, order, detectorOffsetU, detectorOffsetV,
                                 offsetInPixels, offsetTimesPitch, start})
        EXPECT_TRUE(isAmong(interpretations, one)) << static_cast<int>(one);
    for (const Convention one :
         {sourceOffsetU, sourceOffsetV, anglesInRadians, anglesInRadiansTwice, mountingInRadians})
        EXPECT_FALSE(isAmong(interpretations, one)) << static_cast<int>(one);
    for (const Interpretation& interpretation : interpretations) {
        EXPECT_TRUE(std::is_sorted(interpretation.changed.begin(), interpretation.changed.end()));
        EXPECT_FALSE(interpretation.has(offsetInPixels) && interpretation.has(offsetTimesPitch));
    }
    declared.detector.offsetMm = {0, 0};
    declared.cone().arcDeg = 360 * 180 / kPi;
    declared.detector.tiltDeg = 0.02;
    interpretations = interpretationsOf(declared);
    for (const Convention one : {detectorOffsetU, detectorOffsetV, offsetInPixels})
        EXPECT_FALSE(isAmong(interpretations, one));
    EXPECT_TRUE(isAmong(interpretations, anglesInRadiansTwice));
    EXPECT_TRUE(isAmong(interpretations, mountingInRadians));
    interpretations = interpretationsOf(posedScan());
    for (const Convention one : {direction, start, sourceOffsetU, anglesInRadians})
        EXPECT_FALSE(isAmong(interpretations, one));
}

TEST(Interpretation, AnArcThatIsTooShortOrAnAxisBesideTheDetectorIsNotUsable) {
    ScanGeometry geometry = test::obliqueScan();
    EXPECT_TRUE(isUsable(geometry));
    geometry.cone().arcDeg = 90;
    EXPECT_FALSE(isUsable(geometry));
    geometry.cone().arcDeg = 360;
    geometry.detector.offsetMm[0] = 1000;
    EXPECT_FALSE(isUsable(geometry));
}

}  // namespace
}  // namespace gantry
