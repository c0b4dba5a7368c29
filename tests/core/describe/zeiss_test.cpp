#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/views/view_pose.h"
#include "core/io/open_source.h"
#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/xradia_files.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;
using test::floats;
using test::integers;
using test::XradiaFiles;

fs::path chip() {
    return test::headers("zeiss") / "chip_tomo.txrm";
}

// The numbers are those that olefile, another reader, finds in the streams.
TEST(Zeiss, ARealScanIsRead) {
    const ScanDescription found = readScanDescription(chip());
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "ZEISS Xradia");
    ASSERT_TRUE(geometry.isParallel());
    EXPECT_EQ(geometry.detector.columns, 256);
    EXPECT_EQ(geometry.detector.rows, 256);
    // The camera's 7.4 µm, binned by 8, are magnified 38 times by X-rays and 10 times by light.
    EXPECT_NEAR(geometry.detector.pitchMm[0], 7.4e-3 * 8 / 380, 1e-10);
    ASSERT_EQ(geometry.views(), 7);
    const double expected[] = {45.0180, 30.0141, 15.0141, 0.014125, -14.9859, -29.9859, -44.9859};
    for (Index view = 0; view < 7; ++view)
        EXPECT_NEAR(geometry.angleDeg(view), expected[view], 1e-4);
    EXPECT_EQ(found.scan.projections.files, "chip_tomo.txrm");
    EXPECT_EQ(test::statementOf(found, "projections.flatValue").certainty,
              StatedCertainty::unknown);
    EXPECT_EQ(test::statementOf(found, "trajectory.anglesDeg").places,
              std::vector<std::string>{"chip_tomo.txrm [ImageInfo] Angles"});
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    // A bright spot of its views lies on a sine to 0.13 px as they are, and to 1.2 px if each view
    // is moved by as much as the file has, in either sense.
    EXPECT_EQ(test::statementOf(found, "trajectory.poses").value,
              "not used, up to 1.28 columns and 0.248 rows");
    EXPECT_EQ(test::unknownKeys(found), 0);
    EXPECT_FALSE(test::hasQuestion(found, "axisOffset"));
}

TEST(Zeiss, AConeBeamIsRead) {
    const test::TemporaryFolder folder;
    XradiaFiles files(4, 6, 5);
    files.streams["ReferenceData/Image"] = XradiaFiles::image(9, 6, 5);
    files.streams["ReconSettings/CenterShift"] = floats({-1.5F});
    files.streams["Mystery/Key"] = "abc";
    const ScanDescription found = readScanDescription(files.write(folder / "bone.txrm", 3));
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 25);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 100);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[0], 0.01);  // 2.5 µm, magnified 4 times
    EXPECT_DOUBLE_EQ(geometry.angleDeg(2), 180 - 22.5);
    EXPECT_DOUBLE_EQ(geometry.axisColumn(), 2.5 + 1.5);
    EXPECT_TRUE(found.scan.projections.firstRowIsTop);
    EXPECT_FALSE(found.scan.projections.isMirrored);
    EXPECT_EQ(found.scan.projections.flat, "bone.txrm");
    // The four views make up 30°, and nothing else is doubted.
    EXPECT_TRUE(test::problemsOf(found, Severity::warning)
                    .starts_with("trajectory.anglesDeg: the views cover 30°"));
    EXPECT_EQ(std::ranges::count(test::problemsOf(found, Severity::warning), '\n'), 1);
    EXPECT_EQ(test::unknownKeys(found), 1);
    EXPECT_FALSE(test::hasQuestion(found, "shifts"));

    const ScanGeometry other =
        readScanDescription(folder / "bone.txrm",
                            {{"axisOffset", "negated"}, {"rotation", "counter-clockwise"}})
            .scan.geometry;
    EXPECT_DOUBLE_EQ(other.axisColumn(), 2.5 - 1.5);
    EXPECT_DOUBLE_EQ(other.angleDeg(2), -180 + 22.5);
    EXPECT_DOUBLE_EQ(
        readScanDescription(folder / "bone.txrm", {{"mirrored", "yes"}}).scan.geometry.axisColumn(),
        2.5 - 1.5);
}

// A view that is to be shifted by (x, y) pixels of its image was taken by a detector that stood so
// far to the right and down.
TEST(Zeiss, ShiftsMoveTheDetectorOfEachView) {
    const test::TemporaryFolder folder;
    XradiaFiles files(4, 6, 5);
    const std::vector<float> x = {0.5F, 0, -3.25F, 7};
    const std::vector<float> y = {2, -1.75F, 0, 0.5F};
    files.streams["Alignment/X-Shifts"] = floats(x);
    files.streams["Alignment/Y-Shifts"] = floats(y);
    const fs::path path = files.write(folder / "bone.txrm");
    const ScanGeometry plain = readScanDescription(path, {{"shifts", "left out"}}).scan.geometry;
    ASSERT_TRUE(plain.isCone());
    const auto expectShifts = [&](const Answers& answers, double right, double up) {
        const ScanGeometry shifted = readScanDescription(path, answers).scan.geometry;
        ASSERT_NE(shifted.poses(), nullptr);
        for (Index view = 0; view < 4; ++view) {
            const ViewPose before = viewPose(plain, view);
            const ViewPose after = viewPose(shifted, view);
            const Vec3 moved = after.detectorCenterMm - before.detectorCenterMm;
            EXPECT_NEAR(dot(moved, before.uStepMm), right * x[view] * 1e-4, 1e-12);
            EXPECT_NEAR(dot(moved, before.vStepMm), up * y[view] * 1e-4, 1e-12);
            EXPECT_NEAR(length(after.sourceMm - before.sourceMm), 0, 1e-12);
        }
    };
    expectShifts({}, 1, -1);
    expectShifts({{"shiftY", "negated"}}, 1, 1);
    expectShifts({{"firstRow", "bottom"}}, 1, 1);
}

TEST(Zeiss, AParallelBeamIsShiftedWhereItIsAskedFor) {
    const test::TemporaryFolder folder;
    XradiaFiles files(4, 6, 5);
    const std::vector<float> x = {0.5F, 0, -3.25F, 7};
    const std::vector<float> y = {2, -1.75F, 0, 0.5F};
    files.streams["ImageInfo/XrayGeometry"] = integers({2});
    files.streams["Alignment/X-Shifts"] = floats(x);
    files.streams["Alignment/Y-Shifts"] = floats(y);
    const fs::path path = files.write(folder / "bone.txrm");
    const ScanGeometry plain = readScanDescription(path).scan.geometry;
    ASSERT_TRUE(plain.isParallel());
    const ScanGeometry shifted = readScanDescription(path, {{"shifts", "used"}}).scan.geometry;
    // Rays that meet a far source differ by some 1/4000 px at the field of view's edge.
    constexpr double kNearPx = 1e-3;
    const double pitch = plain.detector.pitchMm[0];
    for (Index view = 0; view < 4; ++view) {
        const auto before = projectionMatrix(viewPose(plain, view), plain.detector);
        const auto after = projectionMatrix(viewPose(shifted, view), shifted.detector);
        for (const Vec3 at : {Vec3{0, 0, 0}, Vec3{2 * pitch, -3 * pitch, 1.5 * pitch}}) {
            const auto still = before.project(at.x, at.y, at.z);
            const auto moved = after.project(at.x, at.y, at.z);
            EXPECT_NEAR(moved.u, still.u - x[view], kNearPx);
            EXPECT_NEAR(moved.v, still.v + y[view], kNearPx);
        }
    }
}

TEST(Zeiss, WhatMattersAndIsNotUsedIsTold) {
    const test::TemporaryFolder folder;
    XradiaFiles files(4, 6, 5);
    files.streams["ImageInfo/NoOfImages"] = integers({9});
    files.streams["ImageInfo/ExpTimes"] = floats({1, 1, 2, 1});
    files.streams["ImageInfo/MosiacMode"] = integers({1});
    files.streams["ImageInfo/StoRADistance"] = floats({25, 25, 26, 25});
    files.streams["ReferenceData/Image"] = XradiaFiles::image(9, 6, 5);
    files.streams["ReferenceData/ExpTime"] = floats({0.5F});
    const std::string warnings =
        test::problemsOf(readScanDescription(files.write(folder / "a.txrm")), Severity::warning);
    for (const char* part : {"4 of 9 images", "a mosaic", "StoRADistance varies from 25 to 26 mm"})
        EXPECT_NE(warnings.find(part), std::string::npos) << part << "\n" << warnings;
}

// What was exposed for twice the time has twice the counts, unless the user says otherwise.
TEST(Zeiss, OtherExposuresAreAskedAbout) {
    const test::TemporaryFolder folder;
    XradiaFiles files(4, 6, 5);
    files.streams["ReferenceData/Image"] = XradiaFiles::image(9, 6, 5);
    const auto questionOf = [&](const Answers& answers = {}) {
        const ScanDescription found = readScanDescription(files.write(folder / "a.txrm"), answers);
        const auto asked = std::ranges::find(found.questions, "exposures", &OpenQuestion::name);
        return std::pair(asked == found.questions.end() ? "" : asked->what,
                         found.scan.projections.ignoresMonitor);
    };
    files.streams["ReferenceData/ExpTime"] = floats({1});
    EXPECT_EQ(questionOf().first, "") << "all are the same";
    files.streams["ImageInfo/ExpTimes"] = floats({1, 1, 2, 1});
    files.streams["ReferenceData/ExpTime"] = floats({0.5F});
    EXPECT_NE(questionOf().first.find("1 to 2 s, and the reference image for 0.5 s"),
              std::string::npos);
    EXPECT_FALSE(questionOf().second);
    EXPECT_TRUE(questionOf({{"exposures", "as stored"}}).second);

    OpenOptions options;
    const auto monitorOf = [&](FrameKind kind) {
        options.frames = kind;
        return openSource({folder / "a.txrm"}, options)->info().monitor;
    };
    EXPECT_EQ(monitorOf(FrameKind::projections), (std::vector<double>{1, 1, 2, 1}));
    EXPECT_EQ(monitorOf(FrameKind::flat), std::vector<double>{0.5});
    files.streams.erase("ReferenceData/ExpTime");
    EXPECT_EQ(questionOf().first, "");
}

TEST(Zeiss, WhatCannotBeReadIsTold) {
    const test::TemporaryFolder folder;
    const auto read = [&](const char* stream, const std::string& bytes) {
        XradiaFiles files(4, 6, 5);
        files.streams[stream] = bytes;
        (void)readDescribedScan(files.write(folder / "a.txrm"));
    };
    EXPECT_ERROR(read("ImageInfo/Angles", floats({1, 2, 3})), InputError,
                 "ImageInfo/Angles has 3 values; the scan needs 4");
    EXPECT_ERROR(read("ImageInfo/Angles", floats({1, NAN, 3, 4})), InputError,
                 "value 1 is nan; it must be a finite number");
    EXPECT_ERROR(read("ImageInfo/PixelSize", floats({INFINITY})), InputError, "PixelSize");
    EXPECT_ERROR(read("ImageInfo/PixelSize", floats({0})), InputError, "detector.pitchMm");
    EXPECT_ERROR(read("ImageInfo/StoRADistance", floats({0, 0, 0, 0})), InputError,
                 "trajectory.sourceToIsocenterMm");
    EXPECT_ERROR(read("ImageInfo/DtoRADistance", ""), InputError, "DtoRADistance has 0 values");
    EXPECT_ERROR(read("ImageInfo/AcquisitionMode", integers({1})), InputError, "is a volume");
}

}  // namespace
}  // namespace gantry
